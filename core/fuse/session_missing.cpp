// SPDX-License-Identifier: MIT
// Takes session.cpp's place where there is no libfuse3.
#include "fuse/session.h"

namespace glassfs::fuse {

Result<std::unique_ptr<Session>> Session::mount(vfs::FileSystem&, SessionOptions) {
    return fail(
        Cause::NotSupported,
        "this program was built without libfuse3 (3.8 or later): install libfuse3-dev and build again");
}

}  // namespace glassfs::fuse
