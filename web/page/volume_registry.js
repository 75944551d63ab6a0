// SPDX-License-Identifier: MIT
// Which volumes this browser keeps for the page: a record each, in IndexedDB, whatever keeps the blocks.
//
//     { version, id, name, store: "opfs" | "indexeddb", devices: [{ name, size }], created, opened,
//       generation, state: "creating" | "ready" }
//
// Times in milliseconds since 1970, sizes in bytes. `generation` grows with each opening: the owner's is the
// highest. A record says "creating" until there is a file system on its devices; if that never comes about,
// nothing of it counts. Changes are one transaction each, so that a record is whole or not there.
import { database_of, device_range, open_database, settled, BLOCK_BYTES } from './store_indexeddb.js';
import { FOLDER, folder_of, name_of } from './store_opfs.js';

export const RECORD_VERSION = 1;
const DATABASE = 'glassfs-volumes';

function open() {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
        request.result.createObjectStore('volumes', { keyPath: 'id' });
        request.result.createObjectStore('facts'); // "persist" -> "asked", or the answer
    };
    return settled(request);
}

export class Registry {
    #database = null;

    async #store(name, mode) {
        this.#database ??= open();
        const database = await this.#database;
        return database.transaction(name, mode, { durability: 'strict' }).objectStore(name);
    }
    // Runs `change` on the value of a key and stores what it returns; null: deletes. Resolves with it when
    // it is durable.
    async #change(name, key, change) {
        const store = await this.#store(name, 'readwrite');
        return new Promise((done, failed) => {
            let changed, thrown;
            const old = store.get(key);
            old.onsuccess = () => {
                try {
                    changed = change(old.result);
                    if (changed === null) store.delete(key);
                    else if (store.keyPath) store.put(changed);
                    else store.put(changed, key);
                } catch (error) {
                    thrown = error;
                    store.transaction.abort();
                }
            };
            store.transaction.oncomplete = () => done(changed);
            store.transaction.onabort = () => failed(thrown ?? store.transaction.error);
        });
    }

    async list() {
        return settled((await this.#store('volumes', 'readonly')).getAll());
    }
    add(record) {
        return this.#change('volumes', record.id, () => record);
    }
    update(id, change) {
        return this.#change('volumes', id, (record) => {
            if (!record) throw new Error('there is no such volume any more');
            if (record.version > RECORD_VERSION)
                throw new Error('a newer GlassFS made this volume: reload the page to get it');
            change(record);
            return record;
        });
    }
    forget(id) {
        return this.#change('volumes', id, () => null);
    }
    async fact(name) {
        return settled((await this.#store('facts', 'readonly')).get(name));
    }
    set_fact(name, value) {
        return this.#change('facts', name, () => value);
    }
}

// What a volume takes up in its store, in bytes.
export async function bytes_stored(record) {
    let bytes = 0;
    if (record.store === 'opfs') {
        const folder = await folder_of(record.id);
        for (const device of record.devices.keys())
            bytes += (await (await folder.getFileHandle(name_of(device))).getFile()).size;
    } else {
        const database = await open_database(record.id);
        bytes =
            BLOCK_BYTES * (await settled(database.transaction('blocks').objectStore('blocks').count()));
        database.close();
    }
    return bytes;
}

// Removes a volume's devices; that there are none is no error.
export async function remove_stored(record) {
    if (record.store === 'indexeddb') return settled(indexedDB.deleteDatabase(database_of(record.id)));
    const top = await navigator.storage.getDirectory();
    try {
        const folder = await top.getDirectoryHandle(FOLDER);
        await folder.removeEntry(record.id, { recursive: true });
    } catch (error) {
        if (error.name !== 'NotFoundError') throw error;
    }
}

const ZEROS = new Blob([new Uint8Array(8 << 20)]);

function add_zeros(parts, length) {
    for (; length >= ZEROS.size; length -= ZEROS.size) parts.push(ZEROS);
    if (length) parts.push(ZEROS.slice(0, length));
}

// The bytes of a device as one Blob, which the browser keeps on disk where it is large. The volume must not
// be open anywhere.
async function blob_of_file(record, device) {
    const file = await (await (await folder_of(record.id)).getFileHandle(name_of(device))).getFile();
    const parts = [file];
    add_zeros(parts, record.devices[device].size - file.size);
    return new Blob(parts);
}

async function blob_of_blocks(record, device) {
    const BATCH = 256; // blocks held as bytes before they become a Blob
    const database = await open_database(record.id);
    const parts = [];
    const { size } = record.devices[device];
    const first = device_range(device).lower;
    let range = device_range(device),
        end = 0; // bytes that are in `parts`
    for (;;) {
        const blocks = database.transaction('blocks').objectStore('blocks');
        const [keys, values] = await Promise.all([
            settled(blocks.getAllKeys(range, BATCH)),
            settled(blocks.getAll(range, BATCH)),
        ]);
        if (!keys.length) break;
        const batch = [];
        keys.forEach((key, i) => {
            const at = (key - first) * BLOCK_BYTES;
            add_zeros(batch, at - end);
            batch.push(values[i].subarray(0, size - at));
            end = Math.min(at + BLOCK_BYTES, size);
        });
        parts.push(new Blob(batch));
        range = IDBKeyRange.bound(keys.at(-1), range.upper, true, true);
    }
    database.close();
    add_zeros(parts, size - end);
    return new Blob(parts);
}

export const blobs_of = (record) =>
    Promise.all(
        record.devices.map((_, device) =>
            record.store === 'opfs' ? blob_of_file(record, device) : blob_of_blocks(record, device),
        ),
    );
