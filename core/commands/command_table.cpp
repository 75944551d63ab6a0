// SPDX-License-Identifier: MIT
// The table of commands, and the help that is drawn from it.
#include "commands/command_table.h"

#include "base/text.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

constexpr Option common[] = {
    {"-d,--device", "FILE", "a further device of the volume; may be given several times"},
    {"--partition", "N", "which partition of the image holds the volume (default: the only one that does)"},
    {"--subvol", "ID|PATH",
     "show this subvolume as the root (default: the default subvolume, as a mount does)"},
    {"--no-replay", nullptr, "don't replay a pending log (logs are never replayed yet)"},
    {"--json", nullptr,
     "JSON instead of text; names as in manifests: bytes outside 0x21..0x7e and '%' as %XX"},
    {"--color", "WHEN", "auto (default), always or never; NO_COLOR is respected"},
    {"--jobs", "N", "threads to use (default: as many as processors, at most 4)"},
    {"-h,--help", nullptr, "show this help"},
};

constexpr Option for_console[] = {
    {"--json", nullptr, "JSON instead of text"},
    {"-h,--help", nullptr, "show this help"},
};

constexpr Example info_examples[] = {
    {"info disk.img", "what it is, how full, which devices"},
    {"info a.img -d b.img --json", "of a volume on two devices, as JSON"},
};

constexpr Option ls_options[] = {
    {"-l,--long", nullptr, "mode, links, owner, size, time"},
    {"-i,--inode", nullptr, "inode numbers"},
    {"-R,--recursive", nullptr, "directories below as well"},
    {"-D,--directory", nullptr, "the directory itself instead of its entries"},
};
constexpr Example ls_examples[] = {
    {"ls disk.img", "the root"},
    {"ls -l disk.img /etc /home", "two directories, long"},
    {"ls disk.img --subvol home -R --json", "all of a subvolume, one JSON object a line"},
};

constexpr Option stat_options[] = {
    {"-e,--extents", nullptr,
     "list the file's extents, and its data and holes as SEEK_DATA/SEEK_HOLE see them"},
    {"-L,--dereference", nullptr, "follow a symlink in the last place"},
};
constexpr Example stat_examples[] = {
    {"stat disk.img /etc/hosts", "size, owner, times, xattrs"},
    {"stat disk.img /var/lib/db --extents", "where its bytes lie"},
};

constexpr Option cat_options[] = {
    {"--offset", "BYTES", "begin at this byte"},
    {"--length", "BYTES", "print at most so many bytes"},
};
constexpr Example cat_examples[] = {
    {"cat disk.img /etc/hosts", "print a file"},
    {"cat disk.img /big.iso --offset 32K --length 2K", "a part of one"},
};

constexpr Option tree_options[] = {
    {"--depth", "N", "go down at most N levels"},
    {"-s,--size", nullptr, "sizes of files"},
};
constexpr Example tree_examples[] = {
    {"tree disk.img", "everything"},
    {"tree disk.img /home --depth 2", "two levels of a directory"},
};

constexpr Option find_options[] = {
    {"--name", "GLOB", "the last part of the path matches (*, ?, [a-z])"},
    {"--type", "LETTER", "f file, d directory, l symlink, p fifo, s socket, c char, b block"},
    {"--min-size", "BYTES", "at least so large (1M, 4K)"},
    {"--max-size", "BYTES", "at most so large"},
    {"--inode", "N", "with this inode number"},
    {"--newer", "SECONDS", "changed at or after so many seconds since 1970"},
    {"-0,--null", nullptr, "end each path with a NUL byte instead of a newline, unescaped"},
};
constexpr Example find_examples[] = {
    {"find disk.img --name '*.conf'", "by name, from the root"},
    {"find disk.img /var --type f --min-size 100M", "large files of a directory"},
};

