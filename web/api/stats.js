// SPDX-License-Identifier: MIT
// Stats, BigIntStats, Dirent and StatFs as node's fs gives them.
import { constants } from './constants.js';

const { S_IFMT, S_IFREG, S_IFDIR, S_IFLNK, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK } = constants;

class AnyStats {
    #is(type) {
        return (Number(this.mode) & S_IFMT) === type;
    }
    isFile() {
        return this.#is(S_IFREG);
    }
    isDirectory() {
        return this.#is(S_IFDIR);
    }
    isSymbolicLink() {
        return this.#is(S_IFLNK);
    }
    isCharacterDevice() {
        return this.#is(S_IFCHR);
    }
    isBlockDevice() {
        return this.#is(S_IFBLK);
    }
    isFIFO() {
        return this.#is(S_IFIFO);
    }
    isSocket() {
        return this.#is(S_IFSOCK);
    }
    // Dates are made when they are asked for.
    get atime() {
        return new Date(Math.round(Number(this.atimeMs)));
    }
    get mtime() {
        return new Date(Math.round(Number(this.mtimeMs)));
    }
    get ctime() {
        return new Date(Math.round(Number(this.ctimeMs)));
    }
    get birthtime() {
        return new Date(Math.round(Number(this.birthtimeMs)));
    }
}

export class Stats extends AnyStats {
    constructor(n) {
        super();
        this.dev = n[0];
        this.mode = n[2];
        this.nlink = n[3];
        this.uid = n[4];
        this.gid = n[5];
        this.rdev = n[6];
        this.blksize = n[8];
        this.ino = n[1];
        this.size = n[7];
        this.blocks = n[9];
        this.atimeMs = n[10] * 1e3 + n[11] / 1e6;
        this.mtimeMs = n[12] * 1e3 + n[13] / 1e6;
        this.ctimeMs = n[14] * 1e3 + n[15] / 1e6;
        this.birthtimeMs = n[16] * 1e3 + n[17] / 1e6;
    }
}

export class BigIntStats extends AnyStats {
    constructor(n) {
        super();
        const names = ['dev', 'ino', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'size', 'blksize', 'blocks'];
        names.forEach((name, i) => (this[name] = BigInt(n[i])));
        ['atime', 'mtime', 'ctime', 'birthtime'].forEach((name, i) => {
            const ns = BigInt(n[10 + 2 * i]) * 1000000000n + BigInt(n[11 + 2 * i]);
            this[`${name}Ms`] = ns / 1000000n;
            this[`${name}Ns`] = ns;
        });
    }
}

const DIRENT_TYPES = [0, S_IFREG, S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK, S_IFLNK];

export class Dirent {
    #type;
    // `type`: as the core numbers them.
    constructor(name, parent, type) {
        this.name = name;
        this.parentPath = parent;
        this.path = parent;
        this.#type = DIRENT_TYPES[type];
    }
    isFile() {
        return this.#type === S_IFREG;
    }
    isDirectory() {
        return this.#type === S_IFDIR;
    }
    isSymbolicLink() {
        return this.#type === S_IFLNK;
    }
    isCharacterDevice() {
        return this.#type === S_IFCHR;
    }
    isBlockDevice() {
        return this.#type === S_IFBLK;
    }
    isFIFO() {
        return this.#type === S_IFIFO;
    }
    isSocket() {
        return this.#type === S_IFSOCK;
    }
}
