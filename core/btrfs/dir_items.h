// SPDX-License-Identifier: MIT
// What DIR_ITEM, DIR_INDEX and XATTR_ITEM items hold: entries back to back, each with a name and (an xattr's)
// value.
#pragma once

#include "btrfs/tree_block.h"

#include <vector>

namespace glassfs::btrfs {

// Name hash of DIR_ITEM and XATTR_ITEM keys.
u64 name_hash(std::string_view name);

// Calls `visit(head, name, value)` for each entry of an item that passed check_item(), until it returns
// false.
template <class F>
void for_each_entry(Bytes item, F&& visit) {
    while (item.size() >= sizeof(disk::btrfs_dir_item)) {
        const auto& head = view<disk::btrfs_dir_item>(item);
        Bytes rest = item.subspan(sizeof head);
        const std::size_t name_len = head.name_len, data_len = head.data_len;
        if (rest.size() < name_len + data_len) return;  // check_item() refuses this
        if (!visit(head, as_text(rest.first(name_len)), rest.subspan(name_len, data_len))) return;
        item = rest.subspan(name_len + data_len);
    }
}

struct NamedEntry {
    const disk::btrfs_dir_item* head;
    std::string_view name;
    Bytes value;
};
std::vector<NamedEntry> parse_entries(Bytes item);

}  // namespace glassfs::btrfs
