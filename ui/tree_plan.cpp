// SPDX-License-Identifier: MIT
// The camera's arithmetic, and sharing out the height of the picture.
#include "ui/tree_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace glassfs::ui {

namespace {

constexpr float node_height = 62;
constexpr float leaf_height = 100;
constexpr float leaf_height_min = 64;
constexpr float strip_height = 30;
constexpr float caption_height = 20;
constexpr float path_gap = 14;
constexpr float gap_max = 62;
constexpr float gap_min = 26;
constexpr float card_min = 132;
constexpr float card_max = 520;
constexpr float detail_wanted = 180;
constexpr float detail_min = 110;
constexpr float row_height_min = 26;  // an address

struct Spacing {
    float top = 18;
    float gap = gap_min;
};

bool is_last(const TreeLayout& layout, unsigned row) {
    return row + 1 == layout.rows();
}

RowPlan plan_row(const TreeLayout& layout, Camera camera, PictureSize size, unsigned r,
                 const ZoomLimits& limits, bool focused) {
    RowPlan row;
    const auto [first, last] =
        layout.visible(r, camera.to_unit(0, size.width), camera.to_unit(size.width, size.width));
    const double mean_span = double(layout.width()) / double(layout.row(r).size()) * camera.pitch;
    const float mean_width = block_width(std::min(mean_span, double(size.width)));
    const Zoom of_leaf = limits.zoom_of(block_width(camera.pitch));
    if (last - first > cells_from || mean_span < 7) {
        row.kind = RowPlan::Kind::Strip;
        row.zoom = Zoom::Z0;
        row.per_cell =
            static_cast<u32>(std::bit_ceil(static_cast<u64>(std::ceil(8.0 / std::max(mean_span, 1e-9)))));
    } else if (mean_width < limits.z1) {
        row.kind = RowPlan::Kind::Cells;
        row.zoom = Zoom::Z0;
    } else {
        row.zoom = focused && of_leaf >= Zoom::Z2 ? of_leaf : Zoom::Z1;
    }
    row.block_w = row.zoom >= Zoom::Z2 ? block_width(camera.pitch) : is_last(layout, r) ? limits.z2 - 1 : 640;
    if (row.zoom == Zoom::Z1) row.height = is_last(layout, r) ? leaf_height : node_height;
    if (row.zoom == Zoom::Z0) row.height = strip_height;
    if (row.zoom >= Zoom::Z2) row.height = detail_wanted;
    const bool has_caption = row.zoom < Zoom::Z2 && (row.kind == RowPlan::Kind::Strip || is_last(layout, r));
    row.caption = has_caption ? caption_height : row.zoom >= Zoom::Z2 ? 6 : 0;
    return row;
}

// Below a row of cells its block of the current path is drawn so that it can be read.
void give_path_a_place(RowPlan& row) {
    if (row.zoom != Zoom::Z0) return;
    row.path_height = node_height;
    row.caption = 0;
}

float total(const PicturePlan& plan, const Spacing& space) {
    float sum = space.top;
    for (const RowPlan& row : plan.rows) {
        sum += row.height + row.caption + (row.path_height > 0 ? path_gap + row.path_height : 0);
    }
    sum += space.gap * static_cast<float>(plan.rows.size() - 1);
    if (plan.neighbours) sum += gap_min + plan.neighbours.height + caption_height;
    if (plan.card) sum += gap_min + plan.card.height + caption_height;
    return sum;
}

// Takes away what matters least until the rest fits.
Spacing make_it_fit(PicturePlan& plan, float height) {
    Spacing space;
    const auto too_tall = [&] { return total(plan, space) > height; };
    const bool detail = plan.zoom >= Zoom::Z2;
    if (too_tall()) plan.card = {};
    for (unsigned r = 0; too_tall() && r < plan.rows.size(); ++r) {
        if (!detail || r != plan.focus_row)
            plan.rows[r].height = std::min(plan.rows[r].height, leaf_height_min);
    }
    if (too_tall()) plan.neighbours = {};
    for (unsigned r = 0; too_tall() && r < plan.rows.size(); ++r) plan.rows[r].path_height = 0;
    if (too_tall()) space = {.top = 8, .gap = 14};
    for (unsigned r = 0; too_tall() && r < plan.rows.size(); ++r) {
        const float least = detail && r == plan.focus_row ? detail_min : row_height_min;
        plan.rows[r].height = std::min(plan.rows[r].height, least);
        plan.rows[r].caption = 0;
    }
    if (detail || too_tall()) return space;  // the room is for what can be read
    const auto gaps = static_cast<float>(std::max<std::size_t>(plan.rows.size() - 1, 1));
    space.gap = std::clamp(space.gap + 0.5F * (height - total(plan, space)) / gaps, space.gap, gap_max);
    return space;
}

void put_rows(PicturePlan& plan, const Spacing& space) {
    float y = space.top;
    for (RowPlan& row : plan.rows) {
        row.y = y;
        if (row.path_height > 0) row.path_y = row.y + row.height + path_gap;
        y = row.bottom() + space.gap;
    }
    y -= space.gap;
    if (plan.neighbours) {
        plan.neighbours.y = y + gap_min;
        y = plan.neighbours.y + plan.neighbours.height + caption_height;
    }
    if (plan.card) {
        plan.card.y = y + gap_min;
        y = plan.card.y + plan.card.height + caption_height;
    }
    plan.content_height = y;
}

}  // namespace

