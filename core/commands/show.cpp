// SPDX-License-Identifier: MIT
// How values look.
#include "commands/show.h"

#include "base/text.h"

namespace glassfs::commands {

std::string mode_text(u32 mode) {
    std::string out = "?rwxrwxrwx";
    switch (vfs::file_type_of_mode(mode)) {
        case vfs::FileType::Unknown:
            break;
        case vfs::FileType::Regular:
            out[0] = '-';
            break;
        case vfs::FileType::Directory:
            out[0] = 'd';
            break;
        case vfs::FileType::CharDevice:
            out[0] = 'c';
            break;
        case vfs::FileType::BlockDevice:
            out[0] = 'b';
            break;
        case vfs::FileType::Fifo:
            out[0] = 'p';
            break;
        case vfs::FileType::Socket:
            out[0] = 's';
            break;
        case vfs::FileType::Symlink:
            out[0] = 'l';
            break;
    }
    for (unsigned bit = 0; bit < 9; ++bit) {
        if ((mode >> (8 - bit) & 1) == 0) out[1 + bit] = '-';
    }
    auto special = [&](u32 bit, std::size_t at, char with_x, char without) {
        if (mode & bit) out[at] = out[at] == 'x' ? with_x : without;
    };
    special(04000, 3, 's', 'S');
    special(02000, 6, 's', 'S');
    special(01000, 9, 't', 'T');
    return out;
}

std::string stamp(const TimeSpec& time) {
    constexpr u32 second = 1'000'000'000;
    return text("%lld.%09u", static_cast<long long>(time.seconds + time.nanos / second), time.nanos % second);
}

std::string name_text(std::string_view raw, const Style& style) {
    if (!style.escape_names || printable(raw) == raw) return std::string(raw);
    std::string out;
    for (char c : raw) {
        u8 byte = static_cast<u8>(c);
        if (byte < 0x20 || byte >= 0x7f || c == '\\')
            out += text("\\x%02x", byte);
        else
            out += c;
    }
    return out;
}

std::string coloured(std::string_view words, Colour colour, const Style& style) {
    if (!style.colour || colour == Colour::Plain) return std::string(words);
    const char* code = "0";
    switch (colour) {
        case Colour::Plain:
            break;
        case Colour::Bold:
            code = "1";
            break;
        case Colour::Dim:
            code = "2";
            break;
        case Colour::Red:
            code = "31";
            break;
        case Colour::Green:
            code = "32";
            break;
        case Colour::Yellow:
            code = "33";
            break;
        case Colour::Blue:
            code = "34";
            break;
        case Colour::Magenta:
            code = "35";
            break;
        case Colour::Cyan:
            code = "36";
            break;
    }
    return text("\x1b[%sm", code) + std::string(words) + "\x1b[0m";
}

std::string coloured_name(std::string_view raw, const vfs::Attributes& attributes, const Style& style) {
    Colour colour = Colour::Plain;
    switch (attributes.type) {
        case vfs::FileType::Directory:
            colour = Colour::Blue;
            break;
        case vfs::FileType::Symlink:
            colour = Colour::Cyan;
            break;
        case vfs::FileType::Regular:
            colour = attributes.mode & 0111 ? Colour::Green : Colour::Plain;
            break;
        case vfs::FileType::Unknown:
            colour = Colour::Red;
            break;
        default:
            colour = Colour::Yellow;
            break;
    }
    return coloured(name_text(raw, style), colour, style);
}

std::string json_string(std::string_view words) {
    std::string out = "\"";
    std::string clean;
    bool plain = true;
    for (char c : words) plain = plain && static_cast<u8>(c) < 0x80;
    // printable() would replace control characters, which JSON can say; broken UTF-8 it can't.
    if (!plain) words = clean = printable(words);
    for (char c : words) {
        u8 byte = static_cast<u8>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (byte < 0x20 || byte == 0x7f)
            out += text("\\u%04x", byte);
        else
            out += c;
    }
    return out += '"';
}

}  // namespace glassfs::commands
