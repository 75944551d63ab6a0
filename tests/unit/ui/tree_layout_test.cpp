// SPDX-License-Identifier: MIT
// Places of blocks, aggregation, and the plan of the Trees picture, on trees made up here.
#include "ui/tree_layout.h"

#include "ui/tree_plan.h"

#include <chrono>
#include <doctest/doctest.h>

using namespace glassfs;
using namespace glassfs::ui;

namespace {

void add(TreeMap& map, const inspect::NodeRecord& record) {
    if (map.chunks.empty() || map.chunks.back()->size() == TreeMap::chunk_size) {
        map.chunks.push_back(std::make_shared<TreeMap::Chunk>());
    }
    auto chunk = std::make_shared<TreeMap::Chunk>(*map.chunks.back());
    chunk->push_back(record);
    map.chunks.back() = chunk;
}

inspect::NodeRecord record_of(u64 addr, u32 parent, u32 slot, u8 level, u32 used) {
    inspect::NodeRecord record;
    record.addr = LogicalAddr{addr};
    record.parent = parent;
    record.slot = slot;
    record.level = level;
    record.bytes_of[0] = used;
    record.free_bytes = 4000 - used;
    record.generation = Generation{addr % 7};
    return record;
}

// A balanced tree in walk_tree's order: `fans[0]` children of the root, and so on.
void grow(std::vector<inspect::NodeRecord>& out, const std::vector<u32>& fans, unsigned depth, u32 parent,
          u32 slot) {
    const auto self = static_cast<u32>(out.size());
    const auto level = static_cast<u8>(fans.size() - depth);
    out.push_back(
        record_of(4096ULL * (self + 1), depth == 0 ? self : parent, slot, level, 1000 + self % 2000));
    if (depth == fans.size()) return;
    for (u32 i = 0; i < fans[depth]; ++i) grow(out, fans, depth + 1, self, i);
}

TreeMap balanced(const std::vector<u32>& fans) {
    std::vector<inspect::NodeRecord> records;
    grow(records, fans, 0, 0, 0);
    TreeMap map;
    for (std::size_t at = 0; at < records.size(); at += TreeMap::chunk_size) {
        const std::size_t end = std::min(at + TreeMap::chunk_size, records.size());
        map.chunks.push_back(std::make_shared<TreeMap::Chunk>(records.begin() + std::ptrdiff_t(at),
                                                              records.begin() + std::ptrdiff_t(end)));
    }
    return map;
}

}  // namespace

TEST_CASE("ui/tree_layout: a node stands above its children, in key order") {
    const TreeLayout layout(balanced({3, 4}));
    REQUIRE(layout.rows() == 3);
    CHECK(layout.width() == 12);
    CHECK(layout.row(0).size() == 1);
    CHECK(layout.row(1).size() == 3);
    CHECK(layout.row(2).size() == 12);
    for (unsigned r = 0; r < 3; ++r) {
        u32 unit = 0;
        for (u32 rank = 0; rank < layout.row(r).size(); ++rank) {
            const u32 record = layout.row(r)[rank];
            CHECK(layout.rank_of(record) == rank);
            CHECK(layout.row_of(record) == r);
            CHECK(layout.begin(record) == unit);
            unit = layout.end(record);
            const auto [first, count] = layout.children(record);
            for (u32 i = first; i < first + count; ++i) {
                const u32 child = layout.row(r + 1)[i];
                CHECK(layout.parent(child) == record);
                CHECK(layout.begin(child) >= layout.begin(record));
                CHECK(layout.end(child) <= layout.end(record));
            }
        }
        CHECK(unit == 12);
    }
    CHECK(layout.path(layout.row(2)[11]) == std::vector<u32>{0, layout.row(1)[2], layout.row(2)[11]});
}

