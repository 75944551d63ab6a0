// SPDX-License-Identifier: MIT
#include "check/btrfs_check.h"

#include "btrfs/cursor.h"

namespace glassfs::check {

Result<Report> check_btrfs(btrfs::Volume& volume, const Options& options,
                           const std::function<bool(double)>& progress) {
    Report report;
    auto add = [&](Error error) {
        ++report.issues_total;
        if (report.issues.size() < options.issues_max) report.issues.push_back({Severity::Problem, std::move(error)});
    };
    for (const Error& error : volume.open_errors()) add(error);
    auto every_item = [&](const btrfs::TreeRoot& root) {
        auto done = btrfs::for_each_item(volume, root, {}, {~0ULL, 0xff, ~0ULL},
                                         [&](const btrfs::Cursor& at) -> Result<bool> {
                                             if (at.slot() == 0) ++report.blocks_read;
                                             if (auto good = at.check(); !good) add(good.error());
                                             return progress(0);
                                         });
        if (!done) add(done.error());
    };
    every_item(volume.chunk_tree());
    every_item(volume.root_tree());
    return report;
}

}  // namespace glassfs::check
