// SPDX-License-Identifier: MIT
// The begin of a file as something to read: text if it is text, else hex.
#pragma once

#include "base/bytes.h"

#include <string>
#include <vector>

namespace glassfs::ui {

// Well-formed UTF-8 (but for a sequence cut at the end) without control characters other than white space.
bool looks_like_text(Bytes);
// At most `lines_max` lines, tabs as four blanks. A line of more than `columns` characters goes on in the
// next.
std::vector<std::string> text_lines(Bytes, std::size_t lines_max, std::size_t columns = 400);

}  // namespace glassfs::ui
