// SPDX-License-Identifier: MIT
// A device in a file of node's. A file that ends early is read as if zeros followed.
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE = 1 << 20;

export class FileStore {
    #fd;
    #size;

    // With `create_size` a file that isn't there is made, with that size.
    static open(path, create_size) {
        let fd,
            fresh = false;
        try {
            fd = openSync(path, 'r+');
        } catch (error) {
            if (error.code !== 'ENOENT' || !create_size) throw error;
            fd = openSync(path, 'wx+');
            fresh = true;
        }
        if (fresh) ftruncateSync(fd, create_size);
        const { size } = fstatSync(fd);
        return { store: new FileStore(fd, size), size, fresh };
    }
    constructor(fd, size) {
        this.#fd = fd;
        this.#size = size;
    }

    read(_device, at, out) {
        for (let done = 0; done < out.length; ) {
            const part = readSync(this.#fd, out, done, out.length - done, at + done);
            if (part === 0) {
                out.fill(0, done);
                return;
            }
            done += part;
        }
    }
    write(_device, at, bytes) {
        for (let done = 0; done < bytes.length; )
            done += writeSync(this.#fd, bytes, done, bytes.length - done, at + done);
    }
    flush() {
        fsyncSync(this.#fd);
    }
    discard() {}

    *pieces() {
        for (let at = 0; at < this.#size; at += PIECE) {
            const bytes = new Uint8Array(Math.min(PIECE, this.#size - at));
            this.read(0, at, bytes);
            if (bytes.some((byte) => byte !== 0)) yield [at, bytes];
        }
    }
    close() {
        closeSync(this.#fd);
    }
}
