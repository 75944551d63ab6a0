// SPDX-License-Identifier: MIT
// Commands that change a volume, on the model of Linux's btrfs; scripts and what they stop at.
#include "commands/change.h"

#include "commands/model_volume.h"

using namespace glassfs;
using namespace glassfs::commands;
using test::ModelConsole;

TEST_CASE("commands/create: new files, with a mode; what is there is an error") {
    ModelConsole console;
    CHECK(console.output("create /a; ls -lD /a").starts_with("-rw-r--r-- 1 0:0 0 "));
    CHECK(console.output("create /b /c -m 0600; ls -lD /c").starts_with("-rw------- 1 0:0 0 "));
    CHECK(console.complaint("create /a") == "/a: already exists");
    CHECK(console.complaint("create /") == "/: already exists");
    CHECK(console.complaint("create /x/") == "/x/: is a directory");
    CHECK(console.complaint("create /no/x") == "/no/x: no such file or directory");
    CHECK(console.complaint("create ''; ls") == "/: no such file or directory: empty path");
    CHECK(console.complaint("create /m -m 9", 2) == "create: not a mode: 9");
    CHECK(console.output("create /j --json") ==
          "{\"command\": \"create\", \"path\": \"/j\", \"ino\": 260, \"tree\": 5}\n");
}

TEST_CASE("commands/touch: makes files, sets times, follows symlinks to where a file is to be") {
    ModelConsole console;
    console.output("touch /a -t 5.000000007");
    CHECK(console.output("stat /a --json").find("\"mtime\": \"5.000000007\"") != std::string::npos);
    console.output("touch /a -t 9 -a");
    CHECK(console.output("stat /a --json").find("\"atime\": \"9.000000000\"") != std::string::npos);
    CHECK(console.output("stat /a --json").find("\"mtime\": \"5.000000007\"") != std::string::npos);
    console.output("touch /a");
    CHECK(console.output("stat /a --json").find("\"mtime\": \"1000.") != std::string::npos);
    console.output("mkdir /d; ln -s d/target /l; touch /l");
    CHECK(console.output("ls /d") == "target\n");
    console.output("touch -c /none; ln -s /loop /loop");
    CHECK(console.output("ls /").find("none") == std::string::npos);
    CHECK(console.complaint("touch /loop").starts_with("/loop: too many levels of symbolic links"));
    CHECK(console.complaint("touch /a -t noon", 2) == "touch: not a time: noon");
}

TEST_CASE("commands/mkdir: one, or all that are missing on the way") {
    ModelConsole console;
    console.output("mkdir /a /a/b/");
    CHECK(console.complaint("mkdir /a") == "/a: already exists");
    CHECK(console.complaint("mkdir /x/y") == "/x/y: no such file or directory");
    console.output("mkdir -p /a/b/c/d /a/b -m 0700");
    CHECK(console.output("tree /") ==
          "/\n└── a\n    └── b\n        └── c\n            └── d\n\n4 directories, 0 others\n");
    CHECK(console.output("ls -lD /a/b/c/d").starts_with("drwx------"));
    CHECK(console.output("ls -lD /a/b/c").starts_with("drwxr-xr-x"));
    console.output("touch /f");
    CHECK(console.complaint("mkdir -p /f/g") == "/f/g: not a directory: f");
    CHECK(console.complaint("mkdir -p /f") == "/f: already exists: f");
    CHECK(console.output("mkdir -p / --json") ==
          "{\"command\": \"mkdir\", \"path\": \"/\", \"ino\": 256, \"tree\": 5}\n");
}

TEST_CASE("commands/mknod: devices, FIFOs and sockets") {
    ModelConsole console;
    console.output("mknod /null c 1 3 -m 0666; mknod /disk b 0xfff 1048575; mknod /pipe p; mknod /sock s");
    std::string list = console.output("ls --json /");
    CHECK(list.find("\"rdev\": \"1:3\"") != std::string::npos);
    CHECK(list.find("\"rdev\": \"4095:1048575\"") != std::string::npos);
    CHECK(list.find("\"type\": \"fifo\"") != std::string::npos);
    CHECK(list.find("\"type\": \"socket\"") != std::string::npos);
    CHECK(console.complaint("mknod /x c", 2) ==
          "mknod: b and c take a major and a minor number, p and s none");
    CHECK(console.complaint("mknod /x p 1 2", 2) ==
          "mknod: b and c take a major and a minor number, p and s none");
    CHECK(console.complaint("mknod /x q", 2) == "mknod: which type? b, c, p or s");
    CHECK(console.complaint("mknod /x c 4096 0", 2) == "mknod: major numbers have 12 bits, minor ones 20");
}

