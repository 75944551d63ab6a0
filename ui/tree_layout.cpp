// SPDX-License-Identifier: MIT
// Placing the blocks: widths from the bottom up (a parent's record always precedes its children's), then
// places from the top down, row by row.
#include "ui/tree_layout.h"

#include <algorithm>
#include <cmath>

namespace glassfs::ui {

TreeLayout::TreeLayout(const TreeMap& map) {
    if (map.size() == 0) return;
    read(map);
    measure();
    place();
    sum_up();
}

void TreeLayout::read(const TreeMap& map) {
    const auto count = static_cast<u32>(std::min<std::size_t>(map.size(), none - 1));
    nodes_.resize(count);
    by_addr_.reserve(count);
    for (u32 i = 0; i < count; ++i) newest_ = std::max(newest_, map[i].generation);
    for (u32 i = 0; i < count; ++i) {
        const inspect::NodeRecord& record = map[i];
        Node& node = nodes_[i];
        // A record that doesn't name an earlier one as its parent hangs below the root.
        node.parent = i == 0 ? none : record.parent < i ? record.parent : 0;
        u64 used = 0;
        for (u32 bytes : record.bytes_of) used += bytes;
        node.used = static_cast<u32>(std::min<u64>(used, none));
        node.capacity = static_cast<u32>(std::min<u64>(used + record.free_bytes, none));
        node.fill =
            node.capacity == 0 ? 0.0F : static_cast<float>(node.used) / static_cast<float>(node.capacity);
        node.bad = record.bad;
        node.newest = record.generation == newest_;
        by_addr_.emplace(record.addr, i);
    }
}

void TreeLayout::measure() {
    nodes_[0].row = 0;
    for (u32 i = 1; i < size(); ++i) {
        const unsigned above = nodes_[nodes_[i].parent].row;
        nodes_[i].row = static_cast<u8>(std::min(above + 1, rows_max));
    }
    // `end` holds the width until place().
    for (u32 i = size(); i-- > 0;) {
        Node& node = nodes_[i];
        if (!placed(i)) continue;
        if (node.end == 0) node.end = 1;
        if (node.parent == none) continue;
        nodes_[node.parent].end += node.end;
        ++nodes_[node.parent].children;
    }
}

void TreeLayout::place() {
    std::vector<std::vector<u32>> in_row(rows_max);
    for (u32 i = 0; i < size(); ++i) {
        if (placed(i)) in_row[nodes_[i].row].push_back(i);
    }
    rows_.resize(static_cast<std::size_t>(
        std::find_if(in_row.begin(), in_row.end(), [](const auto& row) { return row.empty(); }) -
        in_row.begin()));
    rows_[0].records = {0};
    std::vector<u32> next_unit(size(), 0);
    std::vector<u32> next_child(size(), 0);
    for (unsigned r = 1; r < rows(); ++r) {
        u32 first = 0;
        for (u32 parent : rows_[r - 1].records) {
            nodes_[parent].first_child = first;
            first += nodes_[parent].children;
        }
        rows_[r].records.resize(in_row[r].size());
        // Siblings come in key order, though not always side by side: counting puts them in their places.
        for (u32 i : in_row[r]) {
            Node& node = nodes_[i];
            const u32 width = node.end;
            node.begin = nodes_[node.parent].begin + next_unit[node.parent];
            node.end = node.begin + width;
            next_unit[node.parent] += width;
            node.rank = nodes_[node.parent].first_child + next_child[node.parent]++;
            rows_[r].records[node.rank] = i;
        }
    }
}

void TreeLayout::sum_up() {
    for (Row& row : rows_) {
        row.used.assign(1, 0);
        row.capacity.assign(1, 0);
        row.bad.assign(1, 0);
        row.newest.assign(1, 0);
        for (u32 record : row.records) {
            const Node& node = nodes_[record];
            row.used.push_back(row.used.back() + node.used);
            row.capacity.push_back(row.capacity.back() + node.capacity);
            row.bad.push_back(row.bad.back() + (node.bad ? 1 : 0));
            row.newest.push_back(row.newest.back() + (node.newest ? 1 : 0));
        }
    }
}

u32 TreeLayout::find(LogicalAddr addr) const {
    const auto found = by_addr_.find(addr);
    return found == by_addr_.end() || !placed(found->second) ? none : found->second;
}

std::vector<u32> TreeLayout::path(u32 record) const {
    std::vector<u32> result;
    for (u32 at = record; at != none && result.size() <= rows_max; at = parent(at)) result.push_back(at);
    std::reverse(result.begin(), result.end());
    return result;
}

std::pair<u32, u32> TreeLayout::visible(unsigned row, double from, double to) const {
    const auto& records = rows_[row].records;
    const auto first = std::partition_point(records.begin(), records.end(),
                                            [&](u32 record) { return double(nodes_[record].end) <= from; });
    const auto last = std::partition_point(first, records.end(),
                                           [&](u32 record) { return double(nodes_[record].begin) < to; });
    return {static_cast<u32>(first - records.begin()), static_cast<u32>(last - records.begin())};
}

u32 TreeLayout::at(unsigned row, double unit) const {
    const auto [first, last] = visible(row, unit, std::nextafter(unit, 1e18));
    return first == last ? none : rows_[row].records[first];
}

Cell TreeLayout::cell(unsigned r, u32 first, u32 count) const {
    const Row& row = rows_[r];
    const auto all = static_cast<u32>(row.records.size());
    Cell result;
    result.first = std::min(first, all);
    result.count = std::min(count, all - result.first);
    if (result.count == 0) return result;
    const u32 last = result.first + result.count;
    result.begin = nodes_[row.records[result.first]].begin;
    result.end = nodes_[row.records[last - 1]].end;
    const u64 capacity = row.capacity[last] - row.capacity[result.first];
    const u64 used = row.used[last] - row.used[result.first];
    result.fill = capacity == 0 ? 0.0F : static_cast<float>(double(used) / double(capacity));
    result.bad = row.bad[last] - row.bad[result.first];
    result.newest = row.newest[last] - row.newest[result.first];
    return result;
}

std::vector<Cell> TreeLayout::strip(unsigned row, double from, double to, u32 per_cell) const {
    std::vector<Cell> cells;
    const u32 step = std::max<u32>(per_cell, 1);
    const auto [first, last] = visible(row, from, to);
    for (u32 at = first / step * step; at < last; at += step) cells.push_back(cell(row, at, step));
    return cells;
}

std::vector<Cell> TreeLayout::minimap(u32 columns) const {
    if (rows_.empty() || columns == 0) return {};
    unsigned widest = 0;
    for (unsigned r = 1; r < rows(); ++r) {
        if (rows_[r].records.size() >= rows_[widest].records.size()) widest = r;
    }
    const auto count = static_cast<u32>(rows_[widest].records.size());
    return strip(widest, 0, width(), (count + columns - 1) / columns);
}

}  // namespace glassfs::ui
