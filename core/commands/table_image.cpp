// SPDX-License-Identifier: MIT
// The commands that make, fill and empty images, with files of the host.
#include "commands/command_table.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

constexpr Option mkfs_options[] = {
    {"--size", "BYTES", "of each image file: made when it isn't there, sparse (128M, 10G, 1P)"},
    {"-L,--label", "TEXT", "at most 255 bytes"},
    {"--nodesize", "BYTES", "of tree blocks: 4K to 64K (default 16K)"},
    {"--sectorsize", "BYTES", "of file data: 4K (default) to the node size"},
    {"--checksum", "NAME", "crc32c (default), xxhash, sha256, blake2"},
    {"--metadata", "PROFILE",
     "single, dup, raid0, raid1, raid1c3, raid1c4, raid10 (default dup; raid1 on several)"},
    {"--data", "PROFILE", "the same of file data (default single)"},
    {"--features", "LIST", "no-holes, free-space-tree (both default), block-group-tree; ^ switches one off"},
    {"--uuid", "UUID", "of the file system (default random)"},
    {"--seed", "N", "UUIDs and times from this number: the same bytes each time"},
    {"-f,--force", nullptr, "overwrite what is there"},
};
constexpr Example mkfs_examples[] = {
    {"mkfs btrfs disk.img --size 1G -L demo", "a new image file of 1 GiB"},
    {"mkfs btrfs a.img -d b.img --size 512M --metadata raid1 --data raid1", "a volume on two devices"},
    {"mkfs btrfs disk.img --features ^free-space-tree --force", "over what is on an image"},
};