TEST_CASE("ui/tree_layout: siblings that don't come side by side are put together") {
    TreeMap map;
    add(map, record_of(4096, 0, 0, 2, 100));
    add(map, record_of(8192, 0, 0, 1, 100));
    add(map, record_of(12288, 0, 1, 1, 100));
    add(map, record_of(16384, 2, 0, 0, 100));  // of the second node
    add(map, record_of(20480, 1, 0, 0, 100));  // of the first one
    const TreeLayout layout(map);
    REQUIRE(layout.row(2).size() == 2);
    CHECK(layout.row(2)[0] == 4);
    CHECK(layout.row(2)[1] == 3);
    CHECK(layout.begin(4) == 0);
    CHECK(layout.begin(3) == 1);
}

TEST_CASE("ui/tree_layout: levels and parents that can't be are survived") {
    TreeMap map;
    add(map, record_of(4096, 7, 0, 200, 100));
    add(map, record_of(8192, 900, 0, 90, 100));  // a parent that doesn't exist
    for (u32 i = 2; i < 40; ++i)
        add(map, record_of(4096ULL * (i + 1), i - 1, 0, 3, 100));  // a chain too deep
    const TreeLayout layout(map);
    CHECK(layout.rows() == TreeLayout::rows_max);
    CHECK(layout.width() == 1);
    CHECK(layout.parent(1) == 0);
    CHECK(layout.placed(15));
    CHECK_FALSE(layout.placed(16));
    CHECK(layout.find(LogicalAddr{4096ULL * 17}) == TreeLayout::none);
    CHECK(TreeLayout(TreeMap{}).rows() == 0);
}

TEST_CASE("ui/tree_layout: what is visible is found without looking at the rest") {
    const TreeLayout layout(balanced({20, 20}));
    CHECK(layout.visible(2, 10.5, 12.0) == std::pair<u32, u32>{10, 12});
    CHECK(layout.visible(2, -50, 0) == std::pair<u32, u32>{0, 0});
    CHECK(layout.visible(2, 399.5, 1e9) == std::pair<u32, u32>{399, 400});
    CHECK(layout.visible(1, 19.9, 20.1) == std::pair<u32, u32>{0, 2});
    CHECK(layout.at(2, 17.5) == layout.row(2)[17]);
    CHECK(layout.at(2, 400.5) == TreeLayout::none);
}

TEST_CASE("ui/tree_layout: a cell's fill is the mean of its blocks, its counts their sums") {
    TreeMap map = balanced({8});
    auto chunk = std::make_shared<TreeMap::Chunk>(*map.chunks[0]);
    for (u32 i = 1; i <= 8; ++i) {
        (*chunk)[i].bytes_of = {};
        (*chunk)[i].bytes_of[3] = i * 400;
        (*chunk)[i].free_bytes = 4000 - i * 400;
        (*chunk)[i].bad = i == 3 || i == 8;
    }
    map.chunks[0] = chunk;
    const TreeLayout layout(map);
    const Cell all = layout.cell(1, 0, 100);
    CHECK(all.count == 8);
    CHECK(all.fill == doctest::Approx(0.45));
    CHECK(all.bad == 2);
    const Cell two = layout.cell(1, 2, 2);
    CHECK(two.fill == doctest::Approx(0.35));
    CHECK(two.bad == 1);
    CHECK(two.begin == 2);
    CHECK(two.end == 4);
    CHECK(layout.cell(1, 9, 2).count == 0);
}

TEST_CASE("ui/tree_layout: panning doesn't change what a strip's cells hold") {
    const TreeLayout layout(balanced({10, 100}));
    const auto here = layout.strip(2, 100, 400, 16);
    const auto there = layout.strip(2, 109, 409, 16);
    REQUIRE(here.size() > 10);
    for (const Cell& cell : here) {
        for (const Cell& other : there) {
            if (other.first == cell.first) CHECK(other.fill == cell.fill);
        }
        CHECK(cell.first % 16 == 0);
    }
    u32 sum = 0;
    for (const Cell& cell : layout.strip(2, 0, 1000, 64)) sum += cell.count;
    CHECK(sum == 1000);
    CHECK(layout.minimap(240).size() <= 240);
    CHECK(layout.minimap(240).size() >= 200);
}

