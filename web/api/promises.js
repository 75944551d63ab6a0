// SPDX-License-Identifier: MIT
// fs.promises on top of `invoke(operation, ...arguments)`, which runs an operation of files.js here (a value,
// or a promise of sync and fsync) or in a worker (a promise).
import {
    bytes_of,
    decoded,
    flags_of,
    mode_of,
    options_of,
    path_of,
    seconds_of,
    wrong_type,
} from './arguments.js';
import { constants } from './constants.js';
import { coded } from './errors.js';
import { FileHandle } from './file_handle.js';
import { BigIntStats, Dirent, Stats } from './stats.js';

const { O_CREAT, O_WRONLY, O_TRUNC, O_APPEND } = constants;
const WRITE = O_WRONLY | O_CREAT | O_TRUNC;
const APPEND = O_WRONLY | O_CREAT | O_APPEND;
const BTRFS = 0x9123683e; // statfs's f_type
const DIRECTORY = 2; // in the types of a listing
const ABORTED = 'The operation was aborted';

const decoder = new TextDecoder();

function check_signal(signal) {
    if (!signal?.aborted) return;
    const error = new Error(ABORTED, { cause: signal.reason });
    error.name = 'AbortError';
    error.code = 'ABORT_ERR';
    throw error;
}

// The names of a listing, as text or bytes.
function names_of({ count, names }, encoding, buffers) {
    if (!count) return [];
    if (encoding !== 'buffer') return decoder.decode(names.subarray(0, names.length - 1)).split('\0');
    const out = [];
    for (let at = 0; at < names.length; ) {
        const end = names.indexOf(0, at);
        out.push(decoded(names.slice(at, end), 'buffer', buffers));
        at = end + 1;
    }
    return out;
}

const text_of = (path) => (typeof path === 'string' ? path : decoder.decode(path));
const stats_of = (numbers, bigint) => (bigint ? new BigIntStats(numbers) : new Stats(numbers));

// What writeFile takes, as bytes: whole data, or what an iterable gives.
async function collect(data, encoding) {
    if (typeof data === 'string' || ArrayBuffer.isView(data) || data instanceof ArrayBuffer)
        return bytes_of(data, encoding);
    if (!data?.[Symbol.asyncIterator] && !data?.[Symbol.iterator]) return bytes_of(data, encoding);
    const parts = [];
    for await (const part of data) parts.push(bytes_of(part, encoding));
    const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (out.set(part, at), at + part.length), 0);
    return out;
}

const inside = (dir, name) => (dir.endsWith('/') ? dir + name : `${dir}/${name}`);

// A function for each of fs.promises; make_promises() binds them.
class Operations {
    #invoke;
    #umask;
    #buffers;

    constructor(invoke, umask, buffers) {
        this.#invoke = invoke;
        this.#umask = umask;
        this.#buffers = buffers;
    }

