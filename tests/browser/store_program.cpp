// SPDX-License-Identifier: MIT
// The browser's stores without the user interface, for tests: volumes come and go as in the page (the same
// page/volumes.js and core.js drive it), and jobs run on their devices in threads. store_page.js calls
// glassfs_test(job, mailbox, "what to do", numbers) and hears Module.page.test_said(job, text) any number of
// times, the last with `over`.
#include "mount/format.h"
#include "mount/mount.h"
#include "support/device_contract.h"
#include "web/store_device.h"

#include <cstring>
#include <emscripten.h>
#include <map>
#include <thread>

#pragma clang diagnostic ignored "-Wdollar-in-identifier-extension"

using namespace glassfs;
using test::Complaint;

namespace {

using Devices = std::vector<std::shared_ptr<block::Device>>;
struct Volume {
    std::shared_ptr<web::StoreSet> set;
    Devices devices;
};
std::map<web::StoreMailbox*, Volume> volumes;  // main thread only

void say(int job, const std::string& text, bool over = false) {
    MAIN_THREAD_ASYNC_EM_ASM(
        {
            Module.page.test_said($0, UTF8ToString($1), !!$2);
            _free($1);
        },
        job, strdup(text.c_str()), over ? 1 : 0);
}

struct Job {
    int id;
    Devices devices;
    u64 a, b, c;
};

// Blocks that a writer goes on changing until the browser is killed. Round r writes some blocks, each with
// its round and number in front, then flushes and says so. The device has one extra block at the front that
// is never written, so that nothing depends on zeros being there.
namespace rounds {

constexpr u64 block = 4096, blocks = 2048;

Buffer content(u64 round, u64 number) {
    Buffer bytes = test::contract_pattern(block, round * blocks + number);
    std::memcpy(bytes.data(), &round, sizeof round);
    return bytes;
}

std::vector<u64> written_by(u64 seed, u64 round) {
    SeededEnvironment random(seed * 1'000'003 + round);
    std::vector<u64> numbers(1 + random.random() % 64);
    for (u64& number : numbers) number = random.random() % blocks;
    return numbers;
}

Complaint write_forever(const Job& job) {
    for (u64 round = job.b; round < job.b + 1'000'000; ++round) {
        for (u64 number : written_by(job.a, round)) {
            auto written = job.devices[0]->write((number + 1) * block, content(round, number));
            if (!written) return written.error().message();
        }
        if (auto flushed = job.devices[0]->flush(); !flushed) return flushed.error().message();
        say(job.id, std::to_string(round));
    }
    return {};
}

// Which of the blocks a round that wasn't flushed for certain may have reached.
constexpr u64 further = 16;  // rounds whose answer may have been under way when the browser died
std::vector<bool> reached_behind(const Job& job) {
    std::vector<bool> reached(blocks);
    for (u64 round = job.b + 1; round <= job.b + further; ++round) {
        for (u64 number : written_by(job.a, round)) reached[number] = true;
    }
    return reached;
}

// `b` rounds were flushed for certain; the writer may have come a little further. `c`: what it did further
// must be there by whole rounds. Says the last round that is there.
Complaint verify(const Job& job) {
    std::vector<u64> certain(blocks), last(blocks);
    for (u64 round = 1; round <= job.b; ++round) {
        for (u64 number : written_by(job.a, round)) certain[number] = round;
    }
    const std::vector<bool> reached = reached_behind(job);
    u64 newest = job.b;
    for (u64 number = 0; number < blocks; ++number) {
        Buffer bytes(block);
        auto read = job.devices[0]->read((number + 1) * block, bytes);
        if (!read) return read.error().message();
        std::memcpy(&last[number], bytes.data(), sizeof last[number]);
        const u64 round = last[number];
        const bool whole = bytes == (round ? content(round, number) : Buffer(block));
        const std::string where = "block " + std::to_string(number) + ": round " + std::to_string(round);
        if (!whole && (job.c || !reached[number])) return where + " is torn";
        if (!whole) continue;
        if (round < certain[number]) return where + ", flushed was " + std::to_string(certain[number]);
        if (round > job.b + further) return where + " can't be";
        newest = std::max(newest, round);
    }
    for (u64 round = job.b + 1; job.c && round <= newest; ++round) {
        for (u64 number : written_by(job.a, round)) {
            if (last[number] < round) return "round " + std::to_string(round) + " is there in part only";
        }
    }
    say(job.id, std::to_string(newest));
    return {};
}

}  // namespace rounds

// A btrfs with files that a writer goes on making until the browser is killed: file n has a content that
// follows from n, the file `kept` before it goes, and every few files are synced, which is said.
namespace files {

constexpr u64 group = 5, kept = 200;

Result<std::unique_ptr<mount::Volume>> open(const Job& job) {
    mount::Options options;
    options.access = mount::Access::ReadWrite;
    return mount::open(job.devices, options);
}

std::string name_of(u64 n) {
    return "file-" + std::to_string(n);
}
Buffer content_of(u64 n) {
    return test::contract_pattern(static_cast<std::size_t>((n * 7919) % 60'000 + 1), n);
}

Result<void> remove(vfs::FileSystem& fs, u64 n) {
    auto gone = fs.unlink(fs.root(), name_of(n));
    if (!gone && gone.error().cause != Cause::NotFound) return gone;
    return {};
}

Result<void> write_group(vfs::FileSystem& fs, u64 from) {
    for (u64 n = from; n < from + group; ++n) {
        TRY(remove(fs, n));  // what a killed writer had made and not synced
        auto made = TRY(fs.create(fs.root(), name_of(n), {}));
        TRY(fs.write(made, 0, content_of(n)));
        if (n >= kept) TRY(remove(fs, n - kept));
    }
    return fs.sync();
}

// From file `b` on.
Complaint write_forever(const Job& job) {
    auto volume = open(job);
    if (!volume) return volume.error().message();
    for (u64 from = job.b; from < job.b + 1'000'000; from += group) {
        if (auto done = write_group((*volume)->files(), from); !done) return done.error().message();
        say(job.id, std::to_string(from + group));
    }
    return {};
}

// `b` files were synced for certain.
Complaint verify(const Job& job) {
    auto volume = open(job);
    if (!volume) return volume.error().message();
    vfs::FileSystem& fs = (*volume)->files();
    constexpr u64 further = 16 * group;
    for (u64 n = job.b + further > kept ? job.b + further - kept : 0; n < job.b; ++n) {
        auto node = fs.lookup(fs.root(), name_of(n));
        if (!node) return name_of(n) + ": " + node.error().message();
        const Buffer wanted = content_of(n);
        Buffer got(wanted.size() + 1);
        auto read = fs.read(*node, 0, got);
        if (!read) return name_of(n) + ": " + read.error().message();
        got.resize(*read);
        if (got != wanted) return name_of(n) + " has other bytes";
    }
    auto report = (*volume)->check({}, [](double) { return true; });
    if (!report) return "check: " + report.error().message();
    // A kill between two copies of a superblock leaves the second one old, which is worth a warning only.
    for (const check::Issue& issue : report->issues) {
        if (issue.severity == check::Severity::Problem) return issue.error.message();
    }
    return {};
}

}  // namespace files

// Sequential and random throughput of a device, and of small writes that are flushed one by one.
Complaint measure(const Job& job) {
    block::Device& device = *job.devices[0];
    const std::size_t piece = 1 << 20, small = 16384;
    const u64 total = std::min<u64>(job.a << 20, device.size());
    Buffer bytes = test::contract_pattern(piece, 1);
    auto timed = [&](const char* what, double amount, auto&& run) -> Complaint {
        const double began = emscripten_get_now();
        if (Result<void> done = run(); !done) return done.error().message();
        const double seconds = (emscripten_get_now() - began) / 1000;
        say(job.id, std::string(what) + " " + std::to_string(amount / seconds));
        return {};
    };
    SeededEnvironment random(1);
    const u64 count = job.b;
    auto place = [&](u64 length) { return random.random() % (total / length) * length; };
    const double mib = static_cast<double>(total) / (1 << 20);
    Complaint wrong = timed("write MiB/s", mib, [&]() -> Result<void> {
        for (u64 at = 0; at < total; at += piece) TRY(device.write(at, bytes));
        return device.flush();
    });
    if (wrong.empty())
        wrong = timed("read MiB/s", mib, [&]() -> Result<void> {
            for (u64 at = 0; at < total; at += piece) TRY(device.read(at, bytes));
            return {};
        });
    const MutBytes part = MutBytes(bytes).first(small);
    if (wrong.empty())
        wrong = timed("random 16K write/s", static_cast<double>(count), [&]() -> Result<void> {
            for (u64 i = 0; i < count; ++i) {
                TRY(device.write(place(small), part));
                if (i % 64 == 63) TRY(device.flush());
            }
            return device.flush();
        });
    if (wrong.empty())
        wrong = timed("random 16K read/s", static_cast<double>(count), [&]() -> Result<void> {
            for (u64 i = 0; i < count; ++i) TRY(device.read(place(small), part));
            return {};
        });
    if (wrong.empty())
        wrong = timed("append 4K + flush/s", 500, [&]() -> Result<void> {
            for (u64 i = 0; i < 500; ++i) {
                TRY(device.write(i * 4096, part.first(4096)));
                TRY(device.flush());
            }
            return {};
        });
    return wrong;
}

Complaint write_pattern(const Job& job) {
    Complaint wrong = test::writes(*job.devices[0], job.a, test::contract_pattern(job.b, job.c));
    if (!wrong.empty()) return wrong;
    auto flushed = job.devices[0]->flush();
    return flushed ? Complaint() : flushed.error().message();
}

Complaint run(const Job& job, const std::string& what) {
    if (what == "contract") return test::device_contract[job.a].run(*job.devices[0]);
    if (what == "write") return write_pattern(job);
    if (what == "read") {
        return test::reads_as(*job.devices[0], job.a, test::contract_pattern(job.b, job.c), "read");
    }
    if (what == "zeros") return test::reads_as(*job.devices[0], job.a, Buffer(job.b), "zeros");
    if (what == "rounds") return rounds::write_forever(job);
    if (what == "verify rounds") return rounds::verify(job);
    if (what == "files") return files::write_forever(job);
    if (what == "verify files") return files::verify(job);
    if (what == "measure") return measure(job);
    return "no such job: " + what;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE web::StoreMailbox* glassfs_store_begin() {
    auto set = std::make_shared<web::StoreSet>();
    web::StoreMailbox* mailbox = set->mailbox();
    volumes[mailbox].set = std::move(set);
    return mailbox;
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_add(web::StoreMailbox* mailbox, const char* name, double size) {
    auto& [set, devices] = volumes.at(mailbox);
    devices.push_back(std::make_shared<web::StoreDevice>(set, static_cast<u32>(devices.size()), name,
                                                         static_cast<u64>(size)));
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_drop(web::StoreMailbox* mailbox) {
    volumes.erase(mailbox);
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_open(web::StoreMailbox* mailbox, const char*) {
    web::tell_store_opened(mailbox, "");
}

// Raw devices unless a checksum is named.
EMSCRIPTEN_KEEPALIVE void glassfs_store_format(web::StoreMailbox* mailbox, u32, const char*, const char*,
                                               const char* checksum, const char*, const char*) {
    if (!*checksum) return web::tell_store_opened(mailbox, "");
    std::thread([mailbox, devices = volumes.at(mailbox).devices, name = std::string(checksum)] {
        mount::FormatOptions options;
        options.checksum = name;
        auto made = mount::format(devices, options);
        web::tell_store_opened(mailbox, made ? "" : made.error().message());
    }).detach();
}

EMSCRIPTEN_KEEPALIVE void glassfs_store_release(web::StoreMailbox* mailbox) {
    volumes.erase(mailbox);
}

EMSCRIPTEN_KEEPALIVE void glassfs_test(int id, web::StoreMailbox* mailbox, const char* what, double a,
                                       double b, double c) {
    Job job{id, volumes.at(mailbox).devices, static_cast<u64>(a), static_cast<u64>(b), static_cast<u64>(c)};
    std::thread([job = std::move(job), what = std::string(what)] {
        const Complaint wrong = run(job, what);
        say(job.id, wrong, true);
    }).detach();
}

EMSCRIPTEN_KEEPALIVE const char* glassfs_test_contract_name(int number) {
    if (number < 0 || static_cast<std::size_t>(number) >= std::size(test::device_contract)) return nullptr;
    return test::device_contract[number].name;
}

EMSCRIPTEN_KEEPALIVE double glassfs_test_contract_bytes() {
    return static_cast<double>(test::contract_bytes());
}

}  // extern "C"

int main() {
    emscripten_exit_with_live_runtime();
}