TEST_CASE(
    "ui/tree_plan: ten leaves are the design's picture: root, leaves at Z1, the focused leaf as a card") {
    const TreeLayout layout(balanced({10}));
    const PicturePlan plan = plan_picture(layout, fit(layout, 1012), {1012, 600}, layout.row(1)[3]);
    REQUIRE(plan.rows.size() == 2);
    CHECK(plan.rows[0].kind == RowPlan::Kind::Blocks);
    CHECK(plan.rows[1].zoom == Zoom::Z1);
    CHECK_FALSE(plan.neighbours);
    CHECK(plan.card);
    CHECK(plan.content_height <= 600);
    const Span leaf = block_span(layout, fit(layout, 1012), 1012, layout.row(1)[0], plan.rows[1].block_w);
    CHECK(leaf.left >= side_margin);
    CHECK(leaf.width() == doctest::Approx(85).epsilon(0.02));
}

TEST_CASE("ui/tree_plan: more than 400 visible blocks are a strip, with the path and nine blocks readable") {
    const TreeLayout layout(balanced({100, 200}));
    const PicturePlan plan = plan_picture(layout, fit(layout, 1012), {1012, 600}, layout.row(2)[5000]);
    CHECK(plan.rows[0].kind == RowPlan::Kind::Blocks);
    CHECK(plan.rows[1].kind == RowPlan::Kind::Cells);
    CHECK(plan.rows[1].path_height > 0);
    CHECK(plan.rows[2].kind == RowPlan::Kind::Strip);
    CHECK(plan.rows[2].per_cell >= 8.0 / fit(layout, 1012).pitch);
    CHECK(plan.neighbours);
    CHECK(neighbours_of(layout, layout.row(2)[5000]) == std::pair<u32, u32>{4996, 5005});
    CHECK(neighbours_of(layout, layout.row(2)[1]) == std::pair<u32, u32>{0, 9});
    CHECK(neighbours_of(layout, layout.row(2)[19999]) == std::pair<u32, u32>{19991, 20000});
    CHECK(plan.content_height <= 600);
}

TEST_CASE("ui/tree_plan: nothing in a plan overlaps, and small stages drop the card before the rows") {
    const TreeLayout layout(balanced({6, 30, 120}));
    for (float height : {180.0F, 260.0F, 330.0F, 480.0F, 700.0F, 1200.0F}) {
        for (double pitch : {0.04, 0.5, 4.0, 30.0, 98.0, 200.0, 500.0, 900.0}) {
            for (unsigned r = 0; r < 4; ++r) {
                const u32 focus = layout.row(r)[layout.row(r).size() / 2];
                const PicturePlan plan = plan_picture(layout, {100, pitch}, {976, height}, focus);
                float y = 0;
                for (const RowPlan& row : plan.rows) {
                    CHECK(row.y > y);
                    CHECK(row.height >= 26);
                    y = row.bottom();
                }
                if (plan.neighbours) CHECK(plan.neighbours.y > y);
                if (plan.card) CHECK(plan.card.y > y);
                if (plan.card) CHECK(plan.content_height <= height + 0.5F);
                if (plan.zoom >= Zoom::Z2) CHECK_FALSE(plan.card);
                // Four levels, and the focused one can be read, even on the lowest stage there is.
                if (height >= 260) CHECK(plan.content_height <= height + 0.5F);
            }
        }
    }
}

TEST_CASE("ui/tree_plan: the zoom levels begin at the design's widths, earlier on a narrow stage") {
    const ZoomLimits wide = ZoomLimits::of(1012);
    CHECK(wide.zoom_of(39) == Zoom::Z0);
    CHECK(wide.zoom_of(40) == Zoom::Z1);
    CHECK(wide.zoom_of(140) == Zoom::Z2);
    CHECK(wide.zoom_of(400) == Zoom::Z3);
    CHECK(wide.zoom_of(800) == Zoom::Z4);
    for (float width : {560.0F, 692.0F, 1012.0F, 1500.0F}) {
        CHECK(ZoomLimits::of(width).zoom_of(block_width(pitch_max(width))) == Zoom::Z4);
    }
    CHECK(block_width(pitch_for_width(386)) == doctest::Approx(386));
    CHECK(block_width(pitch_for_width(20)) == doctest::Approx(20));
}

