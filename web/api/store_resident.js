// SPDX-License-Identifier: MIT
// The devices of a volume that is kept in IndexedDB, as the page's own store has them
// (page/store_indexeddb.js), with every block in memory: so that reads and writes are answered at once,
// without shared memory to wait on.
//
// Writes and discards stay in memory until settle(), which puts all of them into one transaction with strict
// durability: a state between two operations is there as a whole after a crash, or the one before. flush()
// has no meaning of its own then.
import {
    BLOCK_BYTES as BLOCK,
    claim_database,
    close_database,
    first_key,
    settled,
    transact,
} from '../page/store_indexeddb.js';

export class ResidentStore {
    #blocks = new Map(); // block number -> Uint8Array; what is missing is zeros
    #changed = new Set(); // block numbers that the database has differently
    #last = Promise.resolve(); // the transaction that was begun last
    #failed = null; // of a transaction: nothing more is believed to be durable then
    discards = true;

    constructor(database, generation) {
        this.database = database;
        this.generation = generation;
    }

    async load() {
        const blocks = this.database.transaction('blocks').objectStore('blocks');
        const [keys, values] = await Promise.all([settled(blocks.getAllKeys()), settled(blocks.getAll())]);
        keys.forEach((key, i) => this.#blocks.set(key, values[i]));
    }

    #for_each(device, at, length, visit) {
        for (let done = 0; done < length; ) {
            const inside = (at + done) % BLOCK;
            const part = Math.min(BLOCK - inside, length - done);
            visit(first_key(device) + Math.floor((at + done) / BLOCK), inside, done, part);
            done += part;
        }
    }

    read(device, at, out) {
        this.#for_each(device, at, out.length, (number, inside, done, part) => {
            const block = this.#blocks.get(number);
            if (block) out.set(block.subarray(inside, inside + part), done);
            else out.fill(0, done, done + part);
        });
    }

    write(device, at, bytes) {
        this.#for_each(device, at, bytes.length, (number, inside, done, part) => {
            let block = this.#blocks.get(number);
            if (!block) this.#blocks.set(number, (block = new Uint8Array(BLOCK)));
            block.set(bytes.subarray(done, done + part), inside);
            this.#changed.add(number);
        });
    }

    flush() {}

    discard(device, at, length) {
        const first = first_key(device) + Math.ceil(at / BLOCK);
        const behind = first_key(device) + Math.floor((at + length) / BLOCK);
        for (let number = first; number < behind; ++number)
            if (this.#blocks.delete(number)) this.#changed.add(number);
    }

    // Resolves when all that was written before the call is durable.
    settle() {
        if (this.#failed) return Promise.reject(this.#failed);
        if (this.#changed.size) {
            const changed = this.#changed;
            this.#changed = new Set();
            const written = transact(this.database, this.generation, (blocks) => {
                // put() copies at once.
                for (const number of changed) {
                    const block = this.#blocks.get(number);
                    if (block) blocks.put(block, number);
                    else blocks.delete(number);
                }
            });
            this.#last = Promise.all([this.#last, written]).then(() => {});
            this.#last.catch((error) => (this.#failed ??= error));
        }
        return this.#last;
    }

    // [at, bytes] of what was ever written to a device, in order.
    *pieces(device) {
        const first = first_key(device),
            behind = first_key(device + 1);
        const numbers = [...this.#blocks.keys()].filter((number) => number >= first && number < behind);
        for (const number of numbers.sort((a, b) => a - b))
            yield [(number - first) * BLOCK, this.#blocks.get(number)];
    }

    close() {
        return close_database(this.database);
    }
}

export async function open(volume, create) {
    const store = new ResidentStore(await claim_database(volume, create), volume.generation);
    await store.load();
    return store;
}
