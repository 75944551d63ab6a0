// SPDX-License-Identifier: MIT
// The volumes that live in this browser: made, opened, handed from tab to tab, deleted. The records are in
// volume_registry.js, the bytes behind store_worker.js; who may have a volume open, in volume_lock.js.
import { CHANNEL, lock_name, take_lock, take_over } from './volume_lock.js';
import { Registry, RECORD_VERSION, blobs_of, bytes_stored, remove_stored } from './volume_registry.js';

// `code`: "elsewhere", "here", "missing", "full", "cancelled", "failed".
export class VolumeError extends Error {
    constructor(code, message) {
        super(message);
        this.name = 'VolumeError';
        this.code = code;
    }
}

// Whether this browser's private files can be used from a worker at once: only trying tells.
function private_files_work() {
    const source = `
        (async () => {
            const top = await navigator.storage.getDirectory();
            const name = 'glassfs-probe-' + Math.random();
            const handle = await (await top.getFileHandle(name, { create: true })).createSyncAccessHandle();
            handle.close();
            await top.removeEntry(name);
        })().then(() => postMessage(true), () => postMessage(false));`;
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    return new Promise((done) => {
        const worker = new Worker(url);
        const over = (works) => {
            clearTimeout(patience);
            worker.terminate();
            URL.revokeObjectURL(url);
            done(works);
        };
        const patience = setTimeout(over, 3000, false); // where it isn't supported it may just never answer
        worker.onmessage = ({ data }) => over(data);
        worker.onerror = () => over(false);
    });
}

export class Volumes {
    #registry = new Registry();
    #open = new Map(); // id -> { record, mailbox, closed (a promise), revoke(message) }
    #channel = new BroadcastChannel(CHANNEL);
    #private_files = null;
    persist_answer = null; // a promise, once the browser was asked

    // `taken`: called with the record of a volume that another tab has taken over.
    constructor(core, taken = () => {}) {
        this.core = core;
        this.taken = taken;
        this.#channel.onmessage = ({ data: { release } }) => this.#release(release);
    }

    // Records of the volumes that can be opened, newest first, each with `open`: "here", "elsewhere" or null.
    async list() {
        const { held } = await navigator.locks.query();
        const locked = new Set(held.map(({ name }) => name));
        const volumes = [];
        for (const record of await this.#registry.list()) {
            const elsewhere = locked.has(lock_name(record.id)) ? 'elsewhere' : null;
            const open = this.#open.has(record.id) ? 'here' : elsewhere;
            if (record.state === 'ready') volumes.push({ ...record, open });
            else if (!open) this.#discard_remains(record).catch((error) => console.warn(error));
        }
        return volumes.sort((a, b) => b.created - a.created);
    }

    // Makes a volume and opens it. `devices`: sizes in bytes; `format`: { label, node_size, checksum,
    // metadata, data, compression }, all optional; or `files`: images to copy, one for each device. `store`:
    // "opfs", "indexeddb", or nothing for what is best here. `progress(bytes, of)` is called while files are
    // copied.
    async create({ name, store, devices, files, format = {}, progress, signal }) {
        this.persist_answer = this.#ask_to_persist().catch((error) => console.warn(error));
        const sizes = files ? files.map((file) => file.size) : devices;
        const record = {
            version: RECORD_VERSION,
            id: crypto.randomUUID(),
            name,
            store: store ?? ((await this.#has_private_files()) ? 'opfs' : 'indexeddb'),
            devices: sizes.map((size, i) => ({ name: sizes.length > 1 ? `${name}-${i + 1}` : name, size })),
            created: Date.now(),
            opened: Date.now(),
            generation: 1,
            state: 'creating',
        };
        const lock = await this.#lock(record.id, { ifAvailable: true });
        await this.#registry.add(record);
        try {
            const opened = await this.#start(record, lock, { create: true, files, progress, signal });
            await this.#hand_over(opened, files ? null : format);
            await this.#registry.update(record.id, (kept) => {
                kept.state = 'ready';
            });
        } catch (error) {
            await this.#open.get(record.id)?.closed;
            lock.release();
            await this.#discard_remains(record);
            throw error;
        }
        return record.id;
    }