TEST_CASE("commands/ln: hard links and symlinks, also into a directory") {
    ModelConsole console;
    console.output("write /a text; mkdir /d; ln /a /b; ln /a /d; ln -s ../a /d/s; ln -s nowhere /d/n");
    CHECK(console.output("ls -l /a").starts_with("-rw-r--r-- 3 "));
    CHECK(console.output("cat /d/a; cat /d/s") == "texttext");
    console.output("ln /d/n /n2");
    CHECK(console.output("stat /n2 --json").find("\"target\": \"nowhere\"") != std::string::npos);
    CHECK(console.complaint("ln /a /b") == "/b: already exists");
    CHECK(console.complaint("ln -T /a /d") == "/d: already exists");
    CHECK(console.complaint("ln /d /d2").starts_with("/d2: operation not permitted"));
    CHECK(console.complaint("ln /none /x") == "/x: no such file or directory");
}

TEST_CASE("commands/rm: files, and directories with everything in them") {
    ModelConsole console;
    console.output("mkdir -p /d/e/f; touch /a /d/x; repeat 2000 { touch /d/e/f$i }; mkdir /d/e/empty");
    CHECK(console.complaint("rm /d") == "/d: is a directory");
    CHECK(console.complaint("rm /none") == "/none: no such file or directory");
    CHECK(console.complaint("rm /a/").starts_with("/a/: not a directory"));
    CHECK(console.complaint("rm -r /d/..").starts_with("/d/..: invalid argument"));
    CHECK(console.complaint("rm -r /") == "/: busy");
    console.output("rm -f /none; rm /a; rm -r /d");
    CHECK(console.output("ls /").empty());
}

TEST_CASE("commands/rm: what stands in the way is named, and the rest of the operands goes") {
    ModelConsole console;
    console.output("mkdir -p /d/e; touch /d/e/x /a; chattr +i /d/e/x");
    CHECK(console.complaint("rm -r /d /a") == "/d: operation not permitted: e/x");
    CHECK(console.output("ls /") == "d\n");
    console.output("chattr -i /d/e/x; rm -r /d");
}

TEST_CASE("commands/rmdir: only empty ones") {
    ModelConsole console;
    console.output("mkdir -p /d/e; touch /f");
    CHECK(console.complaint("rmdir /d") == "/d: directory not empty");
    CHECK(console.complaint("rmdir /f") == "/f: not a directory");
    CHECK(console.complaint("rmdir /") == "/: busy");
    console.output("rmdir /d/e/ /d");
    CHECK(console.output("ls /") == "f\n");
}

TEST_CASE("commands/mv: renames, moves into directories, exchanges, and doesn't replace when told so") {
    ModelConsole console;
    console.output("write /a A; write /b B; mkdir /d; mv /a /d; mv /d/a /c");
    CHECK(console.output("cat /c; ls /d") == "A");
    console.output("mv --exchange /b /c");
    CHECK(console.output("cat /b; cat /c") == "AB");
    CHECK(console.complaint("mv -n /b /c") == "/b: already exists");
    console.output("mv /b /c");
    CHECK(console.output("cat /c") == "A");
    console.output("touch /x /y; mv /x /y /d");
    CHECK(console.output("ls /d") == "x\ny\n");
    CHECK(console.complaint("mv /c /d /none", 2) == "mv: several sources need a directory to go into: /none");
    CHECK(console.complaint("mv -T /c /d") == "/c: is a directory");
    CHECK(console.complaint("mv /c/ /e").starts_with("/c/: not a directory"));
    CHECK(console.complaint("mv /d /d/e").starts_with("/d: invalid argument"));
    CHECK(console.complaint("mv / /e") == "/: busy");
    CHECK(console.complaint("mv --exchange -n /c /d", 2) == "mv: --exchange or --noreplace?");
    console.output("mkdir /e; mv --exchange /c /e");
    CHECK(console.output("cat /e") == "A");
}

