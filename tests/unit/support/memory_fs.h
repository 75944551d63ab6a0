// SPDX-License-Identifier: MIT
// A file system in memory: the plainest thing that keeps the promises of vfs/file_system.h, for tests of what
// is built on top of them. Build the tree first, then use it from any threads.
#pragma once

#include "vfs/file_system.h"

#include <map>
#include <memory>

namespace glassfs::support {

class MemoryFs : public vfs::FileSystem {
  public:
    using NodeId = vfs::NodeId;

    MemoryFs() { make(vfs::FileType::Directory, root()); }

    NodeId add_directory(NodeId dir, const std::string& name) {
        return add(dir, name, vfs::FileType::Directory);
    }
    NodeId add_symlink(NodeId dir, const std::string& name, const std::string& target) {
        NodeId id = add(dir, name, vfs::FileType::Symlink);
        node(id).target = target;
        return id;
    }
    // Zero bytes of `content` that fill a whole block of 4096 are holes.
    NodeId add_file(NodeId dir, const std::string& name, Buffer content) {
        NodeId id = add(dir, name, vfs::FileType::Regular);
        node(id).content = std::move(content);
        return id;
    }
    NodeId add(NodeId dir, const std::string& name, vfs::FileType type) {
        NodeId id = make(type, dir);
        node(dir).entries[name] = id;
        return id;
    }

    // A further name, of a directory too, which only damaged volumes have.
    void add_name(NodeId dir, const std::string& name, NodeId id) { node(dir).entries[name] = id; }

    NodeId root() const override { return {0, InodeNo{1}}; }

    Result<vfs::Attributes> getattr(NodeId id) override {
        const Node& n = node(id);
        vfs::Attributes attributes;
        attributes.id = id;
        attributes.type = n.type;
        attributes.size = n.type == vfs::FileType::Symlink ? n.target.size() : n.content.size();
        return attributes;
    }
    Result<NodeId> lookup(NodeId dir, std::string_view name) override {
        const Node& n = node(dir);
        if (n.type != vfs::FileType::Directory) return fail(Cause::NotADirectory);
        auto found = n.entries.find(name);
        if (found == n.entries.end()) return fail(Cause::NotFound, std::string(name));
        return found->second;
    }
    Result<NodeId> parent(NodeId dir) override { return node(dir).parent; }
    Result<void> readdir(NodeId dir, u64 cookie,
                         const std::function<bool(const vfs::DirEntry&)>& visit) override {
        u64 index = 0;
        for (const auto& [name, id] : node(dir).entries) {
            if (++index > cookie && !visit({name, id, node(id).type, index})) break;
        }
        return {};
    }
    Result<std::size_t> read(NodeId id, u64 at, MutBytes out) override {
        const Buffer& content = node(id).content;
        if (at >= content.size()) return std::size_t{0};
        std::size_t bytes = std::min<u64>(out.size(), content.size() - at);
        std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(at), bytes, out.begin());
        return bytes;
    }
    Result<std::string> readlink(NodeId id) override { return node(id).target; }
    Result<std::vector<vfs::Xattr>> xattrs(NodeId) override { return std::vector<vfs::Xattr>{}; }
    Result<u64> seek(NodeId id, u64 at, vfs::Whence whence) override {
        const Buffer& content = node(id).content;
        if (at >= content.size()) return fail(Cause::NoDataBehind);
        for (u64 place = at; place < content.size(); place = (place / block + 1) * block) {
            if (is_hole(content, place / block) == (whence == vfs::Whence::Hole)) return place;
        }
        if (whence == vfs::Whence::Data) return fail(Cause::NoDataBehind);
        return content.size();
    }
    Result<void> extents(NodeId id, const std::function<bool(const vfs::FileExtent&)>& visit) override {
        const Buffer& content = node(id).content;
        for (u64 begin = 0; begin < content.size(); begin += block) {
            vfs::FileExtent extent;
            extent.file_offset = begin;
            extent.length = block;
            if (is_hole(content, begin / block)) extent.kind = vfs::FileExtent::Kind::Hole;
            if (!visit(extent)) break;
        }
        return {};
    }
    Result<vfs::StatFs> statfs() override { return vfs::StatFs{block, 0, 0, 0}; }

  private:
    static constexpr u64 block = 4096;
    struct Node {
        vfs::FileType type = vfs::FileType::Unknown;
        NodeId parent;
        std::map<std::string, NodeId, std::less<>> entries;
        Buffer content;
        std::string target;
    };

    static bool is_hole(const Buffer& content, u64 number) {
        u64 end = (number + 1) * block;
        if (end > content.size()) return false;
        for (u64 i = number * block; i < end; ++i) {
            if (content[i] != 0) return false;
        }
        return true;
    }
    NodeId make(vfs::FileType type, NodeId parent_dir) {
        auto made = std::make_unique<Node>();
        made->type = type;
        made->parent = parent_dir;
        nodes_.push_back(std::move(made));
        return {0, InodeNo{nodes_.size()}};
    }
    Node& node(NodeId id) { return *nodes_.at(id.ino.value - 1); }

    std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace glassfs::support
