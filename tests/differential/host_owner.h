// SPDX-License-Identifier: MIT
// While it lives, what this thread creates belongs to the given owner.
#pragma once

#include "vfs/file_system.h"

#include <sys/fsuid.h>

namespace glassfs::differential {

class OwnedBy {
  public:
    explicit OwnedBy(const vfs::NewInode& wanted) {
        ::setfsgid(wanted.gid);
        ::setfsuid(wanted.uid);
    }
    ~OwnedBy() {
        ::setfsuid(0);
        ::setfsgid(0);
    }
    OwnedBy(const OwnedBy&) = delete;
    OwnedBy& operator=(const OwnedBy&) = delete;
};

}  // namespace glassfs::differential
