// SPDX-License-Identifier: MIT
// A device in memory: what was never written takes no room.
const BLOCK = 64 << 10;

export class MemoryStore {
    #devices = []; // of Maps: block number -> Uint8Array
    discards = true;

    constructor(devices) {
        this.#devices = Array.from({ length: devices }, () => new Map());
    }

    #for_each(at, length, visit) {
        for (let done = 0; done < length; ) {
            const inside = (at + done) % BLOCK;
            const part = Math.min(BLOCK - inside, length - done);
            visit(Math.floor((at + done) / BLOCK), inside, done, part);
            done += part;
        }
    }

    read(device, at, out) {
        const blocks = this.#devices[device];
        this.#for_each(at, out.length, (number, inside, done, part) => {
            const block = blocks.get(number);
            if (block) out.set(block.subarray(inside, inside + part), done);
            else out.fill(0, done, done + part);
        });
    }

    write(device, at, bytes) {
        const blocks = this.#devices[device];
        this.#for_each(at, bytes.length, (number, inside, done, part) => {
            let block = blocks.get(number);
            if (!block) blocks.set(number, (block = new Uint8Array(BLOCK)));
            block.set(bytes.subarray(done, done + part), inside);
        });
    }

    flush() {}

    discard(device, at, length) {
        const first = Math.ceil(at / BLOCK),
            behind = Math.floor((at + length) / BLOCK);
        for (let number = first; number < behind; ++number) this.#devices[device].delete(number);
    }

    *pieces(device) {
        const blocks = this.#devices[device];
        for (const number of [...blocks.keys()].sort((a, b) => a - b))
            yield [number * BLOCK, blocks.get(number)];
    }

    close() {}
}
