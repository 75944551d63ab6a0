// SPDX-License-Identifier: MIT
// The host's errno as an Error: the first Cause that stands for it.
#pragma once

#include "base/error.h"

#include <cerrno>
#include <cstring>

namespace glassfs::differential {

inline Failure host_error(int number) {
#define GLASSFS_HOST_ERROR(name, errno_, sentence) \
    if (static_cast<int>(Errno::errno_) == number) return fail(Cause::name);
    GLASSFS_CAUSES(GLASSFS_HOST_ERROR)
#undef GLASSFS_HOST_ERROR
    return fail(Cause::InjectedFault, std::string("the host says: ") + std::strerror(number));
}

inline Failure last_error() {
    return host_error(errno);
}

// Of a system call that returns -1 and sets errno.
inline Result<void> done(long answer) {
    if (answer < 0) return last_error();
    return {};
}

}  // namespace glassfs::differential
