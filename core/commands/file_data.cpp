// SPDX-License-Identifier: MIT
// Where a file's data is.
#include "commands/file_data.h"

#include <algorithm>

namespace glassfs::commands {

Result<std::vector<DataRange>> data_ranges(vfs::FileSystem& files, const vfs::Attributes& attributes) {
    std::vector<DataRange> ranges;
    if (attributes.size == 0) return ranges;
    TRY(files.extents(attributes.id, [&](const vfs::FileExtent& extent) {
        using Kind = vfs::FileExtent::Kind;
        u64 begin = std::min(extent.file_offset, attributes.size);
        u64 end = begin + std::min(extent.length, attributes.size - begin);
        bool has_data = extent.kind == Kind::Data || extent.kind == Kind::Inline;
        if (!has_data || begin == end) return begin < attributes.size;
        if (!ranges.empty() && ranges.back().end >= begin)
            ranges.back().end = std::max(ranges.back().end, end);
        else
            ranges.push_back({begin, end});
        return true;
    }));
    return ranges;
}

}  // namespace glassfs::commands
