// SPDX-License-Identifier: MIT
// Keeps the devices of one open volume for the core. Waits for requests in the mailbox of
// web/store_device.h, which lies in the memory that it shares with the WebAssembly module, and has a store do
// them: store_opfs.js or store_indexeddb.js, of which only the one that is needed is loaded.
//
// Between requests it sleeps on the mailbox, so that an answer never waits for an event loop. A store may
// answer with a promise: then the worker goes back to its event loop until that is settled, and sleeps again.
//
//     to the worker:    { memory, mailbox, volume, create, files }      once; files: images to copy in first
//                       { cancel: true }    the copying
//     from the worker:  { copied, of }      bytes, while files are copied in
//                       { opened: true } | { failed: message, full: true if there is no room }
//                       { closed: true }    the last one: nothing of the store is held any more

const IDLE = 0,
    REQUEST = 1,
    DONE = 2,
    CLOSE = 3;
const READ = 0,
    WRITE = 1,
    FLUSH = 2,
    DISCARD = 3;
const GOOD = 0,
    NO_SPACE = 1,
    FAILED = 2;
// struct StoreMailbox, in bytes.
const STATE = 0,
    REVOKED = 4,
    OPERATION = 12,
    DEVICE = 16,
    ADDRESS = 20,
    AT = 24,
    LENGTH = 32,
    OUTCOME = 40,
    MESSAGE = 48;
const MESSAGE_BYTES = 207;
const LOOKS = 2000; // before it sleeps: the next request of a busy core comes within microseconds
const COPY_PIECE = 4 << 20; // bytes

const STORES = { opfs: './store_opfs.js', indexeddb: './store_indexeddb.js' };

let cancelled = false;

const is_full = (error) => error.name === 'QuotaExceededError';

function explain(error) {
    if (is_full(error)) return 'the browser gives this page no more room';
    if (error.name === 'NoModificationAllowedError')
        return 'another tab or window has this volume open and does not let go: close it';
    if (error.name === 'NotFoundError')
        return `the browser no longer has it: it was deleted, or its storage was cleared (${error.message})`;
    return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

async function open_store(volume, create) {
    const { open } = await import(STORES[volume.store]);
    return open(volume, create);
}

const is_zero = (bytes) => {
    const words = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length >> 3);
    for (let i = 0; i < words.length; ++i) if (words[i]) return false;
    for (let i = words.length << 3; i < bytes.length; ++i) if (bytes[i]) return false;
    return true;
};

// Images into a new volume: what is zeros stays unwritten.
async function copy_in(store, files) {
    const of = files.reduce((sum, file) => sum + file.size, 0);
    let copied = 0;
    for (const [device, file] of files.entries()) {
        for (let at = 0; at < file.size; at += COPY_PIECE) {
            const piece = file.slice(at, Math.min(at + COPY_PIECE, file.size));
            const bytes = new Uint8Array(await piece.arrayBuffer());
            if (cancelled) throw new Error('cancelled');
            if (!is_zero(bytes)) await store.write(device, at, bytes);
            copied += bytes.length;
            self.postMessage({ copied, of });
        }
        await store.flush(device);
    }
}

class Mailbox {
    constructor(memory, at) {
        this.memory = memory;
        this.at = at;
        this.words = new Int32Array(memory.buffer);
        this.view = new DataView(memory.buffer);
        this.state = (at + STATE) >> 2;
        this.revoked = (at + REVOKED) >> 2;
    }
    #u32(field) {
        return this.view.getUint32(this.at + field, true);
    }
    #f64(field) {
        return this.view.getFloat64(this.at + field, true);
    }

    // Sleeps until there is a request; false when there won't be one.
    wait() {
        for (;;) {
            for (let look = 0; look < LOOKS; ++look) {
                if (Atomics.load(this.words, this.state) === REQUEST) break;
            }
            const now = Atomics.load(this.words, this.state);
            if (now === CLOSE || Atomics.load(this.words, this.revoked)) return false;
            if (now === REQUEST) return true;
            Atomics.wait(this.words, this.state, now);
        }
    }

    run(store) {
        const device = this.#u32(DEVICE);
        const at = this.#f64(AT);
        // The memory may have grown since: its buffer is asked for again, not kept.
        const bytes = () => new Uint8Array(this.memory.buffer, this.#u32(ADDRESS), this.#f64(LENGTH));
        switch (this.#u32(OPERATION)) {
            case READ:
                return store.read(device, at, bytes());
            case WRITE:
                return store.write(device, at, bytes());
            case FLUSH:
                return store.flush(device);
            case DISCARD:
                return store.discard(device, at, this.#f64(LENGTH));
        }
    }

    answer(error) {
        const outcome = !error ? GOOD : is_full(error) ? NO_SPACE : FAILED;
        this.view.setUint32(this.at + OUTCOME, outcome, true);
        const text = new TextEncoder().encode(error ? explain(error) : '').slice(0, MESSAGE_BYTES);
        for (let i = 0; error && i <= MESSAGE_BYTES; ++i)
            this.view.setUint8(this.at + MESSAGE + i, i < text.length ? text[i] : 0);
        // Close may have come meanwhile: answer only a request.
        Atomics.compareExchange(this.words, this.state, REQUEST, DONE);
        Atomics.notify(this.words, this.state);
    }
}

async function serve(mailbox, store) {
    while (mailbox.wait()) {
        let error = null;
        try {
            const later = mailbox.run(store);
            if (later) await later;
        } catch (thrown) {
            error = thrown;
        }
        mailbox.answer(error);
    }
}

async function live({ memory, mailbox, volume, create, files }) {
    let store = null;
    try {
        store = await open_store(volume, create);
        if (files) await copy_in(store, files);
        self.postMessage({ opened: true });
        await serve(new Mailbox(memory, mailbox), store);
    } catch (error) {
        self.postMessage({ failed: explain(error), full: is_full(error) });
    }
    await store?.close();
    self.postMessage({ closed: true });
    self.close();
}

self.onmessage = ({ data }) => {
    if (data.cancel) cancelled = true;
    else live(data);
};
