// SPDX-License-Identifier: MIT
// The inspector of a btrfs volume. Reads blocks past the volume's cache and without its refusals, so that
// damaged ones can be shown with what is wrong with them.
#pragma once

#include "btrfs/file_system.h"
#include "inspect/inspector.h"

namespace glassfs::inspect {

class BtrfsInspector final : public Inspector {
  public:
    // Both must outlive this.
    BtrfsInspector(btrfs::Volume& volume, btrfs::FileSystem& files) : volume_(volume), files_(files) {}

    VolumeInfo info() override;
    std::vector<Field> superblock() override;
    std::shared_ptr<const Buffer> superblock_raw() override;
    std::vector<TreeInfo> trees() override;
    Result<BlockView> block(LogicalAddr) override;
    Result<std::vector<Field>> item_fields(LogicalAddr, u32 slot) override;
    Result<void> walk_tree(u64 tree, const std::function<bool(const NodeRecord&)>& visit) override;
    Result<std::vector<PathStep>> path_to(vfs::NodeId) override;
    Result<std::vector<PathStep>> path_to_key(u64 tree, KeyRef key) override;
    Result<SpaceMap> space() override;

  private:
    struct RawBlock {
        btrfs::TreeBlock block;
        std::vector<Copy> copies;
        std::optional<Error> error;
        bool in_memory = false;
    };
    struct Walk;  // one walk_tree() under way

    Result<RawBlock> read_any_copy(LogicalAddr);
    Result<btrfs::TreeRoot> root_of(u64 tree);
    Result<void> add_dev_extents(SpaceMap&);
    Result<void> add_used(SpaceMap&);
    Result<btrfs::TreeRoot> log_tree_root(u64 subvolume);
    void add_log_trees(std::vector<TreeInfo>&);
    void append_path(std::vector<PathStep>&, const btrfs::Cursor&, const std::string& tree_name);
    std::string tree_name(u64 tree);
    std::string subvolume_name(u64 tree);
    Item make_item(const btrfs::TreeBlock&, u32 slot, bool check);

    btrfs::Volume& volume_;
    btrfs::FileSystem& files_;
};

}  // namespace glassfs::inspect