constexpr Option manifest_options[] = {
    {"--max-hash", "BYTES", "don't digest files larger than this (default 256M): sha256 is null"},
};
constexpr Example manifest_examples[] = {
    {"manifest disk.img > before.jsonl", "everything, to compare with later"},
    {"manifest disk.img /etc", "a directory; it is \"/\" in the output"},
};

constexpr Option export_options[] = {
    {"-o,--output", "DIR", "the directory to write into: empty or not there yet"},
    {"--tar", "FILE", "write a tar archive (pax) instead; - is standard output"},
    {"--force", nullptr, "write into a directory that isn't empty; files of the same names are replaced"},
};
constexpr Example export_examples[] = {
    {"export disk.img -o rescued", "everything into a new directory"},
    {"export disk.img /docs/notes -o notes", "a directory"},
    {"export disk.img --tar - | zstd > disk.tar.zst", "as an archive"},
};

constexpr Option dump_options[] = {
    {"-t,--tree", "NAME|ID", "every block of a tree: root, extent, chunk, fs, 5, 256, ..."},
    {"-b,--block", "ADDRESS", "one block, by its logical address"},
    {"-i,--inode", "N", "the items of an inode (of --tree, or of the subvolume shown)"},
    {"-s,--super", nullptr, "the superblock"},
    {"-a,--all", nullptr, "every tree"},
    {"-k,--keys", nullptr, "only keys, no fields of the items"},
    {"-x,--hex", nullptr, "the bytes of each item as well"},
};
constexpr Example dump_examples[] = {
    {"dump disk.img", "which trees there are"},
    {"dump disk.img --tree fs", "a tree, block by block"},
    {"dump disk.img --inode 257", "what makes up a file"},
    {"dump disk.img --block 30408704 --json", "one block as JSON, every field with its offset"},
};

constexpr Option check_options[] = {
    {"--no-data", nullptr, "don't read file data to compare its checksums"},
    {"--max-issues", "N", "print at most N issues (default 1000); all are counted"},
};
constexpr Example check_examples[] = {
    {"check disk.img", "exit 0: clean, 1: problems, 2: could not run"},
    {"check disk.img --no-data --json", "metadata only, as JSON"},
};

constexpr u32 many = 1U << 30;

constexpr Command table[] = {
    {"info",
     "",
     "what the volume is: label, devices, size, features, pending log",
     "--json: one document with what the text says, sizes in bytes.",
     {},
     info_examples,
     0,
     0,
     false,
     true,
     run_info},
    {"ls", "[PATH...]", "list directories",
     "Entries are sorted by name. --json: one object a line: path, name, type, ino, tree, mode, uid, gid, "
     "nlink,\n"
     "size, mtime, and for symlinks target.",
     ls_options, ls_examples, 0, many, true, true, run_ls},
    {"stat", "PATH...", "all about a file: inode, times, xattrs, extents",
     "--json: one object a line; times as \"seconds.nanoseconds\", xattr values in hex. With --extents also "
     "extents\n"
     "(file_offset, length, physical, disk_length, kind, compression) and data: [begin, end] of each run of "
     "data.",
     stat_options, stat_examples, 1, many, true, true, run_stat},
    {"cat", "PATH...", "print files",
     "The bytes as they are; symlinks are followed. Data whose checksum is wrong is never printed. --json: "
     "one\n"
     "object a line: path, size, offset, and hex: the bytes in hex.",
     cat_options, cat_examples, 1, many, true, true, run_cat},
    {"tree", "[PATH]", "draw a directory and what is below it",
     "--json: one nested document: name, type, and for directories children.", tree_options, tree_examples, 0,
     1, true, true, run_tree},
    {"find", "[PATH...]", "search for files by name, type, size, time",
     "All conditions must hold. --json: one object a line, as ls has them.", find_options, find_examples, 0,
     many, true, true, run_find},
    {"manifest", "[PATH]", "describe every file on a line of JSON, with a digest of its content",
     "One JSON object a line, sorted by path, keys in alphabetical order: path, type, ino, mode, uid, gid, "
     "nlink,\n"
     "size, mtime; rdev of devices, target of symlinks, xattrs (values in hex), sha256 of files; error: the "
     "errno's\n"
     "name where reading failed. Two volumes hold the same when their manifests are equal.",
     manifest_options, manifest_examples, 0, 1, true, false, run_manifest},
    {"export", "[PATH]", "copy files out, with times, modes, xattrs, links and holes",
     "Hard links stay links, holes stay holes; subvolumes become directories. Owners and device nodes need "
     "root.\n"
     "Nothing outside of the target is ever touched. A file that can't be read is reported and the rest goes "
     "on\n"
     "(exit 1). --json: one document at the end: files, directories, links, bytes, errors.",
     export_options, export_examples, 0, 1, true, false, run_export},
    {"dump", "", "show metadata as it lies on disk: trees, blocks, items, fields",
     "Without an option: the trees. --json: one object a line: a tree (before its blocks), a block with "
     "header and\n"
     "items, each field with name, offset, size, value and meaning; --super: one document.",
     dump_options, dump_examples, 0, 0, false, true, run_dump},
    {"check", "", "look for damage: structure, checksums, references",
     "Nothing is changed. --json: one document: clean, issues (severity, cause, message, device, tree, "
     "block, slot,\n"
     "key), issues_total, blocks_read, data_bytes_read.",
     check_options, check_examples, 0, 0, false, true, run_check},
};

