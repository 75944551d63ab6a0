// SPDX-License-Identifier: MIT
// Variables of the console and of scripts, and what stands between $(( and )).
#pragma once

#include "base/error.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace glassfs::commands {

using Variables = std::map<std::string, std::string, std::less<>>;

// Bytes of the name that the text begins with: letters, digits, '_', no digit first; 0: none.
std::size_t variable_name_length(std::string_view text);
// Cause::InvalidArgument when there is none of that name.
Result<std::string> variable(const Variables& variables, std::string_view name);

// 64-bit whole numbers, decimal or 0x hexadecimal with K, M, G, T, P; variables with or without '$'; in C's
// precedence ( ) - + ~ * / % << >> & ^ |. Cause::InvalidArgument: what is wrong; Cause::ValueOverflow.
Result<s64> evaluate(std::string_view expression, const Variables& variables);

}  // namespace glassfs::commands
