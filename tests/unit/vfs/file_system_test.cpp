// SPDX-License-Identifier: MIT
#include "vfs/file_system.h"

#include "support/memory_fs.h"

#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::vfs;

TEST_CASE("vfs/types: the type bits of a mode are Linux's") {
    CHECK(file_type_of_mode(0100644) == FileType::Regular);
    CHECK(file_type_of_mode(0040755) == FileType::Directory);
    CHECK(file_type_of_mode(0120777) == FileType::Symlink);
    CHECK(file_type_of_mode(0020666) == FileType::CharDevice);
    CHECK(file_type_of_mode(0060660) == FileType::BlockDevice);
    CHECK(file_type_of_mode(0010644) == FileType::Fifo);
    CHECK(file_type_of_mode(0140755) == FileType::Socket);
    CHECK(file_type_of_mode(0000644) == FileType::Unknown);
    CHECK(file_type_of_mode(0170000) == FileType::Unknown);
    CHECK(file_type_name(FileType::CharDevice) == std::string_view("char"));
}

TEST_CASE("vfs/write: a file system without a writing half answers EROFS to every change") {
    support::MemoryFs files;
    NodeId root = files.root();
    Buffer data(1);
    CHECK(files.create(root, "x", vfs::NewInode{}).error().code() == Errno::ROFS);
    CHECK(files.symlink(root, "x", "y", vfs::NewInode{}).error().code() == Errno::ROFS);
    CHECK(files.link(root, root, "x").error().code() == Errno::ROFS);
    CHECK(files.unlink(root, "x").error().code() == Errno::ROFS);
    CHECK(files.rmdir(root, "x").error().code() == Errno::ROFS);
    CHECK(files.rename(root, "x", root, "y", vfs::RenameKind::Replace).error().code() == Errno::ROFS);
    CHECK(files.write(root, 0, data).error().code() == Errno::ROFS);
    CHECK(files.truncate(root, 0).error().code() == Errno::ROFS);
    CHECK(files.setattr(root, {}).error().code() == Errno::ROFS);
    CHECK(files.set_xattr(root, "user.x", data, vfs::XattrMode::Any).error().code() == Errno::ROFS);
    CHECK(files.remove_xattr(root, "user.x").error().code() == Errno::ROFS);
    CHECK(files.fsync(root).has_value());
    CHECK(files.sync().has_value());
}
