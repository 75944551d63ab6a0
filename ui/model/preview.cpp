// SPDX-License-Identifier: MIT
#include "ui/model/preview.h"

#include "base/text.h"

namespace glassfs::ui {

namespace {
constexpr std::string_view replacement = "\xef\xbf\xbd";

bool is_white(u8 b) {
    return b == '\n' || b == '\r' || b == '\t' || b == '\f';
}

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

// Folds at the last blank that fits, or where it must.
void fold(std::string_view line, std::size_t lines_max, std::size_t columns,
          std::vector<std::string>& lines) {
    do {
        std::size_t end = 0;
        std::size_t blank = 0;
        for (std::size_t column = 0; end < line.size() && column < columns; ++column) {
            if (line[end] == ' ') blank = end;
            ++end;
            while (end < line.size() && (static_cast<u8>(line[end]) & 0xc0) == 0x80) ++end;
        }
        if (end < line.size() && line[end] != ' ' && blank > 0) end = blank;
        lines.emplace_back(line.substr(0, end));
        line.remove_prefix(end);
        if (line.starts_with(' ')) line.remove_prefix(1);
    } while (!line.empty() && lines.size() < lines_max);
}
}  // namespace

bool looks_like_text(Bytes bytes) {
    std::string plain;
    for (u8 b : whole_characters(bytes)) {
        plain += is_white(b) ? ' ' : static_cast<char>(b);
    }
    return printable(plain) == plain && plain.find(replacement) == std::string::npos;
}

std::vector<std::string> text_lines(Bytes bytes, std::size_t lines_max, std::size_t columns) {
    std::vector<std::string> lines;
    std::string_view rest = as_text(whole_characters(bytes));
    while (!rest.empty() && lines.size() < lines_max) {
        std::size_t end = rest.find('\n');
        std::string_view raw = rest.substr(0, end);
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        if (raw.ends_with('\r')) raw.remove_suffix(1);
        std::string whole;
        for (char c : raw) {
            if (c == '\t')
                whole += "    ";
            else
                whole += c;
        }
        fold(printable(whole), lines_max, columns, lines);
    }
    return lines;
}

}  // namespace glassfs::ui
