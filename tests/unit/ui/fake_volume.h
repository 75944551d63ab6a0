// SPDX-License-Identifier: MIT
// A volume in memory for tests of the UI's model: a few files, one tree of a root and some leaves, and
// switches that make it fail or wait. Values are plain, so that a test can say what it expects.
#pragma once

#include "base/text.h"
#include "mount/mount.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

namespace glassfs::ui::testing {

inline vfs::NodeId node_id(u64 ino) {
    return {5, InodeNo{ino}};
}

// What tests turn. Outlives the volume.
struct FakeControls {
    std::atomic<int> blocks_asked{0};
    std::atomic<bool> hold{false};  // block() waits while it is set
    std::atomic<u32> leaves{10};
    std::atomic<int> walks_begun{0};
    std::atomic<bool> hold_reads{false};
    std::atomic<u64> first_unheld{0};  // address of the first block() that began while nothing was held
};

class FakeFiles : public vfs::FileSystem {
  public:
    struct Node {
        vfs::FileType type = vfs::FileType::Regular;
        std::string content;  // or the target of a symlink
        u64 parent = 256;
        std::map<std::string, u64> names;
    };
    std::map<u64, Node> nodes;

    explicit FakeFiles(FakeControls& controls) : controls_(controls) {
        add(256, 256, "", vfs::FileType::Directory, "");
        add(256, 257, "docs", vfs::FileType::Directory, "");
        add(256, 258, "README.md", vfs::FileType::Regular, "# demo\nA small volume to look at.\n");
        add(256, 259, "latest", vfs::FileType::Symlink, "docs/hello.txt");
        add(257, 260, "hello.txt", vfs::FileType::Regular, "Hello, world!\n");
        add(257, 261, "big.bin", vfs::FileType::Regular, std::string(100'000, 'x'));
        add(256, 262, "many", vfs::FileType::Directory, "");
        for (u64 i = 0; i < 600; ++i) {
            add(262, 1000 + i, text("file-%04d", static_cast<int>(i)), vfs::FileType::Regular, "x");
        }
    }
    void add(u64 dir, u64 ino, const std::string& name, vfs::FileType type, std::string content) {
        nodes[ino] = {type, std::move(content), dir, {}};
        if (!name.empty()) nodes[dir].names[name] = ino;
    }

    vfs::NodeId root() const override { return node_id(256); }
    Result<vfs::Attributes> getattr(vfs::NodeId id) override {
        auto it = nodes.find(id.ino.value);
        if (it == nodes.end()) return fail(Cause::NotFound);
        vfs::Attributes a;
        a.id = id;
        a.type = it->second.type;
        bool dir = a.type == vfs::FileType::Directory;
        bool link = a.type == vfs::FileType::Symlink;
        a.mode = dir ? 040755U : link ? 0120777U : 0100644U;
        a.nlink = 1;
        a.size = it->second.content.size();
        a.bytes = (a.size + 4095) / 4096 * 4096;
        a.generation = 7;
        a.mtime = {1'764'511'200, 0};
        return a;
    }
    Result<vfs::NodeId> lookup(vfs::NodeId dir, std::string_view name) override {
        auto it = nodes.find(dir.ino.value);
        if (it == nodes.end() || it->second.type != vfs::FileType::Directory)
            return fail(Cause::NotADirectory);
        auto found = it->second.names.find(std::string(name));
        if (found == it->second.names.end()) return fail(Cause::NotFound, std::string(name));
        return node_id(found->second);
    }
    Result<vfs::NodeId> parent(vfs::NodeId dir) override { return node_id(nodes[dir.ino.value].parent); }
    Result<void> readdir(vfs::NodeId dir, u64 cookie,
                         const std::function<bool(const vfs::DirEntry&)>& visit) override {
        auto it = nodes.find(dir.ino.value);
        if (it == nodes.end() || it->second.type != vfs::FileType::Directory)
            return fail(Cause::NotADirectory);
        u64 at = 0;
        for (const auto& [name, ino] : it->second.names) {
            if (++at <= cookie) continue;
            if (!visit({name, node_id(ino), nodes[ino].type, at})) break;
        }
        return {};
    }
    Result<std::size_t> read(vfs::NodeId id, u64 at, MutBytes out) override {
        auto it = nodes.find(id.ino.value);
        if (it == nodes.end()) return fail(Cause::NotFound);
        while (controls_.hold_reads) std::this_thread::yield();
        const std::string& content = it->second.content;
        if (at >= content.size()) return std::size_t{0};
        std::size_t count = std::min(out.size(), content.size() - static_cast<std::size_t>(at));
        std::copy_n(content.data() + at, count, out.data());
        return count;
    }
    Result<std::string> readlink(vfs::NodeId id) override { return nodes[id.ino.value].content; }
    Result<std::vector<vfs::Xattr>> xattrs(vfs::NodeId) override {
        return std::vector<vfs::Xattr>{{"user.comment", {'h', 'i'}}};
    }
    Result<u64> seek(vfs::NodeId, u64 at, vfs::Whence) override { return at; }
    Result<void> extents(vfs::NodeId id, const std::function<bool(const vfs::FileExtent&)>& visit) override {
        u64 size = nodes[id.ino.value].content.size();
        if (size > 0) visit({0, size, 0, size, vfs::FileExtent::Kind::Inline, "none"});
        return {};
    }
    Result<vfs::StatFs> statfs() override { return vfs::StatFs{4096, 128 << 20, 1 << 20, 127 << 20}; }

  private:
    FakeControls& controls_;
};

class FakeInspector : public inspect::Inspector {
  public:
    static constexpr u64 root_addr = 5242880;
    static constexpr u32 block_size = 4096;
    explicit FakeInspector(FakeControls& controls) : controls_(controls) {}

    inspect::VolumeInfo info() override {
        inspect::VolumeInfo info;
        info.format = "btrfs";
        info.label = "demo";
        info.uuid = "6f1c2b9e-9a41-4c17-8b52-0d5e3a7c41aa";
        info.total = 128 << 20;
        info.used = 1'310'720;
        info.block_size = block_size;
        info.sector_size = 4096;
        info.generation = Generation{8};
        info.checksum_type = "crc32c";
        info.devices.push_back({1, "77", 128 << 20, 48 << 20, "demo.img", false});
        return info;
    }
    std::vector<inspect::Field> superblock() override {
        return {{"csum", 0, 32, "00", "", 0},
                {"magic", 64, 8, "_BHRfS_M", "", 0},
                {"generation", 72, 8, "8", "", 0}};
    }
    std::shared_ptr<const Buffer> superblock_raw() override { return std::make_shared<Buffer>(4096); }
    std::vector<inspect::TreeInfo> trees() override {
        std::vector<inspect::TreeInfo> list(3);
        u64 ids[] = {1, 2, 5};
        const char* names[] = {"ROOT_TREE", "EXTENT_TREE", "FS_TREE"};
        for (unsigned i = 0; i < 3; ++i) {
            list[i].id = ids[i];
            list[i].name = names[i];
            list[i].root = LogicalAddr{root_addr};
            list[i].level = 1;
            list[i].generation = Generation{8};
        }
        return list;
    }
    Result<inspect::BlockView> block(LogicalAddr addr) override {
        bool held = controls_.hold;
        ++controls_.blocks_asked;
        while (controls_.hold) std::this_thread::yield();
        if (!held && controls_.first_unheld == 0) controls_.first_unheld = addr.value;
        u64 index = (addr.value - root_addr) / block_size;
        if (addr.value < root_addr || index > controls_.leaves || addr.value % block_size != 0) {
            return fail(Cause::BlockUnaligned, Where{.block = addr.value}, "not a block");
        }
        inspect::BlockView view;
        view.addr = addr;
        view.size = block_size;
        view.level = index == 0 ? 1 : 0;
        view.generation = Generation{7};
        view.owner = 5;
        view.owner_name = "FS_TREE";
        view.checksum_type = "crc32c";
        view.checksum_stored = "12345678";
        view.checksum_computed = index == 3 ? "87654321" : "12345678";
        view.capacity = block_size - 101;
        view.copies = {{1, PhysicalAddr{addr.value + 8'388'608}, true}, {1, PhysicalAddr{addr.value}, true}};
        view.header = {{"csum", 0, 32, "12345678", "", 0},
                       {"bytenr", 48, 8, std::to_string(addr.value), "", 0},
                       {"generation", 80, 8, "7", "", 0},
                       {"owner", 88, 8, "5", "FS_TREE", 0}};
        fill_items(view, index);
        auto raw = std::make_shared<Buffer>(block_size);
        for (std::size_t i = 0; i < raw->size(); ++i) (*raw)[i] = static_cast<u8>(i * 7 + index);
        view.raw = raw;
        return view;
    }
    Result<std::vector<inspect::Field>> item_fields(LogicalAddr, u32 slot) override {
        return std::vector<inspect::Field>{
            {"objectid", 101 + 25 * slot, 8, std::to_string(256 + slot), "", 0},
            {"type", 109 + 25 * slot, 1, "1", "INODE_ITEM", 0},
            {"size", 3000, 8, "1420", "1.4 KiB", 0}};
    }
    Result<void> walk_tree(u64, const std::function<bool(const inspect::NodeRecord&)>& visit) override {
        ++controls_.walks_begun;
        inspect::NodeRecord root;
        root.addr = LogicalAddr{root_addr};
        root.level = 1;
        root.items = controls_.leaves;
        root.free_bytes = 3000;
        root.generation = Generation{8};
        root.bytes_of[static_cast<std::size_t>(inspect::ItemClass::Pointer)] = 330;
        if (!visit(root)) return {};
        for (u32 i = 0; i < controls_.leaves; ++i) {
            inspect::NodeRecord leaf;
            leaf.addr = LogicalAddr{root_addr + u64{block_size} * (i + 1)};
            leaf.slot = i;
            leaf.items = 12;
            leaf.free_bytes = 400 + i * 100;
            leaf.first_key = {256 + i, 1, 0};
            leaf.generation = Generation{i % 3 == 0 ? 8U : 7U};
            leaf.bytes_of[0] = 900;
            leaf.bytes_of[5] = 1500 - i * 50;
            leaf.bytes_of[2] = 300 + i * 20;
            if (!visit(leaf)) return {};
        }
        return {};
    }
    Result<std::vector<inspect::PathStep>> path_to(vfs::NodeId id) override {
        return std::vector<inspect::PathStep>{
            {"superblock", "at 64 KiB", {}, {}},
            {"ROOT_TREE", "5332992, slot 3", LogicalAddr{root_addr}, 3},
            {"FS_TREE", "5242880, slot 0", LogicalAddr{root_addr}, 0},
            {"leaf", text("5246976, slot %d", static_cast<int>(id.ino.value - 256)),
             LogicalAddr{root_addr + block_size}, static_cast<u32>(id.ino.value - 256)}};
    }
    Result<std::vector<inspect::PathStep>> path_to_key(u64, KeyRef) override { return fail(Cause::NotFound); }

  private:
    void fill_items(inspect::BlockView& view, u64 index) {
        for (u32 i = 0; i < 12; ++i) {
            inspect::Item item;
            item.slot = i;
            item.key = {256 + i, 1, 0};
            item.type_name = "INODE_ITEM";
            item.key_text = text("%u INODE_ITEM 0", 256 + i);
            item.summary = text("inline %u B", 100 * i);
            item.item_class = i % 2 == 0 ? inspect::ItemClass::Inode : inspect::ItemClass::Inline;
            item.data_size = 160;
            item.data_offset = block_size - 160 * (i + 1);
            if (index == 0) item.child = LogicalAddr{root_addr + u64{block_size} * (i + 1)};
            view.items.push_back(item);
        }
        view.used_bytes = 12 * 185;
        view.free_bytes = view.capacity - view.used_bytes;
    }
    FakeControls& controls_;
};

class FakeVolume : public mount::Volume {
  public:
    explicit FakeVolume(FakeControls& controls) : files_(controls), inspector_(controls) {}
    vfs::FileSystem& files() override { return files_; }
    inspect::Inspector& inspector() override { return inspector_; }
    Result<check::Report> check(const check::Options&, const std::function<bool(double)>&) override {
        return check::Report{};
    }

  private:
    FakeFiles files_;
    FakeInspector inspector_;
};

}  // namespace glassfs::ui::testing
