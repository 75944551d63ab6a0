// SPDX-License-Identifier: MIT
// Devices as blocks in a database of IndexedDB, for browsers whose private files have no synchronous access.
//
//     database glassfs-ID:   blocks   block number of all devices -> Uint8Array; what is missing is zeros
//                            facts    "generation" -> of the one who may write
//
// Writes stay in this worker's memory until flush(), which puts all of them in one transaction with strict
// durability: after a crash either all of a flush is there or none of it. When too much has been written
// without a flush, it is put down earlier, as one transaction too; a device may do that at any time.
//
// Every transaction that writes looks first whether the generation is still the one that this worker was
// opened with, and is aborted otherwise: whoever has lost the volume without noticing can't harm it.
//
// Calls return a promise only when they had to ask the database.

// Bytes: a tree block of btrfs. Chromium keeps values of 64 KiB and more as files of their own: slow.
const BLOCK = 16 << 10;
const DEVICE_BLOCKS = 2 ** 36; // block numbers of one device: up to 4 PiB each
const PENDING_MAX = 32 << 20; // bytes written and not put down
const KEPT_MAX = 32 << 20; // bytes of blocks as the database has them

export const database_of = (id) => `glassfs-${id}`;
export const BLOCK_BYTES = BLOCK;
export const first_key = (device) => device * DEVICE_BLOCKS;
export const device_range = (device) =>
    IDBKeyRange.bound(first_key(device), first_key(device + 1), false, true);

export const settled = (request) =>
    new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
    });

// Fails with NotFoundError rather than give zeros when a database that was there is gone.
export async function open_database(id, create = false) {
    const request = indexedDB.open(database_of(id), 1);
    let gone = false;
    request.onupgradeneeded = () => {
        gone = !create;
        if (gone) return request.transaction.abort();
        request.result.createObjectStore('blocks');
        request.result.createObjectStore('facts');
    };
    try {
        return await settled(request);
    } catch (error) {
        throw gone ? new DOMException(`no database ${database_of(id)}`, 'NotFoundError') : error;
    }
}

// One transaction, complete and durable when the promise is fulfilled; aborted when the volume belongs to
// somebody else. `fill` makes its requests on the object store of blocks, at once.
export function transact(database, generation, fill) {
    return new Promise((done, failed) => {
        const transaction = database.transaction(['blocks', 'facts'], 'readwrite', {
            durability: 'strict',
        });
        let fenced = false;
        const fact = transaction.objectStore('facts').get('generation');
        fact.onsuccess = () => {
            fenced = fact.result !== generation;
            if (fenced) transaction.abort();
        };
        transaction.oncomplete = () => done();
        transaction.onabort = () =>
            failed(
                fenced
                    ? new Error('another tab has taken this volume over')
                    : (transaction.error ?? new Error('the browser dropped the transaction')),
            );
        fill(transaction.objectStore('blocks'));
    });
}

// A connection closes when its last transaction has ended, and some browsers never notice that a worker
// ended before: the database could not be deleted then. So it waits for both.
export async function close_database(database) {
    try {
        const last = database.transaction(['blocks', 'facts'], 'readwrite');
        await new Promise((done) => {
            last.oncomplete = last.onabort = done;
        });
    } catch {
        /* the browser has closed it already */
    }
    database.close();
    await indexedDB.databases();
}

class IndexedDbStore {
    pending = new Map(); // block number -> Uint8Array, to be put
    dropped = []; // [first, behind] of block numbers that are to be deleted before anything is put
    kept = new Map(); // block number -> Uint8Array, or null where the database has none; oldest first

    constructor(database, generation) {
        this.database = database;
        this.generation = generation;
    }