TEST_CASE("commands/write: text, bytes, patterns, at any place") {
    ModelConsole console;
    console.output("write /a 'hello, world' -n; write /a HELLO; append /a again");
    CHECK(console.output("cat /a") == "HELLO, world\nagain");
    console.output("write /a -t --hex '00 ff 7F'");
    CHECK(console.output("cat /a --json").find("\"hex\": \"00ff7f\"") != std::string::npos);
    console.output("write /b ab --size 5 --at 8192");
    CHECK(console.output("cat /b --offset 8190") == std::string("\0\0ababa", 7));
    CHECK(console.output("stat /b -e --json").find("\"data\": [[8192, 8197]]") != std::string::npos);
    console.output("write /c --fill 0x41 --size 3M");
    CHECK(console.output("cat /c") == std::string(3 << 20, 'A'));
    console.output("write /d ''");
    CHECK(console.output("cat /d").empty());
    CHECK(console.complaint("write /x", 2) == "write: what? Give one of TEXT, --hex, --fill and --random");
    CHECK(console.complaint("write /x a --hex 00", 2) ==
          "write: what? Give one of TEXT, --hex, --fill and --random");
    CHECK(console.complaint("write /x --fill 256 --size 1", 2) == "write: --fill: a byte is 0 to 255");
    CHECK(console.complaint("write /x --fill 1", 2) == "write: how much? --size");
    CHECK(console.complaint("write /x --hex 123", 2) == "write: not hexadecimal: 123");
    CHECK(console.complaint("write /x '' --size 3", 2) == "write: nothing to repeat");
    CHECK(console.complaint("write / x") == "/: is a directory");
    CHECK(console.complaint("write /x x --at 0xffffffffffffffff").starts_with("/x: file too large"));
}

TEST_CASE("commands/write: random bytes are those of SplitMix64, wherever the pieces end") {
    ModelConsole console;
    console.output("write /r --random 0 --size 20");
    // Its first numbers for seed 0: e220a8397b1dcdaf 6e789e6aa1b965f4 06c45d188009454f.
    CHECK(console.output("cat /r --json").find("\"hex\": \"afcd1d7b39a820e2f465b9a16a9e786e4f450980\"") !=
          std::string::npos);
    console.output("write /big --random 5 --size 1048600; write /tail --random 5 --size 1048584");
    CHECK(console.output("cat /big --offset 1048570 --length 14") ==
          console.output("cat /tail --offset 1048570"));
}

TEST_CASE("commands/truncate and fallocate: sizes and ranges") {
    ModelConsole console;
    console.output("truncate -s 10K /a");
    CHECK(console.output("stat /a -e --json").find("\"data\": []") != std::string::npos);
    console.output("write /a --fill 1 --size 16K; fallocate -p -o 4K -l 4K /a");
    CHECK(console.output("stat /a -e --json").find("\"data\": [[0, 4096], [8192, 16384]]") !=
          std::string::npos);
    CHECK(console.complaint("fallocate -c -o 0 -l 4096 /a") == "/a: not supported");  // by btrfs
    CHECK(console.complaint("fallocate -i -o 0 -l 4096 /a") == "/a: not supported");
    console.output("fallocate -l 1M -n /a; fallocate -z -o 0 -l 4096 /a; fallocate -l 20K /b");
    CHECK(console.output("stat /a --json").find("\"size\": 16384") != std::string::npos);
    CHECK(console.output("stat /b --json").find("\"size\": 20480") != std::string::npos);
    console.output("truncate -c -s 5 /none; truncate --size 0 /a");
    CHECK(console.output("ls /") == "a\nb\n");
    CHECK(console.complaint("truncate /a", 2) == "truncate: to what size? -s SIZE");
    CHECK(console.complaint("truncate /a -s x", 2) == "truncate: --size: not a number: x");
    CHECK(console.complaint("fallocate /a", 2) == "fallocate: how much? -l LENGTH");
    CHECK(console.complaint("fallocate -p -z -l 1 /a", 2) == "fallocate: only one of -p, -z, -c, -i");
    CHECK(console.complaint("fallocate -c -n -l 1 /a", 2) == "fallocate: -n doesn't go with -c and -i");
    CHECK(console.complaint("fallocate -p -l 1 /none") == "/none: no such file or directory");
    CHECK(console.complaint("fallocate -l 0 /a").starts_with("/a: invalid argument"));
}

