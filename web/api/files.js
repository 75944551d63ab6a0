// SPDX-License-Identifier: MIT
// The operations of fs on a Core, synchronous, with plain arguments and results: what promises.js asks for,
// here or from another thread. Paths are strings or bytes; a `target` is a path, or a file descriptor as a
// number. stat gives the numbers that Stats is made of (stats.js); readdir { count, types, names }.
//
// sync(), fsync() and snapshot() alone may return a promise: of the store, where durable means more than a
// call that has returned (IndexedDB).
import { Core } from './core.js';
import { constants } from './constants.js';
import { coded, error_of_code, fs_error } from './errors.js';

const { S_IFDIR, S_IFLNK, S_IFMT } = constants;
const O_ACCMODE = 3;
const ENAMETOOLONG = 36;
const STAT_NUMBERS = 18;
const MODE = 2,
    INO = 1,
    DEV = 0,
    SUBVOLUME_ROOT = 256; // the number of its root's inode
const REMOVE_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const decoder = new TextDecoder();
const text_of = (path) => (typeof path === 'string' ? path : decoder.decode(path));

export function join(dir, name) {
    return dir.endsWith('/') ? dir + name : `${dir}/${name}`;
}
export function parent_of(path) {
    const bare = path.replace(/\/+$/, '');
    const cut = bare.lastIndexOf('/');
    return cut <= 0 ? (bare.startsWith('/') ? '/' : '.') : bare.slice(0, cut);
}

export class Files {
    #core;
    #calls;
    #store;

    constructor(core, store) {
        this.#core = core;
        this.#calls = core.calls;
        this.#store = store;
    }

    // ---- Calls

