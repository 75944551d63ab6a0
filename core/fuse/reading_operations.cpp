// SPDX-License-Identifier: MIT
// Requests that change nothing: names, attributes, file contents. Listing is in listing_operations.cpp.
#include "fuse/server.h"

#include <algorithm>
#include <linux/fs.h>
#include <sys/statvfs.h>

namespace glassfs::fuse {

namespace {

using vfs::NodeId;

void on_lookup(fuse_req_t request, fuse_ino_t dir, const char* name) {
    answer(request, "lookup", [&](Server& server) -> Result<void> {
        auto found = server.files().lookup(TRY(server.nodes().node(dir)), name);
        if (found) return reply_with_entry(request, server, *found);
        if (found.error().code() != Errno::NOENT) return fail(std::move(found).error());
        fuse_entry_param nothing{};  // the kernel may remember that, too
        nothing.entry_timeout = server.names_timeout();
        fuse_reply_entry(request, &nothing);
        return {};
    });
}

void on_forget(fuse_req_t request, fuse_ino_t ino, u64 count) {
    server_of(request).forget(ino, count);
    fuse_reply_none(request);
}

void on_forget_multi(fuse_req_t request, std::size_t count, fuse_forget_data* forgets) {
    for (std::size_t i = 0; i < count; ++i) {
        server_of(request).forget(forgets[i].ino, forgets[i].nlookup);
    }
    fuse_reply_none(request);
}

void on_getattr(fuse_req_t request, fuse_ino_t ino, fuse_file_info*) {
    answer(request, "getattr", [&](Server& server) -> Result<void> {
        struct stat attributes = TRY(server.stat_of(TRY(server.nodes().node(ino))));
        fuse_reply_attr(request, &attributes, server.attributes_timeout());
        return {};
    });
}

void on_readlink(fuse_req_t request, fuse_ino_t ino) {
    answer(request, "readlink", [&](Server& server) -> Result<void> {
        std::string target = TRY(server.files().readlink(TRY(server.nodes().node(ino))));
        fuse_reply_readlink(request, target.c_str());
        return {};
    });
}

void on_open(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
    file->keep_cache = 1;  // nobody changes the file but through this mount
    if (server_of(request).open_unneeded) {
        fuse_reply_err(request, ENOSYS);  // means: don't ask again, all can be opened
    } else {
        fuse_reply_open(request, file);
    }
}

void on_read(fuse_req_t request, fuse_ino_t ino, std::size_t size, off_t at, fuse_file_info*) {
    answer(request, "read", [&](Server& server) -> Result<void> {
        thread_local Buffer buffer;
        if (buffer.size() < size) buffer.resize(size);
        MutBytes out = MutBytes(buffer).first(size);
        vfs::NodeId node = TRY(server.nodes().node(ino));
        std::size_t got = TRY(server.files().read(node, static_cast<u64>(at), out));
        fuse_reply_buf(request, reinterpret_cast<const char*>(buffer.data()), got);
        return {};
    });
}

void on_lseek(fuse_req_t request, fuse_ino_t ino, off_t at, int whence, fuse_file_info*) {
    answer(request, "lseek", [&](Server& server) -> Result<void> {
        if (whence != SEEK_DATA && whence != SEEK_HOLE) return fail(Cause::InvalidArgument);
        auto what = whence == SEEK_DATA ? vfs::Whence::Data : vfs::Whence::Hole;
        u64 from = at < 0 ? 0 : static_cast<u64>(at);
        u64 found = TRY(server.files().seek(TRY(server.nodes().node(ino)), from, what));
        fuse_reply_lseek(request, static_cast<off_t>(found));
        return {};
    });
}

void on_statfs(fuse_req_t request, fuse_ino_t) {
    answer(request, "statfs", [&](Server& server) -> Result<void> {
        vfs::StatFs volume = TRY(server.files().statfs());
        struct statvfs out {};
        u64 block = std::max<u64>(volume.block_size, 512);
        out.f_bsize = static_cast<unsigned long>(block);
        out.f_frsize = static_cast<unsigned long>(block);
        out.f_blocks = volume.total / block;
        out.f_bfree = (volume.total - std::min(volume.used, volume.total)) / block;
        out.f_bavail = volume.free / block;
        out.f_namemax = 255;
        fuse_reply_statfs(request, &out);
        return {};
    });
}

// Answers a request for bytes whose length isn't known to the caller: size 0 asks for it.
Result<void> reply_sized(fuse_req_t request, Bytes bytes, std::size_t size) {
    if (size == 0) {
        fuse_reply_xattr(request, bytes.size());
    } else if (bytes.size() > size) {
        return fail(Cause::ResultTooSmall);
    } else {
        fuse_reply_buf(request, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return {};
}

void on_getxattr(fuse_req_t request, fuse_ino_t ino, const char* name, std::size_t size) {
    answer(request, "getxattr", [&](Server& server) -> Result<void> {
        for (const vfs::Xattr& xattr : TRY(server.files().xattrs(TRY(server.nodes().node(ino))))) {
            if (xattr.name == name) return reply_sized(request, xattr.value, size);
        }
        return fail(Cause::NoAttribute);
    });
}

// Only root is shown the names of trusted attributes, as on Linux.
void on_listxattr(fuse_req_t request, fuse_ino_t ino, std::size_t size) {
    answer(request, "listxattr", [&](Server& server) -> Result<void> {
        bool is_root = fuse_req_ctx(request)->uid == 0;
        std::string names;
        for (const vfs::Xattr& xattr : TRY(server.files().xattrs(TRY(server.nodes().node(ino))))) {
            if (!is_root && xattr.name.starts_with("trusted.")) continue;
            names += xattr.name;
            names += '\0';
        }
        return reply_sized(request, as_bytes(names), size);
    });
}

}  // namespace

void add_reading(fuse_lowlevel_ops& operations) {
    operations.lookup = on_lookup;
    operations.forget = on_forget;
    operations.forget_multi = on_forget_multi;
    operations.getattr = on_getattr;
    operations.readlink = on_readlink;
    operations.open = on_open;
    operations.read = on_read;
    operations.lseek = on_lseek;
    operations.statfs = on_statfs;
    operations.getxattr = on_getxattr;
    operations.listxattr = on_listxattr;
}

}  // namespace glassfs::fuse
