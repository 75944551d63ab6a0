// SPDX-License-Identifier: MIT
// Error numbers with Linux's values, whatever the host's libc says (Emscripten's differ).
#pragma once

namespace glassfs {

// X(NAME, number): the Linux name without its leading E, so that libc's macros can't get in the way.
#define GLASSFS_ERRNOS(X)                                                                              \
    X(PERM, 1)                                                                                         \
    X(NOENT, 2) X(INTR, 4) X(IO, 5) X(NXIO, 6) X(TOOBIG, 7) X(BADF, 9) X(AGAIN, 11) X(NOMEM, 12)       \
        X(ACCES, 13) X(BUSY, 16) X(EXIST, 17) X(XDEV, 18) X(NODEV, 19) X(NOTDIR, 20) X(ISDIR, 21)      \
            X(INVAL, 22) X(MFILE, 24) X(NOTTY, 25) X(TXTBSY, 26) X(FBIG, 27) X(NOSPC, 28) X(SPIPE, 29) \
                X(ROFS, 30) X(MLINK, 31) X(RANGE, 34) X(NAMETOOLONG, 36) X(NOSYS, 38) X(NOTEMPTY, 39)  \
                    X(LOOP, 40) X(NODATA, 61) X(OVERFLOW, 75) X(OPNOTSUPP, 95) X(TIMEDOUT, 110)        \
                        X(STALE, 116) X(UCLEAN, 117) X(DQUOT, 122) X(CANCELED, 125)

enum class Errno : int {
    OK = 0,
#define GLASSFS_ERRNO_ENUM(name, number) name = number,
    GLASSFS_ERRNOS(GLASSFS_ERRNO_ENUM)
#undef GLASSFS_ERRNO_ENUM
};

// "ENOENT" for Errno::NOENT; "OK" for no error.
constexpr const char* errno_name(Errno e) {
    if (e == Errno::TOOBIG) return "E2BIG";  // no name can begin with a digit
    switch (e) {
        case Errno::OK:
            return "OK";
#define GLASSFS_ERRNO_NAME(name, number) \
    case Errno::name:                    \
        return "E" #name;
            GLASSFS_ERRNOS(GLASSFS_ERRNO_NAME)
#undef GLASSFS_ERRNO_NAME
    }
    return "E?";
}

}  // namespace glassfs
