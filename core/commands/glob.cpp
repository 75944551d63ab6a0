// SPDX-License-Identifier: MIT
// Shell patterns: one pass with a single place to go back to (the last *), so that no pattern is slow.
#include "commands/glob.h"

namespace glassfs::commands {

namespace {

// Matches one byte against the pattern's head. Returns the pattern's length used, 0 when the byte does not
// fit.
std::size_t match_set(std::string_view pattern, unsigned char byte) {
    std::size_t at = 1;
    bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
    if (negated) ++at;
    bool found = false;
    for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
        auto low = static_cast<unsigned char>(pattern[at++]);
        unsigned char high = low;
        if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
            high = static_cast<unsigned char>(pattern[at + 1]);
            at += 2;
        }
        found = found || (byte >= low && byte <= high);
    }
    if (at >= pattern.size())
        return pattern[0] == static_cast<char>(byte) ? 1 : 0;  // never closed: a plain [
    return found != negated ? at + 1 : 0;
}

std::size_t match_one(std::string_view pattern, char byte) {
    if (pattern[0] == '?') return 1;
    if (pattern[0] == '[') return match_set(pattern, static_cast<unsigned char>(byte));
    if (pattern[0] == '\\' && pattern.size() > 1) return pattern[1] == byte ? 2 : 0;
    return pattern[0] == byte ? 1 : 0;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view name) {
    constexpr std::size_t none = std::string_view::npos;
    std::size_t p = 0, n = 0, star = none, star_name = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_name = n;
            continue;
        }
        std::size_t used = p < pattern.size() ? match_one(pattern.substr(p), name[n]) : 0;
        if (used != 0) {
            p += used;
            ++n;
        } else if (star != none) {
            p = star + 1;
            n = ++star_name;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace glassfs::commands
