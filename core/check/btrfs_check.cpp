// SPDX-License-Identifier: MIT
#include "check/btrfs_check.h"

#include "check/btrfs_files.h"
#include "check/btrfs_space.h"

namespace glassfs::check {

namespace {

// Trees of the log are not in the extent tree yet: only that they can be read.
void check_log(BlockReader& reader) {
    auto log_root = reader.volume().log_root_tree();
    if (!log_root) return;
    std::vector<TreeRoot> logs;
    for_each_item(reader, *log_root, [&](const ItemView& item) {
        if (type_of(item.key) != KeyType::RootItem) return;
        const auto& root = view<btrfs::disk::btrfs_root_item>(item.data);
        logs.push_back(
            {btrfs::tree_log_objectid, LogicalAddr{root.bytenr}, root.level, Generation{root.generation}});
    });
    for (const TreeRoot& log : logs) for_each_item(reader, log, [](const ItemView&) {});
}

void check_references(BlockReader& reader, ExtentCheck& extents, const RootCheck& roots) {
    extents.note_tree(reader.volume().root_tree(), std::nullopt);
    extents.note_tree(reader.volume().chunk_tree(), std::nullopt);
    for (const RootRecord& record : roots.roots()) extents.note_tree(record.root, record.drop);
    extents.compare_refs();
    extents.check_used_bytes();
}

void check_all_files(const FileCheckParts& parts) {
    u64 done = 0;
    const auto& roots = parts.roots.roots();
    for (const RootRecord& record : roots) {
        parts.reader.findings().advance(done++, roots.size());
        bool files = is_subvolume(record.root.id) || record.root.id == btrfs::data_reloc_tree_objectid;
        if (record.refs == 0) continue;  // deleted: what is left of it need not fit together
        if (files && !parts.reader.findings().cancelled()) check_files(parts, record);
    }
}

u64 data_bytes(const ExtentCheck& extents) {
    u64 sum = 0;
    for (const ExtentRecord& extent : extents.extents()) sum += extent.is_data() ? extent.length : 0;
    return sum;
}

// A dump of metadata has no data to compare checksums with.
bool has_data(const btrfs::Volume& volume) {
    constexpr u64 metadump = btrfs::super_flag_metadump | btrfs::super_flag_metadump_v2;
    return !volume.is_metadump() && (volume.super().flags & metadump) == 0;
}

}  // namespace

Result<Report> check_btrfs(btrfs::Volume& volume, const Options& options,
                           const std::function<bool(double)>& progress) {
    Findings findings(options, progress);
    BlockReader reader(volume, findings);
    // Of dev extents check_chunks() knows more than the error that opening ended with.
    for (const Error& error : volume.open_errors()) {
        if (error.cause != Cause::DevExtentBad) findings.problem(error);
    }
    bool with_data = options.data_checksums && has_data(volume);
    RootCheck roots(reader);
    ExtentCheck extents(reader);
    CsumMap csums;
    QuotaCheck quota(reader);
    check_superblocks(reader);
    findings.begin_phase(with_data ? 0.05 : 0.2);
    roots.read();
    extents.read_recorded();
    findings.begin_phase(with_data ? 0.15 : 0.6);
    check_references(reader, extents, roots);
    check_chunks(reader, extents.block_groups());
    check_free_space(reader, extents);
    csums.read(reader, extents);
    quota.read(roots.roots());
    findings.begin_phase(with_data ? 0.25 : 1.0);
    check_all_files({reader, csums, roots, quota});
    roots.check_names();
    quota.compare(roots.roots());
    check_log(reader);
    findings.begin_phase(1.0);
    if (with_data && !findings.cancelled()) check_data(reader, data_bytes(extents));
    if (findings.cancelled()) return fail(Cause::Cancelled);
    return std::move(findings.report());
}

}  // namespace glassfs::check