    #put(path, syscall, at = 0, first = undefined) {
        const length = this.#core.put(path, at);
        if (length >= 0) return length;
        throw first === undefined
            ? fs_error(ENAMETOOLONG, syscall, path)
            : fs_error(ENAMETOOLONG, syscall, first, path);
    }
    #done(code, syscall, path, dest) {
        if (code < 0) throw this.#core.error(code, syscall, path, dest);
        return code;
    }
    #one(call, syscall, path, ...rest) {
        return this.#done(call(this.#put(path, syscall), ...rest), syscall, path);
    }
    #two(call, syscall, from, to, ...rest) {
        const first = this.#put(from, syscall);
        const second = this.#put(to, syscall, first, from);
        return this.#done(call(first, second, ...rest), syscall, from, to);
    }
    #target(target, syscall) {
        return typeof target === 'number' ? -1 - target : this.#put(target, syscall);
    }
    #on(target, syscall, code) {
        return this.#done(code, syscall, typeof target === 'number' ? undefined : target);
    }

    // ---- Attributes

    stat(
        target,
        follow = true,
        syscall = typeof target === 'number' ? 'fstat' : follow ? 'stat' : 'lstat',
    ) {
        this.#on(target, syscall, this.#calls._glassfs_stat(this.#target(target, syscall), follow ? 1 : 0));
        return this.#core.numbers.slice(0, STAT_NUMBERS);
    }
    #stat_or_null(path, follow) {
        try {
            return this.stat(path, follow);
        } catch (error) {
            if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
            throw error;
        }
    }
    access(path) {
        this.stat(path, true, 'access');
    }
    chmod(target, mode) {
        const syscall = typeof target === 'number' ? 'fchmod' : 'chmod';
        const code = this.#calls._glassfs_setattr(
            this.#target(target, syscall),
            1,
            mode & 0o7777,
            -1,
            -1,
            0,
        );
        this.#on(target, syscall, code);
    }
    chown(target, uid, gid, follow = true) {
        const syscall = typeof target === 'number' ? 'fchown' : follow ? 'chown' : 'lchown';
        const at = this.#target(target, syscall);
        this.#on(target, syscall, this.#calls._glassfs_setattr(at, follow ? 1 : 0, -1, uid, gid, 0));
    }
    // Times in seconds.
    utimes(target, atime, mtime, follow = true) {
        const syscall = typeof target === 'number' ? 'futime' : follow ? 'utime' : 'lutime';
        const at = this.#target(target, syscall);
        const numbers = this.#core.numbers;
        [atime, mtime].forEach((time, i) => {
            const whole = Math.floor(time);
            numbers[2 * i] = whole;
            // A double holds times of today to a quarter of a microsecond.
            numbers[2 * i + 1] = Math.min(999999999, Math.round((time - whole) * 1e6) * 1e3);
        });
        this.#on(target, syscall, this.#calls._glassfs_setattr(at, follow ? 1 : 0, -1, -1, -1, 1));
    }
    statfs() {
        this.#done(this.#calls._glassfs_statfs(), 'statfs');
        const [bsize, total, used, free] = this.#core.numbers;
        return { bsize, total, used, free };
    }

    // ---- Files

    open(path, flags, mode) {
        return this.#one(this.#calls._glassfs_open_file, 'open', path, flags, mode);
    }
    close(fd) {
        this.#done(this.#calls._glassfs_close_file(fd), 'close');
    }
    #read_piece(fd, at, length) {
        const bytes = this.#core.transfer(length);
        const got = this.#done(this.#calls._glassfs_read(fd, at, length), 'read');
        // The memory may have grown.
        return bytes.length ? bytes.subarray(0, got) : this.#core.transfer(length).subarray(0, got);
    }
    // Fills `out`; returns how much there was. `at` < 0: at the position.
    read_into(fd, at, out) {
        let done = 0;
        while (done < out.length) {
            const part = Math.min(out.length - done, Core.piece);
            const got = this.#read_piece(fd, at < 0 ? at : at + done, part);
            out.set(got, done);
            done += got.length;
            if (got.length < part) break;
        }
        return done;
    }
    read(fd, at, length) {
        if (length <= Core.piece) return this.#read_piece(fd, at, length).slice();
        const out = new Uint8Array(length);
        const got = this.read_into(fd, at, out);
        return got === length ? out : out.slice(0, got);
    }
    write(fd, at, data) {
        for (let done = 0; done < data.length; ) {
            const part = Math.min(data.length - done, Core.piece);
            this.#core.transfer(part).set(part === data.length ? data : data.subarray(done, done + part));
            const put = this.#done(this.#calls._glassfs_write(fd, at < 0 ? at : at + done, part), 'write');
            done += put;
            if (put < part) {
                if (done) return done;
                throw error_of_code('ENOSPC', 'write');
            }
        }
        return data.length;
    }
    // From the position on; a file that is open for appending grows.
    #write_rest(fd, data) {
        for (let done = 0; done < data.length; ) done += this.write(fd, -1, data.subarray(done));
    }
    truncate(target, size) {
        const syscall = typeof target === 'number' ? 'ftruncate' : 'open';
        const at = this.#target(target, syscall);
        this.#on(target, syscall, this.#calls._glassfs_truncate(at, Math.max(0, size)));
    }
    readFile(target) {
        if (typeof target === 'number') return this.#read_to_end(target);
        const code = this.#calls._glassfs_read_file(this.#put(target, 'open'), Core.whole_max);
        if (code === -21) throw this.#core.error(code, 'read');
        this.#done(code, 'open', target);
        if (this.#core.numbers[0] >= 0) return this.#core.output();
        const fd = this.open(target, 0, 0);
        try {
            return this.#read_to_end(fd);
        } finally {
            this.close(fd);
        }
    }
    #read_to_end(fd) {
        const parts = [];
        let size = 0;
        for (;;) {
            const part = this.#read_piece(fd, -1, Core.piece).slice();
            if (part.length === 0) break;
            parts.push(part);
            size += part.length;
        }
        if (parts.length === 1) return parts[0];
        const out = new Uint8Array(size);
        let at = 0;
        for (const part of parts) {
            out.set(part, at);
            at += part.length;
        }
        return out;
    }
    writeFile(target, data, flags, mode) {
        if (typeof target === 'number') return this.#write_rest(target, data);
        const length = data.length;
        if (length > Core.piece || (flags & O_ACCMODE) === 0) {
            const fd = this.open(target, flags, mode);
            try {
                this.#write_rest(fd, data);
            } finally {
                this.close(fd);
            }
            return;
        }
        this.#core.transfer(length).set(data);
        this.#one(this.#calls._glassfs_write_file, 'open', target, flags, mode, length);
    }
    copyFile(from, to, flags) {
        const exclusive = flags & constants.COPYFILE_EXCL ? 1 : 0;
        this.#two(this.#calls._glassfs_copy_file, 'copyfile', from, to, exclusive);
    }

    // ---- Names

    readdir(path) {
        const count = this.#one(this.#calls._glassfs_readdir, 'scandir', path);
        const bytes = this.#core.output();
        return { count, types: bytes.subarray(0, count), names: bytes.subarray(count) };
    }
    names(path) {
        const { count, names } = this.readdir(path);
        return count ? decoder.decode(names.subarray(0, names.length - 1)).split('\0') : [];
    }
    mkdir(path, mode) {
        this.#one(this.#calls._glassfs_mkdir, 'mkdir', path, mode);
    }
    // The first directory that it had to make, or undefined.
    mkdir_all(given, mode) {
        const path = text_of(given);
        try {
            this.mkdir(path, mode);
            return path;
        } catch (error) {
            if (error.code === 'EEXIST') {
                if ((this.stat(path)[MODE] & S_IFMT) === S_IFDIR) return undefined;
                throw error;
            }
            if (error.code !== 'ENOENT') throw error;
        }
        const above = parent_of(path);
        if (above === path || above === '.') throw error_of_code('ENOENT', 'mkdir', path);
        const first = this.mkdir_all(above, mode);
        const own = this.mkdir_all(path, mode);
        return first ?? own;
    }
    rmdir(path) {
        this.#one(this.#calls._glassfs_rmdir, 'rmdir', path);
    }
    unlink(path) {
        this.#one(this.#calls._glassfs_unlink, 'unlink', path);
    }
    rm(given, recursive, force) {
        const path = text_of(given);
        let numbers;
        try {
            numbers = this.stat(path, false, 'lstat');
        } catch (error) {
            if (force && error.code === 'ENOENT') return;
            throw error;
        }
        if ((numbers[MODE] & S_IFMT) !== S_IFDIR) return this.unlink(path);
        if (!recursive) {
            const message = `Path is a directory: rm returned EISDIR (is a directory) ${path}`;
            throw Object.assign(coded(Error, 'ERR_FS_EISDIR', message), { errno: 21, syscall: 'rm', path });
        }
        this.#remove_tree(path);
    }
    #remove_tree(path) {
        const { count, types } = this.readdir(path);
        const names = count ? this.names(path) : [];
        names.forEach((name, i) => {
            const inside = join(path, name);
            if (types[i] === 2) this.#remove_tree(inside);
            else this.unlink(inside);
        });
        this.#remove_directory(path);
    }
    #remove_directory(path) {
        try {
            this.rmdir(path);
        } catch (error) {
            if (error.code !== 'EPERM') throw error;
            this.delete_subvolume(path);
        }
    }
    rename(from, to) {
        this.#two(this.#calls._glassfs_rename, 'rename', from, to);
    }
    link(from, to) {
        this.#two(this.#calls._glassfs_link, 'link', from, to);
    }
    symlink(target, path) {
        this.#two(this.#calls._glassfs_symlink, 'symlink', target, path);
    }
    readlink(path) {
        this.#one(this.#calls._glassfs_readlink, 'readlink', path);
        return this.#core.output();
    }
    mkdtemp(prefix) {
        for (;;) {
            let path = text_of(prefix);
            for (const byte of crypto.getRandomValues(new Uint8Array(6)))
                path += REMOVE_LETTERS[byte % REMOVE_LETTERS.length];
            try {
                this.#one(this.#calls._glassfs_mkdir, 'mkdtemp', path, 0o700);
                return path;
            } catch (error) {
                if (error.code !== 'EEXIST')
                    throw Object.assign(error, { path: `${text_of(prefix)}XXXXXX` });
            }
        }
    }
    realpath(path) {
        this.stat(path, true, 'realpath');
        const todo = text_of(path).split('/').reverse();
        let at = '/';
        while (todo.length) {
            const name = todo.pop();
            if (name === '' || name === '.') continue;
            if (name === '..') {
                at = parent_of(at);
                continue;
            }
            const next = join(at, name);
            if ((this.stat(next, false)[MODE] & S_IFMT) !== S_IFLNK) {
                at = next;
                continue;
            }
            const target = decoder.decode(this.readlink(next));
            if (target.startsWith('/')) at = '/';
            todo.push(...target.split('/').reverse());
        }
        return at;
    }

    // ---- Copies of trees

    // { recursive, force, errorOnExist, dereference, preserveTimestamps, verbatimSymlinks } as fs.cp has
    // them.
    cp(from, to, options) {
        const source = this.stat(from, !!options.dereference, 'lstat');
        const type = source[MODE] & S_IFMT;
        const old = this.#stat_or_null(to, !!options.dereference);
        this.#check_cp(from, to, source, old, options);
        if (type === S_IFDIR) {
            if (!old) this.mkdir_all(to, 0o777);
            for (const name of this.names(from)) this.cp(join(from, name), join(to, name), options);
            if (!old) this.chmod(to, source[MODE]);
            return;
        }
        if (old && options.force === false) return;
        if (!old) this.mkdir_all(parent_of(to), 0o777);
        if (type === S_IFLNK) {
            if (old) this.unlink(to);
            this.symlink(this.#link_target(from, options.verbatimSymlinks), to);
            return;
        }
        this.copyFile(from, to, 0);
        this.chmod(to, source[MODE]);
        if (options.preserveTimestamps)
            this.utimes(to, source[10] + source[11] / 1e9, source[12] + source[13] / 1e9);
    }
    // Node's refusals.
    #check_cp(from, to, source, old, options) {
        const refuse = (code, errno, path, text) => {
            throw Object.assign(coded(Error, code, text), { errno, syscall: 'cp', path });
        };
        const directory = (source[MODE] & S_IFMT) === S_IFDIR;
        const into_directory = old && (old[MODE] & S_IFMT) === S_IFDIR;
        if (old && old[INO] === source[INO] && old[DEV] === source[DEV])
            refuse(
                'ERR_FS_CP_EINVAL',
                22,
                to,
                `Invalid src or dest: src and dest cannot be the same: ${to}`,
            );
        if (directory && old && !into_directory)
            refuse(
                'ERR_FS_CP_DIR_TO_NON_DIR',
                21,
                to,
                `Cannot overwrite non-directory with directory: ${to}`,
            );
        if (!directory && into_directory)
            refuse(
                'ERR_FS_CP_NON_DIR_TO_DIR',
                20,
                to,
                `Cannot overwrite directory with non-directory: ${to}`,
            );
        if (directory && join(to, '').startsWith(join(from, '')))
            refuse('ERR_FS_CP_EINVAL', 22, to, `Cannot copy ${from} to a subdirectory of self: ${to}`);
        if (directory && !options.recursive)
            refuse(
                'ERR_FS_EISDIR',
                21,
                from,
                `Recursive option not enabled, cannot copy a directory: ${from}`,
            );
        if (!directory && old && options.force === false && options.errorOnExist)
            refuse('ERR_FS_CP_EEXIST', 17, to, `Target already exists: ${to}`);
    }
    #link_target(path, verbatim) {
        const target = decoder.decode(this.readlink(path));
        return verbatim || target.startsWith('/') ? target : join(parent_of(path), target);
    }

    // ---- Durability

    sync() {
        this.#done(this.#calls._glassfs_sync(), 'sync');
        return this.#store.settle?.();
    }
    fsync(fd) {
        this.#done(this.#calls._glassfs_fsync(fd), 'fsync');
        return this.#store.settle?.();
    }

    // ---- Subvolumes

    subvolume(path) {
        this.#one(this.#calls._glassfs_create_subvolume, 'subvolume', path);
    }
    // `source`: the path of a subvolume, or its id.
    snapshot(source, path, read_only) {
        const kind = read_only ? 1 : 0;
        if (typeof source === 'number') {
            this.#core.numbers[0] = source;
            const call = (length) => this.#calls._glassfs_snapshot(-1, length, kind);
            this.#one(call, 'snapshot', path);
        } else this.#two(this.#calls._glassfs_snapshot, 'snapshot', source, path, kind);
        return this.#store.settle?.();
    }
    delete_subvolume(path) {
        this.#one(this.#calls._glassfs_delete_subvolume, 'subvolume', path);
    }
    subvolumes() {
        this.#done(this.#calls._glassfs_subvolumes(), 'subvolumes');
        return JSON.parse(this.#core.output_text());
    }
    // By id, by path, or, since a snapshot doesn't hold what was nested in its source, by path from the top
    // level.
    subvolume_id(given) {
        if (typeof given === 'number') return given;
        const path = text_of(given);
        try {
            const numbers = this.stat(path);
            if (numbers[INO] === SUBVOLUME_ROOT) return numbers[DEV];
        } catch (error) {
            if (error.code !== 'ENOENT') throw error;
        }
        const bare = path.replace(/^\/+|\/+$/g, '');
        const found = this.subvolumes().find((one) => one.path === bare);
        if (!found) throw error_of_code('EINVAL', 'rollback', path);
        return found.id;
    }
    // To be followed by closing and opening the core. Returns what to give to remove_old_root() then.
    roll_back(snapshot) {
        this.#done(this.#calls._glassfs_roll_back(this.subvolume_id(snapshot)), 'rollback');
        return this.#core.numbers[0];
    }
    remove_old_root(tree) {
        return this.#calls._glassfs_remove_old_root(tree) === 0;
    }
    exchange(one, other) {
        this.#two(this.#calls._glassfs_exchange, 'rename', one, other);
    }
    check(data) {
        this.#done(this.#calls._glassfs_check(data ? 1 : 0), 'check');
        return JSON.parse(this.#core.output_text());
    }
}
