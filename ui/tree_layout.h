// SPDX-License-Identifier: MIT
// Where the blocks of a tree stand, without pixels and without ImGui.
//
// Leaves are one unit wide and stand side by side in key order; a node is as wide as all of its children
// together, so that it stands above them. A block's row is its distance from the root (0 is the root), which
// is safe even when a damaged block claims a level that can't be.
//
//     row 0   |              root  [0, 7)                 |
//     row 1   |  node [0, 3)      |  node [3, 7)          |
//     row 2   | 0 | 1 | 2         | 3 | 4 | 5 | 6         |    units
//
// Prefix sums per row make the mean fill and the number of bad blocks of any run of blocks a subtraction;
// what is on the screen is found by binary search. Built once per tree map: O(blocks). Then nothing here is
// O(blocks).
#pragma once

#include "ui/model/session.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace glassfs::ui {

// A run of consecutive blocks of one row, drawn as one.
struct Cell {
    u32 first = 0;     // rank in the row of the first one
    u32 count = 0;     // blocks
    double begin = 0;  // units
    double end = 0;    // units
    float fill = 0;    // mean, 0 to 1, weighed by capacity
    u32 bad = 0;       // blocks with a bad checksum or content
    u32 newest = 0;    // blocks written by the newest generation of this tree
};

class TreeLayout {
  public:
    static constexpr u32 none = ~0U;
    static constexpr unsigned rows_max = 16;  // btrfs has at most 8 levels; what is deeper isn't placed

    TreeLayout() = default;
    explicit TreeLayout(const TreeMap& map);

    u32 size() const { return static_cast<u32>(nodes_.size()); }      // records, placed or not
    u32 width() const { return nodes_.empty() ? 0 : nodes_[0].end; }  // units
    unsigned rows() const { return static_cast<unsigned>(rows_.size()); }
    // Records of a row in key order.
    std::span<const u32> row(unsigned r) const { return rows_[r].records; }

    bool placed(u32 record) const { return record < size() && nodes_[record].row < rows_max; }
    unsigned row_of(u32 record) const { return nodes_[record].row; }
    u32 rank_of(u32 record) const { return nodes_[record].rank; }  // place within its row
    u32 begin(u32 record) const { return nodes_[record].begin; }   // units
    u32 end(u32 record) const { return nodes_[record].end; }
    double centre(u32 record) const { return 0.5 * (double(begin(record)) + double(end(record))); }
    u32 parent(u32 record) const { return nodes_[record].parent; }  // none for the root
    // Ranks [first, first + count) of the children in the next row.
    std::pair<u32, u32> children(u32 record) const {
        return {nodes_[record].first_child, nodes_[record].children};
    }
    float fill(u32 record) const { return nodes_[record].fill; }  // 0 to 1
    bool bad(u32 record) const { return nodes_[record].bad; }
    bool newest(u32 record) const { return nodes_[record].newest; }
    Generation newest_generation() const { return newest_; }
    u32 find(LogicalAddr) const;  // none when it isn't in this tree

    // Records from the root to `record`, both included.
    std::vector<u32> path(u32 record) const;
    // Ranks [first, last) of the blocks of a row that touch the units [from, to).
    std::pair<u32, u32> visible(unsigned row, double from, double to) const;
    // The block of a row at this place, or none.
    u32 at(unsigned row, double unit) const;
    // Ranks [first, first + count) as one cell.
    Cell cell(unsigned row, u32 first, u32 count) const;
    // Cells of `per_cell` blocks that touch [from, to). Cells begin at multiples of per_cell, so panning
    // doesn't change their content.
    std::vector<Cell> strip(unsigned row, double from, double to, u32 per_cell) const;
    // The widest row in key order in at most `columns` cells.
    std::vector<Cell> minimap(u32 columns) const;

  private:
    struct Node {
        u32 begin = 0, end = 0;
        u32 parent = none;
        u32 rank = 0;
        u32 first_child = 0, children = 0;
        u32 used = 0, capacity = 0;  // bytes
        float fill = 0;
        u8 row = rows_max;
        bool bad = false;
        bool newest = false;
    };
    struct Row {
        std::vector<u32> records;
        std::vector<u64> used, capacity;  // prefix sums, one element more than records
        std::vector<u32> bad, newest;
    };

    void read(const TreeMap&);
    void measure();
    void place();
    void sum_up();

    std::vector<Node> nodes_;
    std::vector<Row> rows_;
    std::unordered_map<LogicalAddr, u32> by_addr_;
    Generation newest_;
};

}  // namespace glassfs::ui