void append_options(std::string& out, std::span<const Option> options) {
    for (const Option& option : options) {
        std::string flags = option.flags;
        if (std::size_t comma = flags.find(','); comma != std::string::npos)
            flags.insert(comma + 1, " ");
        else
            flags.insert(0, "    ");
        if (option.value) flags += std::string(" ") + option.value;
        out += text("  %-26s %s\n", flags.c_str(), option.help);
    }
}

}  // namespace

std::string_view Option::long_name() const {
    std::string_view all = flags;
    return all.substr(all.rfind("--") + 2);
}

std::span<const Command> all_commands() {
    return table;
}
std::span<const Option> common_options() {
    return common;
}
std::span<const Option> console_options() {
    return for_console;
}

const Command* find_command(std::string_view name) {
    for (const Command& command : table) {
        if (command.name == name) return &command;
    }
    return nullptr;
}

std::string overview_help() {
    std::string out =
        "glassfs reads btrfs images: what is on them, and how it lies there. Nothing is ever changed.\n\n"
        "Usage: glassfs COMMAND IMAGE [PATH...] [OPTIONS]\n\nCommands:\n";
    for (const Command& command : table) out += text("  %-10s %s\n", command.name, command.summary);
    out += "\nOptions of every command:\n";
    append_options(out, common);
    out += "      --version                version and format support\n";
    out +=
        "\nIMAGE is an image file, a block device, or a metadata dump made by btrfs-image.\n"
        "Exit code: 0 done; 1 done, but check found problems or something could not be read; 2 could not "
        "run:\n"
        "bad arguments, or the image can't be opened. Errors are one line each on standard "
        "error.\n\nExamples:\n";
    for (const Command& command : table) {
        out += text("  glassfs %-42s %s\n", command.examples[0].line, command.examples[0].what);
    }
    out += "\n\"glassfs COMMAND --help\" tells more about each.\n";
    return out;
}

std::string command_help(const Command& command) {
    std::string out =
        text("glassfs %s: %s\n\nUsage: glassfs %s IMAGE%s%s [OPTIONS]\n\n%s\n", command.name, command.summary,
             command.name, *command.operands ? " " : "", command.operands, command.details);
    if (!command.options.empty()) {
        out += "\nOptions:\n";
        append_options(out, command.options);
    }
    out += "\nOptions of every command:\n";
    append_options(out, common);
    out += "\nExamples:\n";
    for (const Example& example : command.examples) {
        out += text("  glassfs %s\n      %s\n", example.line, example.what);
    }
    return out;
}

}  // namespace glassfs::commands