ZoomLimits ZoomLimits::of(float stage_width) {
    ZoomLimits limits;
    limits.z4 = std::clamp(stage_width - 60, 460.0F, limits.z4);
    limits.z3 = std::min(limits.z3, limits.z4 * 0.7F);
    return limits;
}

Zoom ZoomLimits::zoom_of(float width) const {
    if (width < z1) return Zoom::Z0;
    if (width < z2) return Zoom::Z1;
    if (width < z3) return Zoom::Z2;
    return width < z4 ? Zoom::Z3 : Zoom::Z4;
}

float block_width(double pitch) {
    return static_cast<float>(pitch - std::min(pitch * 0.12, 12.0));
}

double pitch_for_width(float width) {
    const double w = double(width);
    return w < 88 ? w / 0.88 : w + 12;
}

double pitch_min(const TreeLayout& layout, float width) {
    return 0.8 *
           std::min(pitch_of_z1, float(double(width - 2 * side_margin) / std::max<u32>(layout.width(), 1)));
}

double pitch_max(float width) {
    const ZoomLimits limits = ZoomLimits::of(width);
    return pitch_for_width(std::max(limits.z4, width - 2 * side_margin));
}

Camera fit(const TreeLayout& layout, float width) {
    Camera camera;
    const double units = std::max<u32>(layout.width(), 1);
    camera.centre = 0.5 * units;
    camera.pitch = std::min(double(pitch_of_z1), double(width - 2 * side_margin) / units);
    return camera;
}

Camera clamped(Camera camera, const TreeLayout& layout, float width) {
    camera.pitch = std::clamp(camera.pitch, pitch_min(layout, width), pitch_max(width));
    const double units = std::max<u32>(layout.width(), 1);
    const double half = 0.5 * double(width - 2 * side_margin) / camera.pitch;
    // A tree narrower than the stage stays in its middle; a wider one never leaves it.
    if (units <= 2 * half)
        camera.centre = 0.5 * units;
    else
        camera.centre = std::clamp(camera.centre, half, units - half);
    return camera;
}

Camera zoomed_at(Camera camera, double factor, float x, const TreeLayout& layout, float width) {
    const double unit = camera.to_unit(double(x), width);
    const double pitch = std::clamp(camera.pitch * factor, pitch_min(layout, width), pitch_max(width));
    camera.centre = unit - (double(x) - 0.5 * double(width)) / pitch;
    camera.pitch = pitch;
    return clamped(camera, layout, width);
}

Camera closer(Camera camera, const TreeLayout& layout, u32 record, float width) {
    const ZoomLimits limits = ZoomLimits::of(width);
    const double span = double(layout.end(record)) - double(layout.begin(record));
    const double whole = double(width - 2 * side_margin) / span;
    const Zoom zoom = limits.zoom_of(block_width(camera.pitch));
    double pitch = pitch_max(width);
    if (zoom < Zoom::Z2 && span > 1 && whole > 1.5 * camera.pitch)
        pitch = std::min(whole, double(pitch_of_z1));
    else if (zoom < Zoom::Z2)
        pitch = pitch_for_width(std::min(386.0F, limits.z3 - 10));
    else if (zoom == Zoom::Z2)
        pitch = pitch_for_width(0.5F * (limits.z3 + limits.z4));
    return clamped({layout.centre(record), pitch}, layout, width);
}