constexpr Option import_options[] = {
    {"-f,--force", nullptr, "files of the same names are replaced"},
    {"-x,--one-file-system", nullptr, "leave out what is mounted below the directory"},
    {"--seed", "N", "random numbers and times of creation from this number"},
};
constexpr Example import_examples[] = {
    {"import disk.img site", "everything below the directory site into the root"},
    {"import disk.img photos /photos", "into a directory, made when it isn't there"},
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

constexpr Option mount_options[] = {
    {"-f,--foreground", nullptr, "stay in the foreground; what goes wrong with the volume is told here"},
    {"-r,--read-only", nullptr, "open the image read-only"},
    {"-o,--options", "LIST", "further options of the mount, as mount -o takes them: dev,suid,noexec"},
};
constexpr Example mount_examples[] = {
    {"mount disk.img /mnt", "until \"umount /mnt\""},
    {"mount disk.img /mnt --read-only --subvol home", "look at a subvolume"},
    {"mount a.img -d b.img /mnt --foreground", "a volume on two devices, until Ctrl-C"},
};

constexpr Option shell_options[] = {
    {"-c,--command", "LINE", "run this line; may be given several times"},
    {"-k,--keep-going", nullptr, "go on after a command that failed"},
    {"-r,--read-only", nullptr, "open the image read-only: commands that change it fail"},
    {"--seed", "N", "random numbers and times from this number: the same bytes each time"},
    {"--record", "FILE", "keep each step in a new file; the page and the window play it"},
};
constexpr Example shell_examples[] = {
    {"shell disk.img", "type commands; with a pipe: read them from it"},
    {"shell disk.img -c 'mkdir /a; write /a/hello \"hello, world\"'", "one line"},
    {"shell disk.img changes.txt --keep-going", "a script"},
    {"shell disk.img -c 'repeat 1000 { touch /file$i }'", "a thousand files"},
    {"shell disk.img --record run.glass -c 'mkdir /a; sync'", "a recording to look at, or to send"},
};

constexpr Option lab_options[] = {
    {"--size", "BYTES", "of the device in memory (default 4T; up to 1P and more)"},
    {"--step", "BYTES", "allocated between two lines of the result (default 1T)"},
    {"--mode", "MODE", "scan (the baseline), hint, or both (default) and their ratio"},
};
constexpr Example lab_examples[] = {
    {"lab chunkalloc", "4 TiB in both modes"},
    {"lab chunkalloc --size 1P --mode hint", "a petabyte"},
    {"lab chunkalloc --size 16T --json", "with each step, counters and histogram"},
};

constexpr Command table[] = {
    {.name = "mkfs",
     .operands = "TYPE IMAGE",
     .summary = "make an empty file system (TYPE: btrfs) on image files or devices",
     .details =
         "With --size the image files are made, or emptied, at that size; without it existing files and "
         "devices\n"
         "are used as they are. -d names the further devices of a volume on several. What is on a device "
         "already\n"
         "is overwritten only with --force. Defaults are those of mkfs.btrfs. --json: what info prints.",
     .options = mkfs_options,
     .examples = mkfs_examples,
     .operands_min = 2,
     .operands_max = 2,
     .group = Group::Image,
     .opens = Opens::Nothing,
     .in_console = false,
     .run_alone = run_mkfs},
    {.name = "lab",
     .operands = "EXPERIMENT",
     .summary = "run an experiment in memory, baseline and improvement, and compare them",
     .details = "chunkalloc: an empty volume on a sparse device is filled by fallocate. Every gigabyte is a "
                "chunk, and each\n"
                "chunk a search for a free dev extent: from the device's begin (scan), or from a hint below "
                "which there is\n"
                "no hole of 16 MiB (hint). --json: experiment, device_bytes, step_bytes, runs (mode, bytes, "
                "chunks, ns, steps,\n"
                "search, counters), time_ratio, search_ratio.",
     .options = lab_options,
     .examples = lab_examples,
     .operands_min = 1,
     .operands_max = 1,
     .group = Group::Image,
     .opens = Opens::Nothing,
     .in_console = false,
     .run_alone = run_lab},
    {.name = "import",
     .operands = "HOSTDIR [PATH]",
     .summary = "copy a directory of the host in, with times, modes, xattrs, links and holes",
     .details = "HOSTDIR's entries and attributes go to PATH (default: the root), a directory that is made "
                "when it isn't\n"
                "there. Hard links stay links, holes stay holes, devices stay devices; subvolumes and mount "
                "points become\n"
                "directories. A file that can't be copied is reported and the rest goes on (exit 1). --json: "
                "one document\n"
                "at the end: files, directories, links, others, data_bytes, errors.",
     .options = import_options,
     .examples = import_examples,
     .operands_min = 1,
     .operands_max = 2,
     .group = Group::Image,
     .opens = Opens::ReadWrite,
     .in_console = false,
     .run = run_import},
    {.name = "export",
     .operands = "[PATH]",
     .summary = "copy files out, with times, modes, xattrs, links and holes",
     .details =
         "Hard links stay links, holes stay holes; subvolumes become directories. Owners and device nodes "
         "need "
         "root.\nNothing outside of the target is ever touched. A file that can't be read is reported and "
         "the "
         "rest goes on\n(exit 1). --json: one document at the end: files, directories, links, bytes, errors.",
     .options = export_options,
     .examples = export_examples,
     .operands_max = 1,
     .group = Group::Image,
     .takes_paths = true,
     .in_console = false,
     .run = run_export},
    {.name = "mount",
     .operands = "DIR",
     .summary = "show the volume as a directory of this machine, for other programs (FUSE)",
     .details = "Needs libfuse3 when it is built, /dev/fuse when it runs, and root, or fusermount3 (fuse3). "
                "Goes to the\n"
                "background unless told not to; the image is whole when the program has ended, shortly after "
                "umount.\n"
                "Changes are durable after fsync, and after 30 seconds. Set-user-id bits and devices have no "
                "effect\n"
                "without -o suid,dev. Inodes of other subvolumes than the one shown have its id times 2^40 "
                "added to\n"
                "their number, since all are on one device here.",
     .options = mount_options,
     .examples = mount_examples,
     .operands_min = 1,
     .operands_max = 1,
     .group = Group::Image,
     .opens = Opens::ReadWrite,
     .in_console = false,
     .run = run_mount},
    {.name = "shell",
     .operands = "[SCRIPT]",
     .summary = "run commands on the volume: a script, lines given with -c, or typed",
     .details = "All commands above and below, without the image; \"help\" lists them. One a line, or "
                "several with ';'\n"
                "between them; '#' begins a comment; quotes as in a shell. SCRIPT is a file of the host; "
                "without it and\n"
                "without -c, commands are read from standard input. A script's or a line's grammar is "
                "checked before any\n"
                "of it runs; then it stops at the first command that fails. Changes are durable when the "
                "command ends,\n"
                "also after a failure. Exit code: that of the command that failed (the worst with "
                "--keep-going); 2: the\n"
                "grammar is wrong, or the image can't be opened.\n\n"
                "  set NAME VALUE              a variable: $NAME, ${NAME}\n"
                "  $((EXPRESSION))             whole numbers: + - * / % << >> & ^ | ~ ( )\n"
                "  repeat COUNT [NAME] { ... } NAME (default i) is 0, 1, ... COUNT - 1; may be nested",
     .options = shell_options,
     .examples = shell_examples,
     .operands_max = 1,
     .group = Group::Image,
     .opens = Opens::ReadWrite,
     .in_console = false,
     .run = run_shell},
};

}  // namespace

std::span<const Command> image_commands() {
    return table;
}

}  // namespace glassfs::commands