    // `take_over`: from the tab that has it open.
    async open(id, { take_over = false } = {}) {
        if (this.#open.has(id)) throw new VolumeError('here', 'this volume is open already');
        let lock = await this.#lock(id, { ifAvailable: true });
        if (!lock && !take_over)
            throw new VolumeError('elsewhere', 'this volume is open in another tab or window');
        lock ??= await this.#take_over(id);
        let record;
        try {
            record = await this.#registry.update(id, (kept) => {
                ++kept.generation;
                kept.opened = Date.now();
            });
        } catch (error) {
            lock.release();
            throw new VolumeError('missing', error.message);
        }
        await this.#hand_over(await this.#start(record, lock, {}), null);
    }

    // The core syncs and closes it; resolves when nothing of it is held any more.
    async close(id) {
        const open = this.#open.get(id);
        if (!open) return;
        this.core.store_release(open.mailbox);
        await open.closed;
    }

    // Of a volume that is open here: what the core knows it by.
    mailbox_of(id) {
        return this.#open.get(id)?.mailbox;
    }

    rename(id, name) {
        return this.#registry.update(id, (record) => {
            record.name = name;
        });
    }

    async remove(id) {
        await this.#while_closed(id, async (record) => {
            await remove_stored(record);
            await this.#registry.forget(id);
        });
    }

    // A Blob for each device: raw images that Linux mounts. The volume must be closed.
    export(id) {
        return this.#while_closed(id, blobs_of);
    }

    // A new volume with the same bytes; opened, as create() does.
    async duplicate(id, { name, ...options }) {
        return this.create({ ...options, name, files: await this.export(id) });
    }

    bytes_stored(id) {
        return this.#record(id).then(bytes_stored);
    }

    // { usage, quota } in bytes of all that this site keeps, whether the browser has promised not to throw it
    // away by itself, and whether it was asked to.
    async room() {
        const { usage, quota } = await navigator.storage.estimate();
        const asked = (await this.#registry.fact('persist')) !== undefined;
        return { usage, quota, persisted: await navigator.storage.persisted(), asked };
    }

    // Asked once, when there is something to keep. The answer is shown, nothing depends on it, and nothing
    // waits for it: some browsers ask the user, who may never say.
    async #ask_to_persist() {
        if ((await this.#registry.fact('persist')) !== undefined) return;
        await this.#registry.set_fact('persist', 'asked');
        await this.#registry.set_fact('persist', await navigator.storage.persist());
    }

    #has_private_files() {
        this.#private_files ??= private_files_work();
        return this.#private_files;
    }

    async #record(id) {
        const record = (await this.#registry.list()).find((one) => one.id === id);
        if (!record) throw new VolumeError('missing', 'there is no such volume any more');
        return record;
    }

    #lock(id, options) {
        return take_lock(id, options, () => this.#lost(id));
    }

    #take_over(id) {
        return take_over(id, this.#channel, () => this.#lost(id));
    }

    async #while_closed(id, run) {
        if (this.#open.has(id)) throw new VolumeError('here', 'this volume is open: close it first');
        const lock = await this.#lock(id, { ifAvailable: true });
        if (!lock) throw new VolumeError('elsewhere', 'this volume is open in another tab or window');
        try {
            return await run(await this.#record(id));
        } finally {
            lock.release();
        }
    }

    // What a creation that never ended has left behind.
    async #discard_remains(record) {
        const lock = await this.#lock(record.id, { ifAvailable: true });
        if (!lock) return;
        try {
            await remove_stored(record);
            await this.#registry.forget(record.id);
        } finally {
            lock.release();
        }
    }

    // Another tab wants it.
    async #release(id) {
        const open = this.#open.get(id);
        if (!open) return;
        await this.close(id);
        this.taken(open.record);
    }

    // Another tab has it: this one was too slow.
    #lost(id) {
        const open = this.#open.get(id);
        if (!open) return;
        this.core.store_revoke(open.mailbox, 'another tab has taken this volume over');
        this.taken(open.record);
    }

    // Starts the worker of a volume; resolves when it has the store open.
    #start(record, lock, { create = false, files, progress = () => {}, signal }) {
        const mailbox = this.core.store_begin();
        const worker = new Worker(new URL('store_worker.js', import.meta.url), { type: 'module' });
        const open = { record, mailbox };
        this.#open.set(record.id, open);
        let opened = false;
        return new Promise((done, failed) => {
            let ended;
            open.closed = new Promise((resolve) => {
                ended = resolve;
            });
            const end = (error) => {
                signal?.removeEventListener('abort', cancel);
                if (!opened) this.core.store_drop(mailbox);
                this.core.store_ended(mailbox);
                this.#open.delete(record.id);
                lock.release();
                ended();
                failed(error);
            };
            const die = (error) => {
                worker.terminate();
                this.core.store_revoke(mailbox, error.message);
                end(error);
            };
            const cancel = () => worker.postMessage({ cancel: true });
            signal?.addEventListener('abort', cancel);
            if (signal?.aborted) cancel();
            const code_of = ({ full }) => (full ? 'full' : signal?.aborted ? 'cancelled' : 'failed');
            let failure = null;
            worker.onmessage = ({ data }) => {
                if (data.copied !== undefined) progress(data.copied, data.of);
                if (data.failed) failure = new VolumeError(code_of(data), data.failed);
                if (data.closed) end(failure);
                if (data.opened) {
                    signal?.removeEventListener('abort', cancel);
                    opened = true;
                    done(open);
                }
            };
            worker.onerror = (event) => {
                const what = event.message ?? 'it could not be loaded';
                die(new VolumeError('failed', `the worker that keeps the volume failed: ${what}`));
            };
            worker.postMessage({ memory: this.core.memory(), mailbox, volume: record, create, files });
        });
    }

    // Gives the devices to the core: to make a file system on them first, or to open what is there.
    async #hand_over({ record, mailbox, closed }, format) {
        for (const { name, size } of record.devices) this.core.store_add(mailbox, name, size);
        const outcome = format
            ? this.core.store_format(mailbox, record.name, format)
            : this.core.store_open(mailbox, record.name);
        // The core may have been told to open something else meanwhile.
        const message = await Promise.race([outcome, closed.then(() => 'it was closed before it was open')]);
        if (!message) return;
        await closed;
        throw new VolumeError('failed', message);
    }
}
