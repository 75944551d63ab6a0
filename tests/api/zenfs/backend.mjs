// SPDX-License-Identifier: MIT
// glassfs as a file system of ZenFS, for ZenFS's own tests. ZenFS makes a symlink of a file that holds the
// target, by its mode, and reads and writes it as a file from then on.
import { FileSystem } from '@zenfs/core';

const S_IFMT = 0o170000,
    S_IFDIR = 0o40000,
    S_IFLNK = 0o120000;
const MAGIC = 0x9123683e;

export class GlassFileSystem extends FileSystem {
    #fs;

    constructor(fs) {
        super(MAGIC, 'glassfs');
        this.#fs = fs;
    }

    usage() {
        return { totalSpace: this.#fs.info.size, freeSpace: this.#fs.info.size };
    }
    renameSync(from, to) {
        this.#fs.renameSync(from, to);
    }
    statSync(path) {
        const { dev, blksize, blocks, ...inode } = this.#fs.lstatSync(path);
        return { ...inode, data: inode.ino, flags: 0 };
    }
    touchSync(path, { mode, uid, gid, atimeMs, mtimeMs, size }) {
        let now = this.#fs.lstatSync(path);
        if (now.isFile() && (mode & S_IFMT) === S_IFLNK) {
            this.#become_link(path, this.#fs.readFileSync(path), now);
            now = this.#fs.lstatSync(path);
        }
        const link = now.isSymbolicLink();
        if (size !== undefined && now.isFile() && size !== now.size) this.#fs.truncateSync(path, size);
        if (uid !== undefined || gid !== undefined)
            this.#fs.lchownSync(path, uid ?? now.uid, gid ?? now.gid);
        if (mode !== undefined && !link) this.#fs.chmodSync(path, mode & 0o7777);
        if (atimeMs !== undefined || mtimeMs !== undefined)
            this.#fs.lutimesSync(path, (atimeMs ?? now.atimeMs) / 1000, (mtimeMs ?? now.mtimeMs) / 1000);
    }
    #become_link(path, target, { uid, gid }) {
        this.#fs.unlinkSync(path);
        this.#fs.symlinkSync(target, path);
        this.#fs.lchownSync(path, uid, gid);
    }
    createFileSync(path, { mode, uid, gid }) {
        if ((mode & S_IFMT) === S_IFLNK) this.#fs.symlinkSync('?', path);
        else if ((mode & S_IFMT) === S_IFDIR) this.#fs.mkdirSync(path, mode & 0o7777);
        else this.#fs.closeSync(this.#fs.openSync(path, 'wx', mode & 0o7777));
        this.#fs.lchownSync(path, uid, gid);
        return this.statSync(path);
    }
    mkdirSync(path, { mode, uid, gid }) {
        this.#fs.mkdirSync(path, mode & 0o7777);
        this.#fs.lchownSync(path, uid, gid);
        return this.statSync(path);
    }
    unlinkSync(path) {
        this.#fs.unlinkSync(path);
    }
    rmdirSync(path) {
        this.#fs.rmdirSync(path);
    }
    readdirSync(path) {
        return this.#fs.readdirSync(path);
    }
    linkSync(target, path) {
        this.#fs.linkSync(target, path);
    }
    syncSync() {
        this.#fs.syncSync();
    }
    readSync(path, buffer, start, end) {
        if (this.#fs.lstatSync(path).isSymbolicLink()) {
            const target = new TextEncoder().encode(this.#fs.readlinkSync(path));
            buffer.set(target.subarray(start, end));
            return;
        }
        const fd = this.#fs.openSync(path, 'r');
        try {
            this.#fs.readSync(fd, buffer, 0, end - start, start);
        } finally {
            this.#fs.closeSync(fd);
        }
    }
    writeSync(path, buffer, offset) {
        if (this.#fs.lstatSync(path).isSymbolicLink()) {
            this.#become_link(path, buffer, this.#fs.lstatSync(path));
            return;
        }
        const fd = this.#fs.openSync(path, 'r+');
        try {
            this.#fs.writeSync(fd, buffer, 0, buffer.length, offset);
        } finally {
            this.#fs.closeSync(fd);
        }
    }
}
for (const name of [
    'rename',
    'stat',
    'touch',
    'createFile',
    'mkdir',
    'unlink',
    'rmdir',
    'readdir',
    'link',
    'sync',
    'read',
    'write',
])
    GlassFileSystem.prototype[name] = async function (...given) {
        return this[`${name}Sync`](...given);
    };