Camera reveal(Camera camera, const TreeLayout& layout, u32 record, float width) {
    const double half = 0.5 * double(width - 2 * side_margin) / camera.pitch;
    const double begin = layout.begin(record);
    const double end = layout.end(record);
    if (end - begin >=
        2 * half) {  // wider than the stage: any part of it will do, it stands on the stage anyway
        camera.centre = std::clamp(camera.centre, begin, end);
    } else {
        camera.centre = std::clamp(camera.centre, end - half, begin + half);
    }
    return clamped(camera, layout, width);
}

Camera between(Camera from, Camera to, double t) {
    if (t <= 0) return from;
    if (t >= 1) return to;
    const double eased = 1 - (1 - t) * (1 - t) * (1 - t);
    Camera camera;
    camera.pitch = from.pitch * std::pow(to.pitch / from.pitch, eased);
    // While the pitch grows by factors, the place moves so that it seems to go straight on the screen.
    const double ratio = to.pitch / from.pitch;
    const double part = std::abs(ratio - 1) < 1e-6 ? eased : (1 - std::pow(ratio, -eased)) / (1 - 1 / ratio);
    camera.centre = from.centre + (to.centre - from.centre) * part;
    return camera;
}

PicturePlan plan_picture(const TreeLayout& layout, Camera camera, PictureSize size, u32 focus) {
    PicturePlan plan;
    if (layout.rows() == 0) return plan;
    const ZoomLimits limits = ZoomLimits::of(size.width);
    plan.focus_row = focus != TreeLayout::none ? layout.row_of(focus) : layout.rows() - 1;
    for (unsigned r = 0; r < layout.rows(); ++r) {
        plan.rows.push_back(plan_row(layout, camera, size, r, limits, r == plan.focus_row));
    }
    RowPlan& focused = plan.rows[plan.focus_row];
    plan.zoom = focused.zoom;
    if (focus != TreeLayout::none) {
        for (unsigned r = 0; r < plan.focus_row; ++r) give_path_a_place(plan.rows[r]);
        if (focused.zoom == Zoom::Z0) plan.neighbours.height = leaf_height;
        if (focused.zoom <= Zoom::Z1) plan.card.height = card_min;
    }
    const Spacing space = make_it_fit(plan, size.height);
    const float spare = size.height - total(plan, space);
    if (plan.card) plan.card.height = std::clamp(plan.card.height + spare, card_min, card_max);
    if (plan.zoom >= Zoom::Z2) focused.height = std::max(detail_min, focused.height + spare);
    put_rows(plan, space);
    return plan;
}

std::pair<u32, u32> neighbours_of(const TreeLayout& layout, u32 record, u32 most) {
    const auto all = static_cast<u32>(layout.row(layout.row_of(record)).size());
    const u32 rank = layout.rank_of(record);
    const u32 count = std::min(most, all);
    const u32 first = std::min(rank - std::min(rank, count / 2), all - count);
    return {first, first + count};
}

Span block_span(const TreeLayout& layout, Camera camera, float stage_width, u32 record, float wanted) {
    const double left = camera.to_x(layout.begin(record), stage_width);
    const double right = camera.to_x(layout.end(record), stage_width);
    const double gap = std::min((right - left) * 0.12, 12.0);
    const double room_left = std::max(left + 0.5 * gap, std::min(double(side_margin), right - 0.5 * gap));
    const double room_right =
        std::min(right - 0.5 * gap, std::max(double(stage_width - side_margin), left + 0.5 * gap));
    const double width = std::min(double(wanted), std::max(right - left - gap, 0.0));
    double at = 0.5 * (left + right) - 0.5 * width;
    // Inside of what is visible of its span; when that is narrower than the block, the nearer edge decides.
    if (room_right - room_left >= width)
        at = std::clamp(at, room_left, room_right - width);
    else if (room_left > left + gap)
        at = right - 0.5 * gap - width;
    else
        at = left + 0.5 * gap;
    return {static_cast<float>(at), static_cast<float>(at + width)};
}

}  // namespace glassfs::ui
