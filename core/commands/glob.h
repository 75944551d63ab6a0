// SPDX-License-Identifier: MIT
// Shell patterns for file names.
#pragma once

#include <string_view>

namespace glassfs::commands {

// Whether the whole name fits: * any bytes, ? one byte, [a-z] or [!a-z] one of a set, backslash takes the
// next byte as it is. Bytes, not characters.
bool glob_match(std::string_view pattern, std::string_view name);

}  // namespace glassfs::commands
