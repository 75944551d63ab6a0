// SPDX-License-Identifier: MIT
// The ...Sync functions of node's fs, where the core runs in the thread that asks: in node and in a worker.
import { bytes_of, decoded, flags_of, mode_of, options_of, path_of, seconds_of } from './arguments.js';
import { constants } from './constants.js';
import { coded } from './errors.js';
import { BigIntStats, Dirent, Stats } from './stats.js';

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
const decoder = new TextDecoder();

const on = (target) => (typeof target === 'number' ? target : path_of(target));
const stats_of = (numbers, bigint) => (bigint ? new BigIntStats(numbers) : new Stats(numbers));
const window = (bytes, offset = 0, length = bytes.byteLength - offset) =>
    new Uint8Array(bytes.buffer, bytes.byteOffset + offset, length);
const at = (position) => (position == null || position < 0 ? -1 : Number(position));
const durable = (outcome) => {
    if (outcome)
        throw coded(Error, 'ERR_STORE_NOT_SYNCHRONOUS', 'this store must be waited for: use sync()');
};

function of_files(invoke, masked, buffers) {
    const write = (target, data, given, flags) => {
        const options = options_of(given, { encoding: 'utf8' });
        const wanted = options.flag === undefined ? flags : flags_of(options.flag);
        const bytes = bytes_of(data, options.encoding);
        invoke('writeFile', on(target), bytes, wanted, masked(options.mode, 0o666));
    };
    return {
        appendFileSync: (path, data, options) => write(path, data, options, O_WRONLY | O_CREAT | O_APPEND),
        closeSync: (fd) => invoke('close', fd),
        copyFileSync: (from, to, mode = 0) => invoke('copyFile', path_of(from), path_of(to), mode),
        fchmodSync: (fd, mode) => invoke('chmod', fd, mode_of(mode)),
        fstatSync: (fd, options) => stats_of(invoke('stat', fd), options?.bigint),
        fsyncSync: (fd) => durable(invoke('fsync', fd)),
        ftruncateSync: (fd, length = 0) => invoke('truncate', fd, length),
        openSync: (path, flags, mode) =>
            invoke('open', path_of(path), flags_of(flags), masked(mode, 0o666)),
        readSync: (fd, out, offset, length, position) =>
            invoke('read_into', fd, at(position), window(out, offset, length)),
        readFileSync: (path, given) =>
            decoded(invoke('readFile', on(path)), options_of(given).encoding, buffers),
        syncSync: () => durable(invoke('sync')),
        truncateSync: (path, length = 0) => invoke('truncate', path_of(path), length),
        writeFileSync: (path, data, options) => write(path, data, options, O_WRONLY | O_CREAT | O_TRUNC),
        writeSync: (fd, data, offset, length, position) =>
            invoke('write', fd, at(position), window(data, offset, length)),
    };
}

function of_names(invoke, masked, buffers) {
    return {
        accessSync: (path) => invoke('access', path_of(path)),
        chmodSync: (path, mode) => invoke('chmod', path_of(path), mode_of(mode)),
        chownSync: (path, uid, gid) => invoke('chown', path_of(path), uid, gid),
        existsSync(path) {
            try {
                invoke('access', path_of(path));
                return true;
            } catch {
                return false;
            }
        },
        lchownSync: (path, uid, gid) => invoke('chown', path_of(path), uid, gid, false),
        linkSync: (from, to) => invoke('link', path_of(from), path_of(to)),
        lstatSync: (path, options) => stats_of(invoke('stat', path_of(path), false), options?.bigint),
        lutimesSync: (path, atime, mtime) =>
            invoke('utimes', path_of(path), seconds_of(atime), seconds_of(mtime), false),
        mkdirSync(path, options) {
            const { mode, recursive } =
                options !== null && typeof options === 'object' ? options : { mode: options };
            return invoke(recursive ? 'mkdir_all' : 'mkdir', path_of(path), masked(mode, 0o777));
        },
        readdirSync(path, given) {
            const options = options_of(given);
            const { count, types, names } = invoke('readdir', path_of(path));
            if (!count) return [];
            const list = decoder.decode(names.subarray(0, names.length - 1)).split('\0');
            return options.withFileTypes ? list.map((name, i) => new Dirent(name, path, types[i])) : list;
        },
        readlinkSync: (path, given) =>
            decoded(invoke('readlink', path_of(path)), options_of(given).encoding ?? 'utf8', buffers),
        realpathSync: (path) => invoke('realpath', path_of(path)),
        renameSync: (from, to) => invoke('rename', path_of(from), path_of(to)),
        rmSync: (path, { recursive = false, force = false } = {}) =>
            invoke('rm', path_of(path), recursive, force),
        rmdirSync: (path) => invoke('rmdir', path_of(path)),
        statSync: (path, options) => stats_of(invoke('stat', path_of(path)), options?.bigint),
        symlinkSync: (target, path) => invoke('symlink', path_of(target), path_of(path)),
        unlinkSync: (path) => invoke('unlink', path_of(path)),
        utimesSync: (path, atime, mtime) =>
            invoke('utimes', path_of(path), seconds_of(atime), seconds_of(mtime)),
    };
}

export function make_synchronous(invoke, { umask = 0o022, buffers } = {}) {
    const masked = (mode, otherwise) => mode_of(mode, otherwise) & ~umask;
    return { ...of_files(invoke, masked, buffers), ...of_names(invoke, masked, buffers) };
}