TEST_CASE("ui/tree_plan: zooming keeps the block below the pointer") {
    const TreeLayout layout(balanced({100, 200}));
    Camera camera = fit(layout, 1012);
    const double unit = camera.to_unit(300, 1012);
    for (int i = 0; i < 30; ++i) {
        camera = zoomed_at(camera, 1.25, 300, layout, 1012);
        CHECK(camera.to_unit(300, 1012) == doctest::Approx(unit).epsilon(0.01));
    }
    CHECK(camera.pitch > 30);
    for (int i = 0; i < 90; ++i) camera = zoomed_at(camera, 0.8, 300, layout, 1012);
    CHECK(camera.pitch == doctest::Approx(pitch_min(layout, 1012)));
    CHECK(camera.centre == doctest::Approx(10000));
}

TEST_CASE(
    "ui/tree_plan: looking closer passes through the zoom levels, and revealing brings a block inside") {
    const TreeLayout layout(balanced({100, 200}));
    const u32 leaf = layout.row(2)[777];
    Camera camera = fit(layout, 1012);
    std::vector<Zoom> seen;
    for (int i = 0; i < 3; ++i) {
        camera = closer(camera, layout, leaf, 1012);
        seen.push_back(ZoomLimits::of(1012).zoom_of(block_width(camera.pitch)));
        CHECK(camera.to_x(layout.centre(leaf), 1012) == doctest::Approx(506));
    }
    CHECK(seen == std::vector<Zoom>{Zoom::Z2, Zoom::Z3, Zoom::Z4});
    const u32 node = layout.row(1)[40];
    camera = closer(fit(layout, 1012), layout, node, 1012);
    CHECK(camera.to_x(layout.begin(node), 1012) == doctest::Approx(side_margin));
    camera = reveal({50.0, 98.0}, layout, layout.row(2)[9000], 1012);
    CHECK(camera.to_x(layout.end(layout.row(2)[9000]), 1012) == doctest::Approx(1012 - side_margin));
    CHECK(reveal(camera, layout, layout.row(2)[8998], 1012) == camera);
}

TEST_CASE("ui/tree_plan: the path's nodes stay on the stage while any of their children is there") {
    const TreeLayout layout(balanced({10, 50}));
    for (double centre : {5.0, 49.0, 51.0, 260.0, 499.0}) {
        for (double pitch : {20.0, 98.0, 400.0}) {
            const Camera camera = clamped({centre, pitch}, layout, 1012);
            const auto [first, last] = layout.visible(1, camera.to_unit(0, 1012), camera.to_unit(1012, 1012));
            REQUIRE(first < last);
            for (u32 rank = first; rank < last; ++rank) {
                const Span span = block_span(layout, camera, 1012, layout.row(1)[rank], 200);
                CHECK(span.right > 0);
                CHECK(span.left < 1012);
                if (rank > first) {
                    CHECK(span.left > block_span(layout, camera, 1012, layout.row(1)[rank - 1], 200).right);
                }
            }
        }
    }
}

TEST_CASE("ui/tree_plan: a million items' worth of blocks are planned in well under a frame") {
    const TreeMap map = balanced({4, 130, 130});
    REQUIRE(map.size() > 67000);
    const TreeLayout layout(map);
    const auto begin = std::chrono::steady_clock::now();
    std::size_t cells = 0;
    double pitch = fit(layout, 1012).pitch;
    for (int frame = 0; frame < 100; ++frame) {
        const Camera camera = clamped({30000.0 + frame, pitch}, layout, 1012);
        const PicturePlan plan = plan_picture(layout, camera, {1012, 600}, layout.row(3)[30000]);
        for (unsigned r = 0; r < layout.rows(); ++r) {
            cells +=
                layout.strip(r, camera.to_unit(0, 1012), camera.to_unit(1012, 1012), plan.rows[r].per_cell)
                    .size();
        }
        pitch *= 1.1;
    }
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    CHECK(cells < 100 * 4000);
    CHECK(spent.count() / 100 < 8);
}
