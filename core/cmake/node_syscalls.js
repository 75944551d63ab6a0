// SPDX-License-Identifier: MIT
//
// For --js-library of programs that run in node. Emscripten 3.1.69 hands symlinkat's paths on as addresses
// instead of strings; this one takes its place.
addToLibrary({
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
});