TEST_CASE("commands/chmod: octal and symbolic modes, below a directory as well") {
    ModelConsole console;
    console.output("mkdir -p /d/e; touch /d/f; chmod -R go-rwx /d; chmod u+s,g=r,+t /d/f");
    CHECK(console.output("ls -lD /d").starts_with("drwx------ 1 0:0 "));
    CHECK(console.output("ls -l /d/f").starts_with("-rwSr----T"));
    auto mode = [](const char* text, u32 before) {
        auto result = parse_mode(text, before);
        return result ? *result : 0xffffU;
    };
    CHECK(mode("0644", 0100777) == 0644);
    CHECK(mode("7", 0) == 07);
    CHECK(mode("u=rwx,g=u", 0) == 0xffff);
    CHECK(mode("a=rX", 0100644) == 0444);
    CHECK(mode("a=rX", 0040644) == 0555);
    CHECK(mode("u+X", 0100654) == 0754);
    CHECK(mode("u+x-w", 0100644) == 0544);
    CHECK(mode("=", 0106755) == 0);
    CHECK(mode("-x", 0100755) == 0644);
    CHECK(mode("ug+s", 0100755) == 06755);
    CHECK(mode("o+s", 0100755) == 0755);
    CHECK(mode("", 0) == 0xffff);
    CHECK(mode("8", 0) == 0xffff);
    CHECK(mode("10000", 0) == 0xffff);
    CHECK(mode("u+q", 0) == 0xffff);
    CHECK(mode("u+r,", 0) == 0xffff);
    CHECK(console.complaint("chmod rw /d", 2) == "chmod: not a mode: rw");
}

TEST_CASE("commands/chown and utimens: owners and times, of symlinks too") {
    ModelConsole console;
    console.output(
        "mkdir /d; touch /d/f; ln -s f /d/l; chown -R 1000:100 /d; chown :7 /d/l; utimens 1.5 -2.25 /d/f");
    CHECK(console.output("stat /d --json").find("\"uid\": 1000, \"gid\": 100") != std::string::npos);
    std::string file = console.output("stat /d/f --json");
    CHECK(file.find("\"uid\": 1000, \"gid\": 7") != std::string::npos);
    CHECK(file.find("\"mtime\": \"-2.250000000\"") != std::string::npos);
    CHECK(file.find("\"atime\": \"1.500000000\"") != std::string::npos);
    CHECK(console.output("stat /d/l --json").find("\"uid\": 0, \"gid\": 0") != std::string::npos);
    console.output("chown 5 --no-dereference /d/l; utimens - 77 --no-dereference /d/l");
    CHECK(console.output("stat /d/l --json").find("\"uid\": 5, \"gid\": 0") != std::string::npos);
    CHECK(console.output("stat /d/l --json").find("\"mtime\": \"77.000000000\"") != std::string::npos);
    CHECK(console.complaint("chown me /d", 2) == "chown: not a number: me");
    CHECK(console.complaint("chown 1: /d", 2) == "chown: not a number: ");
    CHECK(console.complaint("chown 4294967295 /d", 2) == "chown: not a number of an owner: 4294967295");
    CHECK(console.complaint("utimens 1 2.1234567891 /d", 2) == "utimens: not a time: 2.1234567891");
    CHECK(console.complaint("utimens 1 2. /d", 2) == "utimens: not a time: 2.");
    CHECK(console.complaint("utimens 1 --2 /d", 2).starts_with("utimens: unknown option"));
}

TEST_CASE("commands/chattr: letters of the format's own flags") {
    ModelConsole console;
    console.output("touch /f; chattr +iC /f");
    CHECK(console.complaint("write /f x").starts_with("/f: operation not permitted"));
    console.output("chattr -i /f; chattr =C /f; write /f x");
    CHECK(console.complaint("chattr +z /f", 2) == "chattr: +, - or = and letters of Ci: +z");
    CHECK(console.complaint("chattr C /f", 2) == "chattr: +, - or = and letters of Ci: C");
    CHECK(console.complaint("chattr + /f", 2) == "chattr: +, - or = and letters of Ci: +");
}

TEST_CASE("commands/setfattr: values as text or bytes, made, replaced and removed") {
    ModelConsole console;
    console.output("touch /f; setfattr -n user.a -v 'some text' /f; setfattr -n user.b --hex 00ff /f");
    std::string file = console.output("stat /f --json");
    CHECK(file.find("\"user.a\": \"736f6d652074657874\"") != std::string::npos);
    CHECK(file.find("\"user.b\": \"00ff\"") != std::string::npos);
    CHECK(console.complaint("setfattr --create -n user.a /f").starts_with("/f: already exists"));
    CHECK(console.complaint("setfattr --replace -n user.c /f").starts_with("/f: no such attribute"));
    console.output("setfattr -x user.a /f; rmfattr user.b /f");
    CHECK(console.complaint("rmfattr user.b /f").starts_with("/f: no such attribute"));
    CHECK(console.output("stat /f --json").find("user.") == std::string::npos);
    CHECK(console.complaint("setfattr /f", 2) == "setfattr: -n NAME or -x NAME?");
    CHECK(console.complaint("setfattr -n user.a --hex 0 /f", 2) == "setfattr: not hexadecimal: 0");
    CHECK(console.complaint("setfattr -n user.a -v 1 --hex 00 /f", 2) ==
          "setfattr: options that exclude each other");
}

