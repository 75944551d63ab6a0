// SPDX-License-Identifier: MIT
#include "ui/model/preview.h"

#include "base/text.h"

namespace glassfs::ui {

namespace {
constexpr std::size_t line_bytes_max = 400;
constexpr std::string_view replacement = "\xef\xbf\xbd";

bool is_white(u8 b) { return b == '\n' || b == '\r' || b == '\t' || b == '\f'; }

// Without a UTF-8 sequence that the end cuts off.
Bytes whole_characters(Bytes bytes) {
    for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
        u8 b = bytes[bytes.size() - back];
        if ((b & 0xc0) == 0x80) continue;
        std::size_t length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
        return length > back ? bytes.first(bytes.size() - back) : bytes;
    }
    return bytes;
}
}  // namespace

bool looks_like_text(Bytes bytes) {
    std::string plain;
    for (u8 b : whole_characters(bytes)) {
        plain += is_white(b) ? ' ' : static_cast<char>(b);
    }
    return printable(plain) == plain && plain.find(replacement) == std::string::npos;
}

std::vector<std::string> text_lines(Bytes bytes, std::size_t lines_max) {
    std::vector<std::string> lines;
    std::string_view rest = as_text(whole_characters(bytes));
    while (!rest.empty() && lines.size() < lines_max) {
        std::size_t end = rest.find('\n');
        std::string_view raw = rest.substr(0, end);
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        if (raw.ends_with('\r')) raw.remove_suffix(1);
        bool cut = raw.size() > line_bytes_max;
        if (cut) raw = as_text(whole_characters(as_bytes(raw.substr(0, line_bytes_max))));
        std::string line;
        for (char c : raw) {
            if (c == '\t') line += "    ";
            else line += c;
        }
        lines.push_back(printable(line) + (cut ? "\xe2\x80\xa6" : ""));
    }
    return lines;
}

}  // namespace glassfs::ui
