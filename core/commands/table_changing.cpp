// SPDX-License-Identifier: MIT
// The commands that change a volume.
#include "commands/command_table.h"
#include "commands/run.h"

namespace glassfs::commands {

namespace {

constexpr Option create_options[] = {
    {"-m,--mode", "MODE", "octal permission bits (default 0644)"},
};
constexpr Example create_examples[] = {
    {"create disk.img /a /b -m 0600", "two files that only their owner reads"},
};

constexpr Option touch_options[] = {
    {"-t,--time", "TIME", "instead of now: seconds since 1970, with up to nine decimals"},
    {"-a,--access", nullptr, "only the access time"},
    {"-m,--modification", nullptr, "only the modification time"},
    {"-c,--no-create", nullptr, "make no files"},
};
constexpr Example touch_examples[] = {
    {"touch disk.img /a --time 1700000000.000000001", "to the nanosecond"},
};

constexpr Option mkdir_options[] = {
    {"-p,--parents", nullptr, "those on the way as well; one that is there is fine"},
    {"-m,--mode", "MODE", "octal permission bits (default 0755)"},
};
constexpr Example mkdir_examples[] = {
    {"mkdir disk.img -p /srv/www/data", "with what is missing on the way"},
};

constexpr Option mknod_options[] = {
    {"-m,--mode", "MODE", "octal permission bits (default 0644)"},
};
constexpr Example mknod_examples[] = {
    {"mknod disk.img /null c 1 3 -m 0666", "a character device"},
};

constexpr Option ln_options[] = {
    {"-s,--symbolic", nullptr, "a symlink: TARGET is its text"},
    {"-T,--no-target-directory", nullptr, "PATH is the name itself, never a directory to go into"},
};
constexpr Example ln_examples[] = {
    {"ln disk.img /data /also", "a hard link"},
    {"ln disk.img -s ../data /dir/link", "a symlink"},
};

constexpr Option rm_options[] = {
    {"-r,--recursive", nullptr, "directories with everything in them"},
    {"-f,--force", nullptr, "what is not there is fine"},
};
constexpr Example rm_examples[] = {
    {"rm disk.img -r /old", "a directory"},
};

constexpr Example rmdir_examples[] = {
    {"rmdir disk.img /empty", "one that is empty"},
};

constexpr Option mv_options[] = {
    {"-n,--noreplace", nullptr, "never replace what has the name"},
    {"--exchange", nullptr, "each gets the name of the other"},
    {"-T,--no-target-directory", nullptr, "DEST is the name itself, never a directory to go into"},
};
constexpr Example mv_examples[] = {
    {"mv disk.img /a /b", "another name"},
    {"mv disk.img --exchange /current /next", "both at once"},
};

constexpr Option cp_options[] = {
    {"-r,--recursive", nullptr, "directories with everything in them"},
    {"-p,--preserve", nullptr, "owners, modes, times, xattrs, hard links as well"},
    {"-a,--archive", nullptr, "-r and -p"},
    {"--reflink", nullptr, "share the data instead of copying it"},
    {"-T,--no-target-directory", nullptr, "DEST is the name itself, never a directory to go into"},
};
constexpr Example cp_examples[] = {
    {"cp disk.img -a /home /home.bak", "a directory, exactly"},
    {"cp disk.img --reflink /vm.img /vm2.img", "without new data"},
};

constexpr Option clone_options[] = {
    {"--from", "BYTES", "where the range begins in SOURCE (default 0)"},
    {"--length", "BYTES", "how long it is (default: to the end)"},
    {"--to", "BYTES", "where it comes in DEST (default 0)"},
};
constexpr Example clone_examples[] = {
    {"clone disk.img /a /b --from 64K --length 64K --to 0", "one range"},
};

constexpr Option write_options[] = {
    {"--hex", "DIGITS", "these bytes instead of TEXT"},
    {"--fill", "BYTE", "this byte, 0 to 255, --size times"},
    {"--random", "SEED", "--size bytes of SplitMix64 from this seed, lowest byte first"},
    {"--size", "BYTES", "how much: TEXT and --hex are repeated until then"},
    {"--at", "BYTES", "where (default 0)"},
    {"-n,--newline", nullptr, "end TEXT with a newline"},
    {"-t,--truncate", nullptr, "empty the file first"},
};
constexpr Example write_examples[] = {
    {"write disk.img /hello -n 'hello, world'", "a line of text"},
    {"write disk.img /big --random 7 --size 1G", "a gibibyte"},
    {"write disk.img /sparse --hex 00ff --at 1M", "two bytes behind a hole"},
};

constexpr Option append_options[] = {
    {"--hex", "DIGITS", "these bytes instead of TEXT"},
    {"--fill", "BYTE", "this byte, 0 to 255, --size times"},
    {"--random", "SEED", "--size bytes of SplitMix64 from this seed, lowest byte first"},
    {"--size", "BYTES", "how much: TEXT and --hex are repeated until then"},
    {"-n,--newline", nullptr, "end TEXT with a newline"},
};
constexpr Example append_examples[] = {
    {"append disk.img /log -n 'one more line'", "a line"},
};

constexpr Option truncate_options[] = {
    {"-s,--size", "BYTES", "the new size"},
    {"-c,--no-create", nullptr, "make no files"},
};
constexpr Example truncate_examples[] = {
    {"truncate disk.img -s 10M /sparse", "a hole of 10 MiB"},
};

constexpr Option fallocate_options[] = {
    {"-o,--offset", "BYTES", "where the range begins (default 0)"},
    {"-l,--length", "BYTES", "how long it is"},
    {"-n,--keep-size", nullptr, "don't let the file grow"},
    {"-p,--punch-hole", nullptr, "make the range a hole"},
    {"-z,--zero-range", nullptr, "make the range read as zeros, allocated"},
    {"-c,--collapse-range", nullptr, "take the range out"},
    {"-i,--insert-range", nullptr, "put a hole in"},
};
constexpr Example fallocate_examples[] = {
    {"fallocate disk.img -l 1G /db", "room for a gibibyte"},
    {"fallocate disk.img -p -o 64K -l 64K /db", "a hole"},
};

constexpr Option chmod_options[] = {
    {"-R,--recursive", nullptr, "everything below as well"},
};
constexpr Example chmod_examples[] = {
    {"chmod disk.img 4755 /bin/su", "octal"},
    {"chmod disk.img -R go-w /etc", "taking away"},
};

constexpr Option chown_options[] = {
    {"-R,--recursive", nullptr, "everything below as well"},
    {"--no-dereference", nullptr, "symlinks themselves"},
};
constexpr Example chown_examples[] = {
    {"chown disk.img -R 1000:1000 /ann", "user and group"},
};

constexpr Option utimens_options[] = {
    {"--no-dereference", nullptr, "symlinks themselves"},
};
constexpr Example utimens_examples[] = {
    {"utimens disk.img - 1700000000.5 /a", "the modification time"},
};

constexpr Option chattr_options[] = {
    {"-R,--recursive", nullptr, "everything below as well"},
};
constexpr Example chattr_examples[] = {
    {"chattr disk.img +C /vm", "no copy on write"},
    {"chattr disk.img -i /a", "can be changed again"},
};

constexpr Option setfattr_options[] = {
    {"-n,--name", "NAME", "with its prefix: user.comment"},
    {"-v,--value", "TEXT", "the value (default empty)"},
    {"--hex", "DIGITS", "the value as bytes"},
    {"--create", nullptr, "it must not be there yet"},
    {"--replace", nullptr, "it must be there"},
    {"-x,--remove", "NAME", "remove this one"},
    {"--no-dereference", nullptr, "symlinks themselves"},
};
constexpr Example setfattr_examples[] = {
    {"setfattr disk.img -n user.comment -v draft /a", "a text"},
};

constexpr Option rmfattr_options[] = {
    {"--no-dereference", nullptr, "symlinks themselves"},
};
constexpr Example rmfattr_examples[] = {
    {"rmfattr disk.img user.comment /a", "one of them"},
};

constexpr Option subvolume_options[] = {
    {"-r,--readonly", nullptr, "a snapshot that can't be changed"},
};
constexpr Example subvolume_examples[] = {
    {"subvolume disk.img create /home", "a subvolume"},
    {"subvolume disk.img snapshot -r /home /home.1", "its state now"},
    {"subvolume disk.img list", "all"},
};

constexpr Example fsync_examples[] = {
    {"fsync disk.img /a", "one file"},
};

constexpr Example experiment_examples[] = {
    {"experiment", "the switches and their modes"},
    {"experiment chunkalloc scan", "as it was before the idea"},
};

constexpr Example sync_examples[] = {
    {"sync disk.img", "commits"},
};

constexpr Command table[] = {
    {.name = "create",
     .operands = "PATH...",
     .summary = "make empty files",
     .details = "What is there already is an error. --json, of this and of each command that changes "
                "something: one\n"
                "object a line: command, path, and of a new file ino and tree.",
     .options = create_options,
     .examples = create_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_create},
    {.name = "touch",
     .operands = "PATH...",
     .summary = "set times to now, and make files that are not there",
     .options = touch_options,
     .examples = touch_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_touch},
    {.name = "mkdir",
     .operands = "PATH...",
     .summary = "make directories",
     .options = mkdir_options,
     .examples = mkdir_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_mkdir},
    {.name = "mknod",
     .operands = "PATH TYPE [MAJOR MINOR]",
     .summary = "make a device node (b, c), FIFO (p) or socket (s)",
     .options = mknod_options,
     .examples = mknod_examples,
     .operands_min = 2,
     .operands_max = 4,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_mknod},
    {.name = "ln",
     .operands = "TARGET PATH",
     .summary = "make a further name of a file, or a symlink",
     .details = "In a directory PATH, the name is that of TARGET.",
     .options = ln_options,
     .examples = ln_examples,
     .operands_min = 2,
     .operands_max = 2,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_ln},
    {.name = "rm",
     .operands = "PATH...",
     .summary = "remove files",
     .options = rm_options,
     .examples = rm_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_rm},
    {.name = "rmdir",
     .operands = "PATH...",
     .summary = "remove empty directories",
     .examples = rmdir_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_rmdir},
    {.name = "mv",
     .operands = "SOURCE... DEST",
     .summary = "rename, or move into a directory",
     .options = mv_options,
     .examples = mv_examples,
     .operands_min = 2,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_mv},
    {.name = "cp",
     .operands = "SOURCE... DEST",
     .summary = "copy files within the volume",
     .details = "Holes stay holes. Without -r, symlinks are followed.",
     .options = cp_options,
     .examples = cp_examples,
     .operands_min = 2,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_cp},
    {.name = "clone",
     .operands = "SOURCE DEST",
     .summary = "let a file share a range of another one's data",
     .details = "DEST is made when it is not there. Whole blocks, but for the end of SOURCE.",
     .options = clone_options,
     .examples = clone_examples,
     .operands_min = 2,
     .operands_max = 2,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_clone},
    {.name = "write",
     .operands = "PATH [TEXT]",
     .summary = "write into a file",
     .details = "The file is made when it is not there; what it holds elsewhere stays.",
     .options = write_options,
     .examples = write_examples,
     .operands_min = 1,
     .operands_max = 2,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_write},
    {.name = "append",
     .operands = "PATH [TEXT]",
     .summary = "write at the end of a file",
     .details = "The file is made when it is not there.",
     .options = append_options,
     .examples = append_examples,
     .operands_min = 1,
     .operands_max = 2,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_append},
    {.name = "truncate",
     .operands = "PATH...",
     .summary = "set the size of files",
     .details = "They are made when they are not there.",
     .options = truncate_options,
     .examples = truncate_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_truncate},
    {.name = "fallocate",
     .operands = "PATH...",
     .summary = "allocate, punch, zero, collapse or insert a range",
     .options = fallocate_options,
     .examples = fallocate_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_fallocate},
    {.name = "chmod",
     .operands = "MODE PATH...",
     .summary = "change permission bits",
     .details = "MODE is octal (0644), or as in u+rwx,go-w,a=rX. Symlinks are followed.",
     .options = chmod_options,
     .examples = chmod_examples,
     .operands_min = 2,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .dashes = Dashes::OperandsToo,
     .takes_paths = true,
     .run = run_chmod},
    {.name = "chown",
     .operands = "UID[:GID] PATH...",
     .summary = "change owners",
     .details = "Numbers only; :GID changes the group alone.",
     .options = chown_options,
     .examples = chown_examples,
     .operands_min = 2,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_chown},
    {.name = "utimens",
     .operands = "ATIME MTIME PATH...",
     .summary = "set times",
     .details = "Seconds since 1970 with up to nine decimals, now, or - for the one there is.",
     .options = utimens_options,
     .examples = utimens_examples,
     .operands_min = 3,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_utimens},
    {.name = "chattr",
     .operands = "+-=FLAGS PATH...",
     .summary = "change inode flags",
     .details = "a append only, A no access times, c compressed, C no copy on write, d no dump, D "
                "synchronous directory,\n"
                "i immutable, m never compressed, S synchronous.",
     .options = chattr_options,
     .examples = chattr_examples,
     .operands_min = 2,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .dashes = Dashes::OperandsToo,
     .takes_paths = true,
     .run = run_chattr},
    {.name = "setfattr",
     .operands = "PATH...",
     .summary = "set or remove an extended attribute",
     .options = setfattr_options,
     .examples = setfattr_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_setfattr},
    {.name = "rmfattr",
     .operands = "NAME PATH...",
     .summary = "remove an extended attribute",
     .options = rmfattr_options,
     .examples = rmfattr_examples,
     .operands_min = 2,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_rmfattr},
    {.name = "subvolume",
     .operands = "create|snapshot|delete|list [PATH...]",
     .summary = "make, copy, delete and list subvolumes",
     .details = "create PATH..., snapshot [-r] SOURCE DEST, delete PATH..., list. --json of list: one object "
                "a line: id,\n"
                "generation, read_only, path (from the top level).",
     .options = subvolume_options,
     .examples = subvolume_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_subvolume},
    {.name = "fsync",
     .operands = "PATH...",
     .summary = "make a file or directory durable",
     .examples = fsync_examples,
     .operands_min = 1,
     .operands_max = operands_many,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .takes_paths = true,
     .run = run_fsync},
    {.name = "sync",
     .summary = "make everything durable",
     .details = "Each command on the command line ends with this; in a script it is a point to go back to "
                "after a crash.",
     .examples = sync_examples,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .run = run_sync},
    {.name = "experiment",
     .operands = "[NAME MODE]",
     .summary = "show the switches between old and new ways, or set one",
     .details =
         "Holds for as long as the volume is mounted. Without operands: each switch with its modes, the\n"
         "one that is used in brackets, and the counters that explain the difference.",
     .examples = experiment_examples,
     .operands_max = 2,
     .group = Group::Change,
     .opens = Opens::ReadWrite,
     .on_command_line = false,
     .run = run_experiment},
};

}  // namespace

std::span<const Command> changing_commands() {
    return table;
}

}  // namespace glassfs::commands