TEST_CASE("commands/cp: files, trees, holes, links and attributes") {
    ModelConsole console;
    console.output(
        "mkdir -p /d/e; write /d/f data --at 1M; truncate -s 3M /d/f; chmod 4711 /d/f; chown 9:8 /d/f;"
        "setfattr -n user.a -v b /d/f; ln /d/f /d/e/g; ln -s f /d/l; mknod /d/p p; utimens 1 2 /d/f /d");
    console.output("cp /d/f /copy; cp -a /d /all; cp -r /d /all; cp /d/l /through");
    CHECK(console.output("stat /copy -e --json").find("\"data\": [[1048576, 1052672]]") != std::string::npos);
    CHECK(console.output("ls -l /copy").starts_with("-rwx--x--x 1 0:0 3,145,728 "));
    CHECK(console.output("ls -l /all/f").starts_with("-rws--x--x 2 9:8 3,145,728 "));
    CHECK(console.output("stat /all --json").find("\"mtime\": \"2.000000000\"") == std::string::npos);
    CHECK(console.output("stat /all/f --json").find("\"mtime\": \"2.000000000\"") != std::string::npos);
    CHECK(console.output("stat /all/f --json").find("user.a") != std::string::npos);
    CHECK(console.output("stat /all/d/f --json").find("user.a") == std::string::npos);
    CHECK(console.output("ls -iD /all/f").substr(0, 12) != "");
    CHECK(console.output("find /all --name g --json").find("\"nlink\": 2") != std::string::npos);
    CHECK(console.output("stat /all/l --json").find("\"target\": \"f\"") != std::string::npos);
    CHECK(console.output("stat /through --json").find("\"type\": \"file\"") != std::string::npos);
    CHECK(console.complaint("cp /d /x") == "/d: is a directory: -r copies directories");
    CHECK(console.complaint("cp -r /d /d/e").starts_with("/d: invalid argument: a directory into itself"));
    CHECK(console.complaint("cp /copy /copy").starts_with("/copy: invalid argument"));
    CHECK(console.complaint("cp /d/f /d/e/g /none", 2) ==
          "cp: several sources need a directory to go into: /none");
}

TEST_CASE("commands/clone: ranges are shared, also by cp --reflink") {
    ModelConsole console;
    console.output(
        "write /a --random 1 --size 64K; clone /a /b; cp --reflink /a /c;"
        "clone /a /d --from 8K --length 4K --to 4K");
    std::string whole = console.output("cat /a");
    CHECK(console.output("cat /b") == whole);
    CHECK(console.output("cat /c") == whole);
    CHECK(console.output("cat /d") == std::string(4096, '\0') + whole.substr(8192, 4096));
    CHECK(console.complaint("clone /a /d --from 1 --length 4K").starts_with("/d: invalid argument"));
    CHECK(console.complaint("clone /a /d --from x", 2) == "clone: --from: not a number: x");
}

TEST_CASE("commands/subvolume: made, copied, deleted, listed") {
    ModelConsole console;
    console.output(
        "subvolume create /s; write /s/f before; subvolume snapshot -r /s /snap; write /s/f after!;"
        "mkdir /d; subvolume snapshot /s /d");
    CHECK(console.output("cat /snap/f; cat /d/s/f") == "beforeafter!");
    CHECK(console.complaint("write /snap/f x").starts_with("/snap/f: read-only file system"));
    console.output("subvolume delete /snap /d/s");
    CHECK(console.output("ls /; ls /d") == "d\ns\n");
    CHECK(console.complaint("subvolume delete /d").starts_with("/d: "));
    CHECK(console.output("subvolume list") == "   256  rw  home\n   257  ro  snap/1\n");
    CHECK(console.output("subvolume list --json") ==
          "{\"id\": 256, \"generation\": 7, \"read_only\": false, \"path\": \"home\"}\n"
          "{\"id\": 257, \"generation\": 8, \"read_only\": true, \"path\": \"snap/1\"}\n");
    CHECK(console.complaint("subvolume frobnicate", 2) ==
          "subvolume: create PATH..., snapshot [-r] SOURCE DEST, delete PATH... or list");
    CHECK(console.complaint("subvolume snapshot /s", 2) == "subvolume snapshot [-r] SOURCE DEST");
}

