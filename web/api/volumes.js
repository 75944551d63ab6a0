// SPDX-License-Identifier: MIT
// Volumes of this browser, for a worker: found in the registry that the page of GlassFS keeps too, held by
// its lock, and taken over by its protocol (page/volume_lock.js). What one makes, the other opens.
import { CHANNEL, take_lock, take_over } from '../page/volume_lock.js';
import { RECORD_VERSION, Registry, remove_stored } from '../page/volume_registry.js';
import { coded, fs_error } from './errors.js';
import { format_of } from './glassfs.js';

const EBUSY = 16,
    ENOENT = 2;

const STORES = { opfs: '../page/store_opfs.js', indexeddb: './store_resident.js' };

export const has_private_files = () =>
    typeof FileSystemFileHandle === 'function' &&
    'createSyncAccessHandle' in FileSystemFileHandle.prototype;

const registry = new Registry();

// The record that was opened last, of those with the name (or id) in the store.
async function find({ id, name, store }) {
    const matches = (await registry.list()).filter(
        (record) =>
            record.state === 'ready' &&
            (id === undefined ? record.name === name : record.id === id) &&
            (store === undefined || record.store === store),
    );
    return matches.sort((a, b) => b.opened - a.opened)[0];
}

// A generator over what an OPFS device holds: its handle reads it.
function* pieces_of(store, size, device) {
    const PIECE = 1 << 20;
    const end = Math.min(size, store.handles[device].getSize());
    for (let at = 0; at < end; at += PIECE) {
        const bytes = new Uint8Array(Math.min(PIECE, end - at));
        store.read(device, at, bytes);
        if (bytes.some((byte) => byte !== 0)) yield [at, bytes];
    }
}

async function start(record, create) {
    const { open } = await import(STORES[record.store]);
    const store = await open(record, create);
    store.pieces ??= (device) => pieces_of(store, record.devices[device].size, device);
    return { store, sizes: record.devices.map(({ size }) => size) };
}

async function make(options, lost) {
    const { name, size } = options;
    const record = {
        version: RECORD_VERSION,
        id: crypto.randomUUID(),
        name,
        store: options.store ?? (has_private_files() ? 'opfs' : 'indexeddb'),
        devices: [{ name, size }],
        created: Date.now(),
        opened: Date.now(),
        generation: 1,
        state: 'creating',
    };
    const lock = await take_lock(record.id, { ifAvailable: true }, lost);
    await registry.add(record);
    const undo = async () => {
        await remove_stored(record);
        await registry.forget(record.id);
        lock.release();
    };
    try {
        const opened = await start(record, true);
        const ready = async () => {
            await opened.store.settle?.();
            await registry.update(record.id, (kept) => {
                kept.state = 'ready';
            });
        };
        return { ...opened, record, lock, undo, ready, format: format_of(options) };
    } catch (error) {
        await undo();
        throw error;
    }
}

async function reopen(found, { takeOver }, channel, lost) {
    let lock = await take_lock(found.id, { ifAvailable: true }, lost);
    if (!lock && !takeOver) throw fs_error(EBUSY, 'open', found.name);
    lock ??= await take_over(found.id, channel, lost);
    try {
        const record = await registry.update(found.id, (kept) => {
            ++kept.generation;
            kept.opened = Date.now();
        });
        return { ...(await start(record, false)), record, lock, format: null };
    } catch (error) {
        lock.release();
        throw error;
    }
}

// `lost` is called when somebody else has taken the volume; `asked` when somebody wants it.
export async function open_volume(options, { lost, asked }) {
    if (options.store !== undefined && !STORES[options.store])
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `no such store here: ${options.store}`);
    if (options.name === undefined && options.id === undefined)
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'a volume needs a name');
    const found = await find(options);
    if (!found && !options.create) throw fs_error(ENOENT, 'open', options.name ?? options.id);
    const channel = new BroadcastChannel(CHANNEL);
    try {
        const opened = found ? await reopen(found, options, channel, lost) : await make(options, lost);
        channel.onmessage = ({ data: { release } }) => release === opened.record.id && asked();
        opened.release = () => {
            channel.close();
            opened.lock.release();
        };
        return opened;
    } catch (error) {
        channel.close();
        throw error;
    }
}

// Deletes a volume that nobody has open.
export async function remove_volume(options) {
    const found = await find(options);
    if (!found) throw fs_error(ENOENT, 'unlink', options.name ?? options.id);
    const lock = await take_lock(found.id, { ifAvailable: true });
    if (!lock) throw fs_error(EBUSY, 'unlink', found.name);
    try {
        await remove_stored(found);
        await registry.forget(found.id);
    } finally {
        lock.release();
    }
}

export const list_volumes = async () =>
    (await registry.list())
        .filter(({ state }) => state === 'ready')
        .map(({ id, name, store, devices, created, opened }) => ({
            id,
            name,
            store,
            size: devices.reduce((sum, { size }) => sum + size, 0),
            created: new Date(created),
            opened: new Date(opened),
        }));
