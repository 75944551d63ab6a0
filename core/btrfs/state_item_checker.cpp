// SPDX-License-Identifier: MIT
// Items that keep a state: quota numbers, a running balance, a device replacement.

#include "btrfs/item_checker.h"

namespace glassfs::btrfs::checker {

namespace {

Result<void> check_qgroup_status(const ItemContext& item) {
    if (item.key.objectid != 0 || item.key.offset != 0)
        return item.bad(Cause::KeyBad, "expected (0, type, 0)");
    if (item.data.size() != disk::qgroup_status_legacy_size) {
        TRY(item.exactly(sizeof(disk::btrfs_qgroup_status_item)));
    }
    u64 version = view<Le64>(item.data);
    if (version != 1) return item.bad(Cause::QgroupItemBad, say("version ", version, ", expected 1"));
    return {};
}

}  // namespace

Result<void> check_qgroup(const ItemContext& item) {
    switch (type_of(item.key)) {
        case KeyType::QgroupStatus:
            return check_qgroup_status(item);
        case KeyType::QgroupRelation:
            return item.exactly(0);
        default:
            break;
    }
    if (item.key.objectid != 0) return item.bad(Cause::KeyBad, "objectid, expected 0");
    static_assert(sizeof(disk::btrfs_qgroup_info_item) == sizeof(disk::btrfs_qgroup_limit_item));
    return item.exactly(sizeof(disk::btrfs_qgroup_info_item));
}

Result<void> check_temporary(const ItemContext& item) {
    if (item.key.objectid != balance_objectid) return {};
    return item.exactly(sizeof(disk::btrfs_balance_item));
}

Result<void> check_dev_replace(const ItemContext& item) {
    return item.exactly(sizeof(disk::btrfs_dev_replace_item));
}

}  // namespace glassfs::btrfs::checker
