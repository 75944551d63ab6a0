// SPDX-License-Identifier: MIT
//
// For --js-library of programs that run in node: where Emscripten 3.1.69 doesn't let the machine do what it
// can.
addToLibrary({
    // Emscripten's hands the paths on as addresses instead of strings.
    __syscall_symlinkat__deps: ["$FS", "$SYSCALLS"],
    __syscall_symlinkat__proxy: "sync",
    __syscall_symlinkat: (target, directory, link) => {
        try {
            FS.symlink(SYSCALLS.getStr(target), SYSCALLS.calculateAt(directory, SYSCALLS.getStr(link)));
            return 0;
        } catch (error) {
            if (error.name !== "ErrnoError") throw error;
            return -error.errno;
        }
    },

    // Emscripten runs all file operations on the main thread, where its table of open files is. Reading and
    // writing at a position need no table once a descriptor is the machine's own, and then run on any thread.
    $own_descriptors__deps: ["$FS", "$NODERAWFS"],
    $own_descriptors__postset: `
        var create_stream = FS.createStream;
        FS.createStream = (stream, fd) => {
            if (fd === undefined && stream.nfd !== undefined) {
                fd = stream.nfd;
                if (FS.streams[fd]) throw new FS.ErrnoError(ERRNO_CODES.EMFILE);
            }
            return create_stream(stream, fd);
        };`,
    $own_descriptors: {},

    // Calls once(descriptor, memory, address, length, position) for each part of an iovec, until one is cut
    // short.
    $at_position__deps: ["$own_descriptors", "$ERRNO_CODES"],
    $at_position: (once, fd, parts, count, position, done_at) => {
        if (isNaN(position)) return ERRNO_CODES.EOVERFLOW;
        var done = 0;
        try {
            for (var i = 0; i < count; ++i) {
                var address = HEAPU32[(parts >>> 2) + 2 * i];
                var length = HEAPU32[(parts >>> 2) + 2 * i + 1];
                var moved = once(fd, HEAPU8, address, length, position + done);
                done += moved;
                if (moved < length) break;
            }
        } catch (error) {
            if (!(error.code in ERRNO_CODES)) throw error;
            return ERRNO_CODES[error.code];
        }
        HEAPU32[done_at >>> 2] = done;
        return 0;
    },
    fd_pread__deps: ["$at_position"],
    fd_pread__proxy: "",  // "none" would be taken for "async"
    fd_pread__i53abi: true,
    fd_pread: (fd, parts, count, position, done_at) =>
        at_position(fs.readSync, fd, parts, count, position, done_at),
    fd_pwrite__deps: ["$at_position"],
    fd_pwrite__proxy: "",
    fd_pwrite__i53abi: true,
    fd_pwrite: (fd, parts, count, position, done_at) =>
        at_position(fs.writeSync, fd, parts, count, position, done_at),

    // SHA-256 by node's crypto (core/cli/node_sha256.cpp). Each thread has hashes of its own.
    $sha256_hashes: "new Map()",
    $sha256_handles: "0",
    glassfs_sha256_begin__deps: ["$sha256_hashes", "$sha256_handles"],
    glassfs_sha256_begin: () => {
        sha256_handles = (sha256_handles + 1) & 0x7fffffff;
        sha256_hashes.set(sha256_handles, require("crypto").createHash("sha256"));
        return sha256_handles;
    },
    glassfs_sha256_update__deps: ["$sha256_hashes"],
    glassfs_sha256_update: (handle, bytes, size) => {
        bytes >>>= 0;
        sha256_hashes.get(handle).update(HEAPU8.subarray(bytes, bytes + (size >>> 0)));
    },
    glassfs_sha256_finish__deps: ["$sha256_hashes"],
    glassfs_sha256_finish: (handle, digest) => {
        HEAPU8.set(sha256_hashes.get(handle).digest(), digest >>> 0);
        sha256_hashes.delete(handle);
    },
    glassfs_sha256_end__deps: ["$sha256_hashes"],
    glassfs_sha256_end: (handle) => sha256_hashes.delete(handle),

    // core/cli/node_isatty.cpp
    glassfs_isatty: (descriptor) => (require("tty").isatty(descriptor) ? 1 : 0),
});