TEST_CASE("commands/script: repetitions, variables and arithmetic drive commands") {
    ModelConsole console;
    console.output(
        "set n 3\n"
        "repeat $n d {\n"
        "    mkdir /dir$d  # outer\n"
        "    repeat $((d + 1)) { write /dir$d/f$i $((d * 10 + i)) }\n"
        "}\n");
    CHECK(console.output("tree /") ==
          "/\n├── dir0\n│   └── f0\n├── dir1\n│   ├── f0\n│   └── f1\n└── dir2\n"
          "    ├── f0\n    ├── f1\n    └── f2\n\n3 directories, 6 others\n");
    CHECK(console.output("cat /dir2/f1") == "21");
    CHECK(console.output("set i 7; repeat 2 { repeat 2 { echo $i }; echo -$i }; echo $i") ==
          "0\n1\n-0\n0\n1\n-1\n7\n");
    CHECK(console.output("repeat 3 { echo $i }; set") == "0\n1\n2\ni=7\nn=3\n");
    CHECK(console.output("set i; set") == "n=3\n");
    CHECK(console.output("cd /dir1; pwd; touch here; ls") == "/dir1\nf0\nf1\nhere\n");
    CHECK(console.output("repeat 0 { nonsense }").empty());
    CHECK(console.output("echo 'a b' \"c\"  d --json") == "{\"text\": \"a b c d\"}\n");
}

TEST_CASE("commands/script: it stops at the first failure, or goes on, with the line's number") {
    ModelConsole console;
    console.state.source = "demo";
    CHECK(console.run("touch /a\nrm /none\ntouch /b\n") == 1);
    CHECK(console.err == "glassfs: demo:2: /none: no such file or directory\n");
    CHECK(console.output("ls /") == "a\n");
    CHECK(console.run("repeat 3 {\n  touch /r$i\n  mkdir /r$i\n}\n") == 1);
    CHECK(console.err == "glassfs: demo:3: /r0: already exists\n");
    console.state.after_failure = AfterFailure::GoOn;
    CHECK(console.run("rm /none\nrm\nrepeat 2 { mkdir /a }\ntouch /b\n") == 2);
    CHECK(console.err ==
          "glassfs: demo:1: /none: no such file or directory\n"
          "glassfs: demo:2: rm: missing PATH...\n"
          "glassfs: demo:3: /a: already exists\n"
          "glassfs: demo:3: /a: already exists\n");
    CHECK(console.output("ls /") == "a\nb\nr0\n");
}

TEST_CASE("commands/script: a mistake in the grammar is found before anything runs") {
    ModelConsole console;
    console.state.source = "demo";
    CHECK(console.run("touch /a\nrepeat 3 {\n") == 2);
    CHECK(console.err == "glassfs: demo:2: a { is not closed\n");
    CHECK(console.output("ls /").empty());
    console.state.source = "";
    CHECK(console.complaint("echo $nothing", 2) == "no such variable: nothing");
    CHECK(console.complaint("repeat x { }", 2) == "not a number: x");
    CHECK(console.complaint("repeat 3", 2) == "repeat: a { is missing in its line");
    CHECK(console.complaint("set 1x 2", 2) == "set: not a name of a variable: 1x");
    CHECK(console.complaint("echo $((9223372036854775807 + 1))", 2) == "value too large: beyond 64 bits");
}

TEST_CASE("commands/script: endless repetitions and growing variables end when they are to") {
    ModelConsole console;
    int looks = 0;
    console.state.progress = [&](double, std::string_view) { return ++looks < 1000; };
    CHECK(console.run("repeat 1000000000000000000 { repeat 1000000 { pwd } }") == 1);
    CHECK(console.err == "glassfs: cancelled\n");
    CHECK(looks < 1010);
    console.state.progress = {};
    CHECK(console.complaint("set x aa; repeat 100 { set x $x$x }", 2) == "a word of more than 1 MiB");
    CHECK(console.complaint("repeat 20000 { set v$i 1 }", 2) == "set: too many variables");
}
