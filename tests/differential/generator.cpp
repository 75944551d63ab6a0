// SPDX-License-Identifier: MIT
#include "generator.h"

#include "base/crc32c.h"
#include "vfs/posix_acl.h"

#include <algorithm>

namespace glassfs::differential {

using vfs::FileType;

namespace {

constexpr u64 kib = 1024, mib = 1024 * kib;
constexpr std::size_t depth_max = 7;
constexpr u64 mode_types[] = {0010000, 0020000, 0060000, 0140000};

constexpr u64 subvolume_root_inode = 256, stand_in_inode = 2;

u32 name_hash(std::string_view name) {
    return crc32c_raw(~u32{1}, as_bytes(name));
}

// SplitMix64's finaliser, so that neighbouring numbers have nothing in common.
u64 mixed(u64 value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

}  // namespace

// The hash is linear: turning a letter from lower to upper case changes it by a value that depends on the
// place only. Of 40 such values of 32 bits some combinations cancel out; elimination finds them.
std::vector<std::string> colliding_names(std::size_t count) {
    constexpr std::size_t length = 40;
    const std::string base(length, 'k');
    struct Row {
        u32 change;
        u64 places;
    };
    std::vector<Row> pivots;
    std::vector<u64> cancelling;
    for (std::size_t place = 0; place < length; ++place) {
        std::string flipped = base;
        flipped[place] = 'K';
        Row row{name_hash(base) ^ name_hash(flipped), u64{1} << place};
        for (const auto& pivot : pivots) {
            if ((row.change ^ pivot.change) < row.change)
                row = {row.change ^ pivot.change, row.places ^ pivot.places};
        }
        if (row.change == 0) {
            cancelling.push_back(row.places);
        } else {
            pivots.push_back(row);
            std::sort(pivots.begin(), pivots.end(),
                      [](const Row& a, const Row& b) { return a.change > b.change; });
        }
    }
    std::vector<std::string> out;
    for (u64 number = 0; number < count; ++number) {
        u64 places = 0;
        for (std::size_t i = 0; i < cancelling.size(); ++i) {
            if (number >> i & 1) places ^= cancelling[i];
        }
        std::string name = base;
        for (std::size_t place = 0; place < length; ++place) {
            if (places >> place & 1) name[place] = 'K';
        }
        out.push_back(name);
    }
    return out;
}

Generator::Generator(const GeneratorOptions& options) : options_(options), random_(0) {
    for (char c = 'a'; c <= 'l'; ++c) names_.emplace_back(1, c);
    names_.insert(names_.end(), {"name with spaces", "\xff\x01\n%", "gr\xc3\xbcn", std::string(255, 'x'),
                                 std::string(254, 'x') + "y", std::string(200, 'm'), "-rf"});
    for (auto& name : colliding_names(5)) names_.push_back(std::move(name));
}

OperationKind Generator::pick_kind() {
    u64 total = 0;
    for (std::size_t i = 0; i < operation_kinds; ++i) {
        if (options_.enabled[i]) total += operation_weight(static_cast<OperationKind>(i));
    }
    u64 at = total == 0 ? 0 : below(total);
    for (std::size_t i = 0; i < operation_kinds; ++i) {
        if (!options_.enabled[i]) continue;
        u64 weight = operation_weight(static_cast<OperationKind>(i));
        if (at < weight) return static_cast<OperationKind>(i);
        at -= weight;
    }
    return OperationKind::Sync;
}

std::string Generator::pick_name() {
    if (chance(1)) return below(2) ? "." : "..";
    if (below(200) == 0) return std::string(256, 'z');
    if (below(300) == 0) return "";
    return names_[below(names_.size())];
}

// Sorted by name, so that the choice doesn't depend on their order in the directory.
std::vector<Generator::Seen> Generator::entries(Side& view, const NodeRef& dir) {
    std::vector<Seen> out;
    auto id = view.resolve(dir);
    if (!id) return out;
    (void)view.files().readdir(*id, 0, [&](const vfs::DirEntry& entry) {
        out.push_back({entry.name, entry.type});
        return true;
    });
    std::sort(out.begin(), out.end(), [](const Seen& a, const Seen& b) { return a.name < b.name; });
    return out;
}

std::optional<std::string> Generator::pick_entry(Side& view, const NodeRef& dir, Want want) {
    auto found = entries(view, dir);
    std::erase_if(found, [&](const Seen& entry) {
        if (want == Want::Regular) return entry.type != FileType::Regular;
        if (want == Want::Directory) return entry.type != FileType::Directory;
        if (want == Want::NotDirectory) return entry.type == FileType::Directory;
        return false;
    });
    if (found.empty()) return std::nullopt;
    return found[below(found.size())].name;
}

NodeRef Generator::child(const NodeRef& dir, const std::string& name) {
    NodeRef out = dir;
    out.path.push_back(name);
    return out;
}

// A directory found by walking down; sometimes a held inode, which may be a directory without a name.
NodeRef Generator::pick_dir(Side& view) {
    if (chance(3)) return {{}, below(handle_count)};
    NodeRef dir;
    while (dir.path.size() < depth_max && chance(70)) {
        auto name = pick_entry(view, dir, Want::Directory);
        if (!name) break;
        dir.path.push_back(*name);
    }
    return dir;
}

std::string Generator::existing_or_any(Side& view, const NodeRef& dir, Want want) {
    if (chance(88)) {
        if (auto name = pick_entry(view, dir, want)) return *name;
    }
    return pick_name();
}

NodeRef Generator::pick_node(Side& view, Want want) {
    if (chance(8)) return {{}, below(handle_count)};
    for (int attempt = 0; attempt < 4; ++attempt) {
        NodeRef dir = pick_dir(view);
        if (dir.handle) continue;
        if (want == Want::Directory && chance(50)) return dir;
        if (auto name = pick_entry(view, dir, chance(95) ? want : Want::Any)) return child(dir, *name);
    }
    NodeRef dir;
    std::string name = pick_name();
    // A path has no such components.
    return name.empty() || name == "." || name == ".." ? dir : child(dir, name);
}

// Whether it leads to this inode number; an empty name: `dir` itself.
bool Generator::is_inode(Side& view, const NodeRef& dir, const std::string& name, u64 number) {
    auto id = view.resolve(dir);
    if (id && !name.empty()) id = view.files().lookup(*id, name);
    return id && id->ino.value == number;
}

// The root directory of one.
NodeRef Generator::pick_subvolume(Side& view) {
    for (int attempt = 0; attempt < 8; ++attempt) {
        NodeRef dir = pick_dir(view);
        if (!dir.path.empty() && is_inode(view, dir, "", subvolume_root_inode)) return dir;
    }
    return {};
}

u64 Generator::size_of(Side& view, const NodeRef& node) {
    auto id = view.resolve(node);
    if (!id) return 0;
    auto stat = view.files().getattr(*id);
    return stat ? stat->size : 0;
}

FileType Generator::type_of(Side& view, const NodeRef& node) {
    auto id = view.resolve(node);
    if (!id) return FileType::Unknown;
    auto stat = view.files().getattr(*id);
    return stat ? stat->type : FileType::Unknown;
}

// Something that can be opened: a file, sometimes a directory. What a symlink or a FIFO answers to reading
// and writing isn't a file system's to say.
NodeRef Generator::pick_data(Side& view) {
    NodeRef node = pick_node(view, Want::Regular);
    FileType type = type_of(view, node);
    bool opens = type == FileType::Regular || type == FileType::Directory || type == FileType::Unknown;
    return opens ? node : NodeRef{};
}

// Around what inline extents, blocks and compressed extents hold.
u64 Generator::pick_length() {
    switch (below(12)) {
        case 0:
            return below(4) == 0 ? 0 : between(1, 100);
        case 1:
            return between(2040, 2056);
        case 2:
            return between(4090, 4100);
        case 3:
            return 4096 * between(1, 16);
        case 4:
        case 5:
            return between(1, 4096);
        case 6:
            return 4096 * between(1, 64);
        case 7:
            return between(128 * kib - 3, 128 * kib + 3);
        case 8:
            return chance(30) ? between(1, 3 * mib) : between(1, 200 * kib);
        default:
            return between(1, 20000);
    }
}

u64 Generator::pick_offset(u64 size) {
    switch (below(11)) {
        case 0:
        case 1:
            return 0;
        case 2:
            return size;
        case 3:
            return size / 4096 * 4096;
        case 4:
            return (size + 4095) / 4096 * 4096;
        case 5:
            return below(200) == 0 ? (u64{1} << between(40, 62)) + below(5000) : between(0, 64 * kib);
        case 6:
            return 4096 * below(256);
        case 7:
            return size + between(0, 100 * kib);
        default:
            return size < 64 * mib ? between(0, size) : below(8 * mib);
    }
}

u32 Generator::pick_permissions() {
    constexpr u32 usual[] = {0644, 0755, 0600, 0, 0777};
    return chance(70) ? usual[below(std::size(usual))] : static_cast<u32>(below(010000));
}

// Not near the present, so that it can be told from a clock's.
TimeSpec Generator::pick_time() {
    constexpr s64 seconds[] = {0, 1, -1, 1'000'000'000, -2'147'483'649, 4'294'967'296, 253'402'300'799};
    return {seconds[below(std::size(seconds))], static_cast<u32>(chance(50) ? 0 : below(1'000'000'000))};
}

Operation Generator::make(u64 number, Side& view) {
    random_ = SeededEnvironment(mixed(options_.seed * 0x9e3779b97f4a7c15 + number));
    Operation op;
    op.kind = pick_kind();
    op.data_seed = random_.random();
    switch (op.kind) {
        case OperationKind::Create:
        case OperationKind::MakeDirectory:
        case OperationKind::MakeNode:
        case OperationKind::Symlink:
            fill_new_name(op, view);
            break;
        case OperationKind::Link:
        case OperationKind::Unlink:
        case OperationKind::RemoveDirectory:
            fill_names(op, view);
            break;
        case OperationKind::CreateMany:
        case OperationKind::LinkMany:
        case OperationKind::UnlinkMany:
            fill_many(op, view);
            break;
        case OperationKind::Rename:
            fill_rename(op, view);
            break;
        case OperationKind::Write:
        case OperationKind::Truncate:
        case OperationKind::Fallocate:
        case OperationKind::Read:
        case OperationKind::Seek:
            fill_data(op, view);
            break;
        case OperationKind::Clone:
            fill_clone(op, view);
            break;
        case OperationKind::SetXattr:
        case OperationKind::RemoveXattr:
            fill_xattr(op, view);
            break;
        case OperationKind::CreateSubvolume:
        case OperationKind::Snapshot:
        case OperationKind::DeleteSubvolume:
            fill_subvolume(op, view);
            break;
        case OperationKind::Tmpfile:
        case OperationKind::Hold:
        case OperationKind::Release:
            fill_handle(op, view);
            break;
        default:
            fill_attributes(op, view);
    }
    view.forget();
    return op;
}

void Generator::fill_new_name(Operation& op, Side& view) {
    op.node = chance(96) ? pick_dir(view) : pick_node(view, Want::Any);
    op.name = pick_name();
    op.inode.uid = chance(80) ? 0 : static_cast<u32>(below(3) == 0 ? 4'000'000'000 : 1000);
    op.inode.gid = chance(80) ? 0 : static_cast<u32>(100 + below(3));
    u32 type = 0100000;
    if (op.kind == OperationKind::MakeDirectory) type = 0040000;
    if (op.kind == OperationKind::MakeNode) type = static_cast<u32>(mode_types[below(std::size(mode_types))]);
    op.inode.mode = type | pick_permissions();
    if (type == 0020000 || type == 0060000) {
        op.inode.rdev = {static_cast<u32>(below(4096)), static_cast<u32>(below(1 << 20))};
    }
    if (op.kind != OperationKind::Symlink) return;
    u64 length = chance(80) ? between(1, 60) : chance(90) ? between(1, 3900) : between(3940, 4097);
    if (below(200) == 0) length = 0;
    op.target = std::string(length, 't');
}

void Generator::fill_names(Operation& op, Side& view) {
    if (op.kind == OperationKind::Link) {
        op.node = pick_node(view, chance(93) ? Want::NotDirectory : Want::Any);
        op.other = pick_dir(view);
        op.other_name = pick_name();
        return;
    }
    Want want = op.kind == OperationKind::Unlink ? Want::NotDirectory : Want::Directory;
    op.node = pick_dir(view);
    op.name = existing_or_any(view, op.node, chance(90) ? want : Want::Any);
}

// Enough names for leaves to split, and for an inode's back references not to fit into one item.
void Generator::fill_many(Operation& op, Side& view) {
    constexpr const char* stems[] = {"m", "many", "a-name-that-is-a-good-deal-longer-than-most-others-are"};
    op.name = op.other_name = "";
    std::string stem = stems[below(std::size(stems))];
    op.count = between(20, 400);
    op.inode.mode = 0100644;
    op.name = stem;
    if (op.kind == OperationKind::LinkMany) {
        op.node = pick_node(view, Want::Regular);
        op.other = pick_dir(view);
    } else {
        op.node = pick_dir(view);
    }
}

void Generator::fill_rename(Operation& op, Side& view) {
    Want want = chance(45) ? Want::Directory : chance(70) ? Want::Regular : Want::Any;
    op.node = pick_dir(view);
    op.name = existing_or_any(view, op.node, want);
    op.other = chance(30) ? op.node : pick_dir(view);
    if (chance(15) && !op.node.handle && !op.node.path.empty()) {  // over a directory above
        op.other = op.node;
        op.other.path.pop_back();
        op.other_name = op.node.path.back();
    } else {
        op.other_name =
            chance(55) ? existing_or_any(view, op.other, chance(60) ? want : Want::Any) : pick_name();
    }
    u64 kind = below(10);
    op.rename = kind < 6   ? vfs::RenameKind::Replace
                : kind < 8 ? vfs::RenameKind::Exchange
                           : vfs::RenameKind::NoReplace;
    // Linux 6.18 aborts its transaction over this one.
    if (op.rename == vfs::RenameKind::Exchange && (is_inode(view, op.node, op.name, stand_in_inode) ||
                                                   is_inode(view, op.other, op.other_name, stand_in_inode))) {
        op.rename = vfs::RenameKind::Replace;
    }
}

void Generator::fill_data(Operation& op, Side& view) {
    op.node = op.kind == OperationKind::Truncate ? pick_node(view, Want::Regular) : pick_data(view);
    u64 size = size_of(view, op.node);
    op.at = pick_offset(size);
    op.length = pick_length();
    switch (op.kind) {
        case OperationKind::Truncate:
            op.length = chance(10) ? 0 : pick_offset(size);
            if (below(200) == 0) op.length = between(0x7fff'ffff'ffff'fff0, 0x8000'0000'0000'0000);
            break;
        case OperationKind::Read:  // what lies beyond the greatest position is the system call's to refuse
            op.at = std::min(op.at, u64{1} << 62);
            break;
        case OperationKind::Seek:
            op.whence = chance(50) ? vfs::Whence::Data : vfs::Whence::Hole;
            if (type_of(view, op.node) != FileType::Regular) op.kind = OperationKind::Read;
            break;
        case OperationKind::Fallocate: {
            u64 mode = below(100);
            op.fallocate = mode < 20   ? vfs::FallocateMode::Allocate
                           : mode < 40 ? vfs::FallocateMode::KeepSize
                           : mode < 70 ? vfs::FallocateMode::PunchHole
                           : mode < 83 ? vfs::FallocateMode::ZeroRange
                           : mode < 96 ? vfs::FallocateMode::ZeroRangeKeepSize
                           : mode < 98 ? vfs::FallocateMode::CollapseRange
                                       : vfs::FallocateMode::InsertRange;
            if (below(100) == 0) op.at = between(0x7fff'ffff'ffff'0000, 0x8000'0000'0000'0000);
            break;
        }
        default:
            break;
    }
}

void Generator::fill_clone(Operation& op, Side& view) {
    op.node = pick_data(view);
    op.other = chance(25) ? op.node : pick_data(view);
    u64 size = size_of(view, op.node), other_size = size_of(view, op.other);
    op.at = pick_offset(size);
    op.to_at = pick_offset(other_size);
    op.length = pick_length();
    if (chance(90)) {
        op.at = op.at / 4096 * 4096;
        op.to_at = op.to_at / 4096 * 4096;
    }
    if (op.at >= size && chance(90)) op.at = size / 2 / 4096 * 4096;
    u64 behind = op.at < size ? size - op.at : 0;
    if (chance(30)) {
        op.length = chance(50) ? 0 : behind;
        if (chance(60)) op.to_at = (other_size + 4095) / 4096 * 4096;
    } else if (chance(90)) {
        op.length = std::min((op.length + 4095), behind) / 4096 * 4096;
    }
    if (op.at >= (u64{1} << 39) || op.length >= (u64{1} << 39)) op.length = 4096;
}

std::string Generator::pick_xattr_name() {
    constexpr const char* prefixes[] = {"user.", "trusted.", "security."};
    if (chance(4)) {
        constexpr const char* odd[] = {"user.", "trusted.", "foo.bar",  "system.foo",
                                       "",      "nodot",    "btrfs.foo"};
        return odd[below(std::size(odd))];
    }
    std::string prefix = prefixes[chance(70) ? 0 : below(std::size(prefixes))];
    if (chance(4)) return prefix + std::string(below(2) ? 250 : 245, 'n');
    return prefix + std::string(1, static_cast<char>('a' + below(6)));
}

// A list with named users or groups most of the time, or one that the mode can say; sometimes none at all.
std::string Generator::make_acl() {
    vfs::Acl acl;
    const bool named = chance(70);
    auto add = [&](u16 tag, u32 id) { acl.push_back({tag, static_cast<u16>(below(8)), id}); };
    add(0x01, ~0U);
    for (u64 i = named ? between(1, 3) : 0; i-- > 0;) add(0x02, static_cast<u32>(between(1000, 1005)));
    add(0x04, ~0U);
    if (named && chance(50)) add(0x08, static_cast<u32>(between(1000, 1005)));
    if (named || chance(20)) add(0x10, ~0U);
    add(0x20, ~0U);
    if (chance(4)) std::swap(acl.front(), acl.back());
    if (chance(4)) acl.erase(acl.begin() + static_cast<std::ptrdiff_t>(below(acl.size())));
    if (chance(3)) acl[below(acl.size())].tag = static_cast<u16>(below(70));
    if (chance(3)) acl[below(acl.size())].perm = static_cast<u16>(below(20));
    if (chance(3)) acl[below(acl.size())].id = static_cast<u32>(below(2)) - 1;
    Buffer value = vfs::acl_value(acl);
    if (chance(3)) value.resize(between(1, value.size()));
    if (chance(2)) value[0] = static_cast<u8>(below(4));
    return std::string(as_text(value));
}

void Generator::fill_xattr(Operation& op, Side& view) {
    if (chance(10)) {
        const bool of_directory = chance(50);
        op.node = pick_node(view, of_directory ? Want::Directory : Want::Any);
        op.name = vfs::acl_xattr(chance(50) ? vfs::AclKind::Access : vfs::AclKind::Default);
        op.target = make_acl();
        return;
    }
    op.node = pick_node(view, chance(60) ? Want::Any : Want::Regular);
    op.name = pick_xattr_name();
    op.length = chance(80) ? between(0, 200) : chance(80) ? between(0, 4000) : between(3900, 4000);
    if (chance(3)) op.length = between(16100, 16300);
    if (chance(1)) op.length = between(65530, 65540);
    // Whether Linux makes one that is there so long depends on what its leaf has free.
    if (op.length > 4000) op.name = "user.long" + std::to_string(below(1000000));
    u64 mode = below(10);
    op.xattr = mode < 7 ? vfs::XattrMode::Any : mode < 9 ? vfs::XattrMode::Create : vfs::XattrMode::Replace;
}

void Generator::fill_attributes(Operation& op, Side& view) {
    op.node = pick_node(view, Want::Any);
    if (op.kind == OperationKind::List) op.node = pick_node(view, Want::Directory);
    if (op.kind == OperationKind::Parent) op.node = pick_dir(view);
    // What changes there lasts until Linux forgets the inode.
    if (is_inode(view, op.node, "", stand_in_inode)) op.node = {};
    if (op.kind == OperationKind::SetFlags) {
        // Sync, immutable, append-only, no dump, no atime, synchronous directory; not copied on write; not
        // compressed, compressed.
        constexpr u64 bits[] = {1 << 5,  1 << 6, 1 << 7, 1 << 8, 1 << 9,
                                1 << 10, 1 << 1, 1 << 1, 1 << 3, 1 << 11};
        op.flags = bits[below(std::size(bits))];
        if (chance(30)) op.flags |= bits[below(std::size(bits))];
    }
    if (op.kind != OperationKind::SetAttributes) return;
    u64 what = below(31) + 1;
    if (what & 1) op.change.mode = pick_permissions();
    if (what & 2) op.change.uid = static_cast<u32>(below(3) * 1000);
    if (what & 4) op.change.gid = static_cast<u32>(below(3) * 100);
    if (what & 8) op.change.atime = pick_time();
    if (what & 16) op.change.mtime = pick_time();
}

void Generator::fill_subvolume(Operation& op, Side& view) {
    op.inode.mode = 0040000 | (chance(70) ? 0755U : static_cast<u32>(below(01000)));
    op.node = pick_dir(view);
    op.name = pick_name();
    if (op.kind == OperationKind::DeleteSubvolume) {
        op.name = existing_or_any(view, op.node, Want::Directory);
        NodeRef found = pick_subvolume(view);
        if (chance(85) && !found.path.empty()) {
            op.name = found.path.back();
            found.path.pop_back();
            op.node = found;
        }
    }
    if (op.kind != OperationKind::Snapshot) return;
    op.name.clear();
    if (chance(90)) op.node = pick_subvolume(view);
    op.other = pick_dir(view);
    op.other_name = pick_name();
    op.snapshot = chance(35) ? vfs::SnapshotKind::ReadOnly : vfs::SnapshotKind::Writable;
}

void Generator::fill_handle(Operation& op, Side& view) {
    op.handle = below(handle_count);
    if (op.kind == OperationKind::Release) return;
    op.node = op.kind == OperationKind::Tmpfile ? pick_dir(view) : pick_node(view, Want::Any);
    op.inode.mode = 0100000 | pick_permissions();
    if (op.node.handle == op.handle || is_inode(view, op.node, "", stand_in_inode)) op.node = {};
}

}  // namespace glassfs::differential
