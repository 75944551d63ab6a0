// SPDX-License-Identifier: MIT
// The commands that look at a volume.
#include "commands/command_table.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

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

constexpr Command table[] = {
    {.name = "info",
     .summary = "what the volume is: label, devices, size, features, pending log",
     .details = "--json: one document with what the text says, sizes in bytes.",
     .examples = info_examples,
     .run = run_info},
    {.name = "ls",
     .operands = "[PATH...]",
     .summary = "list directories",
     .details = "Entries are sorted by name. --json: one object a line: path, name, type, ino, tree, mode, "
                "uid, gid, "
                "nlink,\nsize, mtime, and for symlinks target.",
     .options = ls_options,
     .examples = ls_examples,
     .operands_max = operands_many,
     .takes_paths = true,
     .run = run_ls},
    {.name = "stat",
     .operands = "PATH...",
     .summary = "all about a file: inode, times, xattrs, extents",
     .details =
         "--json: one object a line; times as \"seconds.nanoseconds\", xattr values in hex. With --extents "
         "also "
         "extents\n(file_offset, length, physical, disk_length, kind, compression) and data: [begin, end] of "
         "each run of data.",
     .options = stat_options,
     .examples = stat_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .takes_paths = true,
     .run = run_stat},
    {.name = "cat",
     .operands = "PATH...",
     .summary = "print files",
     .details = "The bytes as they are; symlinks are followed. Data whose checksum is wrong is never "
                "printed. --json: "
                "one\nobject a line: path, size, offset, and hex: the bytes in hex.",
     .options = cat_options,
     .examples = cat_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .takes_paths = true,
     .run = run_cat},
    {.name = "tree",
     .operands = "[PATH]",
     .summary = "draw a directory and what is below it",
     .details = "--json: one nested document: name, type, and for directories children.",
     .options = tree_options,
     .examples = tree_examples,
     .operands_max = 1,
     .takes_paths = true,
     .run = run_tree},
    {.name = "find",
     .operands = "[PATH...]",
     .summary = "search for files by name, type, size, time",
     .details = "All conditions must hold. --json: one object a line, as ls has them.",
     .options = find_options,
     .examples = find_examples,
     .operands_max = operands_many,
     .takes_paths = true,
     .run = run_find},
    {.name = "manifest",
     .operands = "[PATH]",
     .summary = "describe every file on a line of JSON, with a digest of its content",
     .details =
         "One JSON object a line, sorted by path, keys in alphabetical order: path, type, ino, mode, uid, "
         "gid, "
         "nlink,\nsize, mtime; rdev of devices, target of symlinks, xattrs (values in hex), sha256 of files; "
         "error: the errno's\nname where reading failed. Two volumes hold the same when their manifests are "
         "equal.",
     .options = manifest_options,
     .examples = manifest_examples,
     .operands_max = 1,
     .takes_paths = true,
     .in_console = false,
     .run = run_manifest},
    {.name = "dump",
     .summary = "show metadata as it lies on disk: trees, blocks, items, fields",
     .details =
         "Without an option: the trees. --json: one object a line: a tree (before its blocks), a block with "
         "header and\nitems, each field with name, offset, size, value and meaning; --super: one document.",
     .options = dump_options,
     .examples = dump_examples,
     .run = run_dump},
    {.name = "check",
     .summary = "look for damage: structure, checksums, references",
     .details =
         "Nothing is changed. --json: one document: clean, issues (severity, cause, message, device, tree, "
         "block, slot,\nkey), issues_total, blocks_read, data_bytes_read.",
     .options = check_options,
     .examples = check_examples,
     .run = run_check},
};

}  // namespace

std::span<const Command> looking_commands() {
    return table;
}

}  // namespace glassfs::commands