    #target(target, name) {
        return target instanceof FileHandle ? target.fd : path_of(target, name);
    }
    #masked(mode, otherwise) {
        return mode_of(mode, otherwise) & ~this.#umask;
    }

    // ---- Attributes

    async access(path, mode = 0) {
        if (typeof mode !== 'number') throw wrong_type('mode', 'of type number', mode);
        await this.#invoke('access', path_of(path));
    }
    async chmod(path, mode) {
        await this.#invoke('chmod', path_of(path), mode_of(mode));
    }
    async chown(path, uid, gid) {
        await this.#invoke('chown', path_of(path), uid, gid);
    }
    async lchown(path, uid, gid) {
        await this.#invoke('chown', path_of(path), uid, gid, false);
    }
    // The number of waits is what a call here costs most: none for a value that is there.
    async stat(path, options) {
        const numbers = this.#invoke('stat', path_of(path));
        return stats_of(numbers instanceof Float64Array ? numbers : await numbers, options?.bigint);
    }
    async lstat(path, options) {
        const numbers = this.#invoke('stat', path_of(path), false);
        return stats_of(numbers instanceof Float64Array ? numbers : await numbers, options?.bigint);
    }
    async statfs(path, options) {
        await this.#invoke('access', path_of(path));
        const { bsize, total, used, free } = await this.#invoke('statfs');
        const blocks = (bytes) => Math.floor(bytes / bsize);
        const out = { type: BTRFS, bsize, blocks: blocks(total), bfree: blocks(total - used) };
        Object.assign(out, { bavail: blocks(free), files: 0, ffree: 0 });
        if (options?.bigint) for (const name of Object.keys(out)) out[name] = BigInt(out[name]);
        return out;
    }
    async utimes(path, atime, mtime) {
        await this.#invoke('utimes', path_of(path), seconds_of(atime, 'atime'), seconds_of(mtime, 'mtime'));
    }
    async lutimes(path, atime, mtime) {
        const times = [seconds_of(atime, 'atime'), seconds_of(mtime, 'mtime')];
        await this.#invoke('utimes', path_of(path), ...times, false);
    }

    // ---- Files

    async open(path, flags, mode) {
        const fd = await this.#invoke('open', path_of(path), flags_of(flags), this.#masked(mode, 0o666));
        return new FileHandle(fd, this.#invoke, { promises: this, buffers: this.#buffers, stats_of });
    }
    async readFile(path, given) {
        const options = options_of(given);
        check_signal(options.signal);
        const target = this.#target(path);
        const flags = options.flag === undefined ? 0 : flags_of(options.flag);
        const plain = flags === 0 || typeof target === 'number';
        const read = plain ? this.#invoke('readFile', target) : this.#read_with(target, flags);
        const bytes = read instanceof Uint8Array ? read : await read;
        return decoded(bytes, options.encoding, this.#buffers);
    }
    async #read_with(path, flags) {
        const fd = await this.#invoke('open', path, flags, this.#masked(undefined, 0o666));
        try {
            return await this.#invoke('readFile', fd);
        } finally {
            await this.#invoke('close', fd);
        }
    }
    async writeFile(path, data, options) {
        await this.#write_whole(path, data, options, WRITE);
    }
    async appendFile(path, data, options) {
        await this.#write_whole(path, data, options, APPEND);
    }
    #write_whole(target, data, given, flags) {
        const on = this.#target(target);
        if (given === undefined && data instanceof Uint8Array)
            return this.#invoke('writeFile', on, data, flags, 0o666 & ~this.#umask);
        return this.#write_with(on, data, options_of(given, { encoding: 'utf8' }), flags);
    }
    async #write_with(on, data, options, flags) {
        check_signal(options.signal);
        const bytes = data instanceof Uint8Array ? data : await collect(data, options.encoding);
        check_signal(options.signal);
        const wanted = options.flag === undefined ? flags : flags_of(options.flag);
        await this.#invoke('writeFile', on, bytes, wanted, this.#masked(options.mode, 0o666));
        if (options.flush) await this.#invoke(typeof on === 'number' ? 'fsync' : 'sync', on);
    }
    async truncate(path, length = 0) {
        await this.#invoke('truncate', path_of(path), length);
    }
    async copyFile(from, to, mode = 0) {
        await this.#invoke('copyFile', path_of(from, 'src'), path_of(to, 'dest'), mode);
    }
    async cp(from, to, options = {}) {
        const { filter, ...rest } = options;
        if (filter) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'cp with a filter is not there');
        await this.#invoke('cp', text_of(path_of(from, 'src')), text_of(path_of(to, 'dest')), rest);
    }

    // ---- Names

    async link(from, to) {
        await this.#invoke('link', path_of(from, 'existingPath'), path_of(to, 'newPath'));
    }
    async symlink(target, path) {
        await this.#invoke('symlink', path_of(target, 'target'), path_of(path));
    }
    async readlink(path, options) {
        const bytes = await this.#invoke('readlink', path_of(path));
        return decoded(bytes, options_of(options).encoding ?? 'utf8', this.#buffers);
    }
    async realpath(path, options) {
        const real = await this.#invoke('realpath', path_of(path));
        if (options_of(options).encoding !== 'buffer') return real;
        return decoded(bytes_of(real), 'buffer', this.#buffers);
    }
    async mkdir(path, options) {
        const { mode, recursive } =
            options !== null && typeof options === 'object' ? options : { mode: options };
        const operation = recursive ? 'mkdir_all' : 'mkdir';
        const made = await this.#invoke(operation, path_of(path), this.#masked(mode, 0o777));
        return recursive ? made : undefined;
    }
    async mkdtemp(prefix, options) {
        const path = await this.#invoke('mkdtemp', path_of(prefix, 'prefix'));
        return options_of(options).encoding === 'buffer' ? bytes_of(path) : path;
    }
    async readdir(path, given) {
        const from = path_of(path);
        if (given === undefined) {
            const listing = this.#invoke('readdir', from);
            return names_of(listing.then ? await listing : listing);
        }
        const options = options_of(given);
        if (options.recursive) return this.#list_all(text_of(from), options, '', []);
        const { names, entries } = await this.#list(from, options);
        return entries ?? names;
    }
    async #list(path, options) {
        const listing = await this.#invoke('readdir', path);
        const names = names_of(listing, options.encoding, this.#buffers);
        const { types } = listing;
        if (!options.withFileTypes) return { names, types };
        const entries = names.map((name, i) => new Dirent(name, text_of(path), types[i]));
        return { names, types, entries };
    }
    async #list_all(path, options, prefix, out) {
        const { names, types, entries } = await this.#list(path, options);
        const below = (name) => (prefix ? inside(prefix, name) : name);
        names.forEach((name, i) => out.push(entries ? entries[i] : below(name)));
        for (let i = 0; i < names.length; ++i)
            if (types[i] === DIRECTORY)
                await this.#list_all(inside(path, names[i]), options, below(names[i]), out);
        return out;
    }
    async rename(from, to) {
        await this.#invoke('rename', path_of(from, 'oldPath'), path_of(to, 'newPath'));
    }
    async rm(path, { recursive = false, force = false } = {}) {
        await this.#invoke('rm', path_of(path), recursive, force);
    }
    async rmdir(path) {
        await this.#invoke('rmdir', path_of(path));
    }
    async unlink(path) {
        await this.#invoke('unlink', path_of(path));
    }
}

// `umask` is taken from the modes of new files. `buffers` makes node's Buffer of bytes.
export function make_promises(invoke, { umask = 0o022, buffers } = {}) {
    const operations = new Operations(invoke, umask, buffers);
    const promises = { constants };
    for (const name of Object.getOwnPropertyNames(Operations.prototype))
        if (name !== 'constructor') promises[name] = operations[name].bind(operations);
    return promises;
}