    async #put_down() {
        if (!this.pending.size && !this.dropped.length) return;
        await transact(this.database, this.generation, (blocks) => {
            for (const [first, behind] of this.dropped)
                blocks.delete(IDBKeyRange.bound(first, behind, false, true));
            for (const [number, bytes] of this.pending) blocks.put(bytes, number);
        });
        for (const [number, bytes] of this.pending) this.#keep(number, bytes);
        this.pending.clear();
        this.dropped = [];
    }

    #keep(number, bytes) {
        this.kept.delete(number);
        this.kept.set(number, bytes);
        if (this.kept.size * BLOCK <= KEPT_MAX) return;
        this.kept.delete(this.kept.keys().next().value);
    }

    // undefined: not in memory. null: no such block.
    #at_hand(number) {
        const written = this.pending.get(number);
        if (written) return written;
        if (this.dropped.some(([first, behind]) => number >= first && number < behind)) return null;
        const bytes = this.kept.get(number);
        if (bytes !== undefined) this.#keep(number, bytes);
        return bytes;
    }

    // Fetches what is missing of [first, last], as few requests as it takes.
    async #fetch(first, last) {
        const blocks = this.database.transaction('blocks').objectStore('blocks');
        if (first === last) return [[first, (await settled(blocks.get(first))) ?? null]];
        const range = IDBKeyRange.bound(first, last);
        const [keys, values] = await Promise.all([
            settled(blocks.getAllKeys(range)),
            settled(blocks.getAll(range)),
        ]);
        const found = new Map(keys.map((key, i) => [key, values[i]]));
        return Array.from({ length: last - first + 1 }, (_, i) => [
            first + i,
            found.get(first + i) ?? null,
        ]);
    }

    // Calls `visit` with each block of a range, and where in the block and in `bytes` they meet.
    #for_each(device, at, length, visit) {
        for (let done = 0; done < length;) {
            const inside = (at + done) % BLOCK;
            const part = Math.min(BLOCK - inside, length - done);
            visit(first_key(device) + Math.floor((at + done) / BLOCK), inside, done, part);
            done += part;
        }
    }

    read(device, at, out) {
        let first_missing = -1,
            last_missing = -1;
        const fill = (number, bytes, inside, done, part) => {
            if (bytes) out.set(bytes.subarray(inside, inside + part), done);
            else out.fill(0, done, done + part);
        };
        this.#for_each(device, at, out.length, (number, inside, done, part) => {
            const bytes = this.#at_hand(number);
            if (bytes !== undefined) return fill(number, bytes, inside, done, part);
            if (first_missing < 0) first_missing = number;
            last_missing = number;
        });
        if (first_missing < 0) return undefined;
        return this.#fetch(first_missing, last_missing).then((list) => {
            const fetched = new Map(list);
            this.#for_each(device, at, out.length, (number, inside, done, part) => {
                if (this.#at_hand(number) !== undefined || !fetched.has(number)) return;
                this.#keep(number, fetched.get(number));
                fill(number, fetched.get(number), inside, done, part);
            });
        });
    }

    write(device, at, bytes) {
        const blocks = Math.ceil(bytes.length / BLOCK) + 1;
        const partly = []; // blocks whose other bytes aren't at hand: at most the first and the last
        this.#for_each(device, at, bytes.length, (number, inside, done, part) => {
            if (part < BLOCK && this.#at_hand(number) === undefined) partly.push(number);
        });
        const full = (this.pending.size + blocks) * BLOCK > PENDING_MAX;
        if (!partly.length && !full) return this.#take(device, at, bytes);
        return (async () => {
            if (full) await this.#put_down();
            for (const number of partly)
                for (const [key, value] of await this.#fetch(number, number)) this.#keep(key, value);
            this.#take(device, at, bytes);
        })();
    }

    #take(device, at, bytes) {
        this.#for_each(device, at, bytes.length, (number, inside, done, part) => {
            let block = this.pending.get(number);
            if (!block) {
                // A copy of its own: what is kept is what the database has.
                block = new Uint8Array(BLOCK);
                const before = part < BLOCK ? this.#at_hand(number) : null;
                if (before) block.set(before);
                this.pending.set(number, block);
                this.kept.delete(number);
            }
            block.set(bytes.subarray(done, done + part), inside);
        });
    }

    flush() {
        return this.#put_down();
    }

    // Whole blocks of the range are forgotten; they are deleted with the next transaction.
    discard(device, at, length) {
        const first = first_key(device) + Math.ceil(at / BLOCK);
        const behind = first_key(device) + Math.floor((at + length) / BLOCK);
        if (first >= behind) return;
        for (const map of [this.pending, this.kept])
            for (const number of map.keys()) if (number >= first && number < behind) map.delete(number);
        this.dropped.push([first, behind]);
    }

    close() {
        return close_database(this.database);
    }
}

// The volume's generation becomes the writer's, unless a newer one has it already.
export async function claim_database(volume, create) {
    const database = await open_database(volume.id, create);
    try {
        await new Promise((done, failed) => {
            const transaction = database.transaction('facts', 'readwrite', { durability: 'strict' });
            const facts = transaction.objectStore('facts');
            const known = facts.get('generation');
            let late = false;
            known.onsuccess = () => {
                late = known.result > volume.generation;
                if (late) transaction.abort();
                else facts.put(volume.generation, 'generation');
            };
            transaction.oncomplete = () => done();
            transaction.onabort = () =>
                failed(late ? new Error('another tab has taken this volume over') : transaction.error);
        });
    } catch (error) {
        database.close();
        throw error;
    }
    return database;
}

export async function open(volume, create) {
    return new IndexedDbStore(await claim_database(volume, create), volume.generation);
}
