// SPDX-License-Identifier: MIT
// The command mkfs: image files of the host, made, refused and overwritten.
#include "block/file_device.h"
#include "commands/parse.h"
#include "mount/mount.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace glassfs;
using namespace glassfs::commands;
namespace fs = std::filesystem;

namespace {

struct Mkfs {
    fs::path dir;
    std::string out = {}, err = {};

    Mkfs() {
        std::string pattern = (fs::temp_directory_path() / "glassfs-mkfs-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        dir = pattern;
    }
    ~Mkfs() { fs::remove_all(dir); }

    // `image` and further ones are names below the directory.
    int run(std::vector<std::string> words) {
        out.clear();
        err.clear();
        std::vector<std::string> all = {"mkfs", "btrfs"};
        for (std::string& word : words) {
            if (word.ends_with(".img")) word = (dir / word).string();
        }
        all.insert(all.end(), words.begin(), words.end());
        auto arguments = parse(all, Grammar::CommandLine);
        REQUIRE(arguments);
        Invocation invocation{*arguments};
        invocation.out = [&](std::string_view s) { out += s; };
        invocation.err = [&](std::string_view s) { err += s; };
        return static_cast<int>(arguments->command->run_alone(invocation));
    }
    std::string complaint(std::vector<std::string> words) {
        CHECK(run(std::move(words)) == 2);
        std::string line = err;
        std::string prefix = "glassfs: ", where = dir.string() + "/";
        if (line.starts_with(prefix)) line.erase(0, prefix.size());
        if (line.starts_with(where)) line.erase(0, where.size());
        if (line.ends_with('\n')) line.pop_back();
        return line;
    }
    inspect::VolumeInfo info(const std::vector<std::string>& names) {
        std::vector<std::shared_ptr<block::Device>> devices;
        for (const std::string& name : names)
            devices.push_back(block::FileDevice::open((dir / name).string()).value());
        auto volume = mount::open(devices, {});
        REQUIRE(volume);
        auto report = (*volume)->check({}, [](double) { return true; });
        REQUIRE(report);
        CHECK(report->clean());
        return (*volume)->inspector().info();
    }
    std::string bytes(const std::string& name) {
        std::ifstream file(dir / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

bool has(const inspect::VolumeInfo& info, std::string_view feature) {
    return std::ranges::find(info.features, feature) != info.features.end();
}

}  // namespace

TEST_CASE("commands/mkfs: a sparse image of the size asked for, with mkfs.btrfs's defaults") {
    Mkfs mkfs;
    CHECK(mkfs.run({"a.img", "--size", "10G", "-L", "demo"}) == 0);
    CHECK(fs::file_size(mkfs.dir / "a.img") == 10ULL << 30);
    struct stat info {};
    REQUIRE(::stat((mkfs.dir / "a.img").c_str(), &info) == 0);
    CHECK(info.st_blocks * 512 < 4 << 20);
    CHECK(mkfs.out.find("demo") != std::string::npos);
    auto volume = mkfs.info({"a.img"});
    CHECK(volume.label == "demo");
    CHECK(volume.block_size == 16384);
    CHECK(volume.sector_size == 4096);
    CHECK(volume.checksum_type == "crc32c");
    CHECK(has(volume, "NO_HOLES"));
    CHECK(has(volume, "FREE_SPACE_TREE"));
    CHECK_FALSE(has(volume, "BLOCK_GROUP_TREE"));
}

TEST_CASE("commands/mkfs: every option reaches the volume") {
    Mkfs mkfs;
    CHECK(mkfs.run({"a.img", "-d", "b.img", "--size", "256M", "--nodesize", "4K", "--checksum", "sha256",
                    "--metadata", "raid1", "--data", "raid0", "--features", "block-group-tree", "--uuid",
                    "00112233-4455-6677-8899-aabbccddeeff", "--json"}) == 0);
    CHECK(mkfs.out.find("\"uuid\": \"00112233-4455-6677-8899-aabbccddeeff\"") != std::string::npos);
    auto volume = mkfs.info({"b.img", "a.img"});
    CHECK(volume.block_size == 4096);
    CHECK(volume.checksum_type == "sha256");
    CHECK(volume.devices.size() == 2);
    CHECK(volume.uuid == "00112233-4455-6677-8899-aabbccddeeff");
    CHECK(has(volume, "BLOCK_GROUP_TREE"));
    CHECK(mkfs.run({"c.img", "--size", "256M", "--features", "^no-holes,^free-space-tree"}) == 0);
    auto old = mkfs.info({"c.img"});
    CHECK_FALSE(has(old, "NO_HOLES"));
    CHECK_FALSE(has(old, "FREE_SPACE_TREE"));
}

TEST_CASE("commands/mkfs: a seed gives the same bytes, and no seed others") {
    Mkfs mkfs;
    for (const char* name : {"a.img", "b.img"}) CHECK(mkfs.run({name, "--size", "120M", "--seed", "7"}) == 0);
    CHECK(mkfs.run({"c.img", "--size", "120M"}) == 0);
    CHECK(mkfs.bytes("a.img") == mkfs.bytes("b.img"));
    CHECK(mkfs.bytes("a.img") != mkfs.bytes("c.img"));
}

TEST_CASE("commands/mkfs: what is on an image is named and kept, unless it is to be overwritten") {
    Mkfs mkfs;
    CHECK(mkfs.run({"a.img", "--size", "120M", "--seed", "1"}) == 0);
    std::string before = mkfs.bytes("a.img");
    CHECK(mkfs.complaint({"a.img"}) == "a.img: already exists: there is btrfs on it, --force overwrites it");
    CHECK(mkfs.complaint({"a.img", "--size", "200M"}) ==
          "a.img: already exists: there is btrfs on it, --force overwrites it");
    CHECK(mkfs.complaint({"b.img", "-d", "a.img", "--size", "200M"}).starts_with("a.img: already exists"));
    CHECK_FALSE(fs::exists(mkfs.dir / "b.img"));
    CHECK(mkfs.complaint({"a.img", "--force", "--nodesize", "3K"}).ends_with("node size 3072"));
    CHECK(mkfs.complaint({"a.img", "--force", "--size", "1M"}).starts_with("a.img: no space left"));
    CHECK(mkfs.bytes("a.img") == before);
    CHECK(mkfs.run({"a.img", "--force", "-L", "new"}) == 0);
    CHECK(mkfs.info({"a.img"}).label == "new");
    CHECK(fs::file_size(mkfs.dir / "a.img") == 120 << 20);
    CHECK(mkfs.run({"a.img", "--force", "--size", "130M"}) == 0);
    CHECK(fs::file_size(mkfs.dir / "a.img") == 130 << 20);
}

TEST_CASE("commands/mkfs: other formats are known by their marks") {
    struct {
        const char* name;
        std::size_t at;
        std::string bytes;
    } marks[] = {{"XFS", 0, "XFSB"},
                 {"ext2", 1024 + 0x38, "\x53\xef"},
                 {"swap space", 4086, "SWAPSPACE2"},
                 {"a LUKS container", 0, "LUKS\xba\xbe"},
                 {"ISO 9660", 32769, "CD001"}};
    for (const auto& mark : marks) {
        CAPTURE(mark.name);
        Mkfs mkfs;
        std::string content(1 << 20, '\0');
        content.replace(mark.at, mark.bytes.size(), mark.bytes);
        std::ofstream(mkfs.dir / "a.img", std::ios::binary) << content;
        CHECK(mkfs.complaint({"a.img", "--size", "200M"}) ==
              "a.img: already exists: there is " + std::string(mark.name) + " on it, --force overwrites it");
    }
    Mkfs mkfs;
    std::ofstream(mkfs.dir / "a.img", std::ios::binary) << std::string(1 << 20, 'x');
    CHECK(mkfs.run({"a.img", "--size", "200M"}) == 0);
}

TEST_CASE("commands/mkfs: bad options are refused by name") {
    Mkfs mkfs;
    CHECK(mkfs.complaint({"a.img"}) == "a.img: no such file or directory: --size BYTES makes it");
    CHECK(mkfs.complaint({"a.img", "--size", "x"}) == "mkfs: --size: not a number: x");
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--metadata", "raid5"}) ==
          "mkfs: --metadata: one of single, dup, raid0, raid1, raid1c3, raid1c4, raid10, not raid5");
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--checksum", "md5"}) ==
          "mkfs: --checksum: one of crc32c, xxhash, sha256, blake2, not md5");
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--features", "quota"}) ==
          "mkfs: --features: no-holes, free-space-tree or block-group-tree, not quota");
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--features", "block-group-tree,^no-holes"})
              .ends_with("block-group-tree needs no-holes and free-space-tree"));
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--nodesize", "128K"}) == "mkfs: --nodesize: at most 64K");
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--uuid", "12"}) == "mkfs: --uuid: not a UUID: 12");
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "--uuid", "0011223344556677-8899-aabb-ccdd-eeff"})
              .starts_with("mkfs: --uuid: not a UUID"));
    CHECK(mkfs.complaint({"a.img", "--size", "1G", "-d", "a.img"}) == "a.img: invalid argument: given twice");
    CHECK(
        mkfs.complaint({"a.img", "--size", "1G", "--metadata", "raid1"}).ends_with("RAID1 needs 2 devices"));
    CHECK_FALSE(fs::exists(mkfs.dir / "a.img"));
}
