// SPDX-License-Identifier: MIT
// Random operations on two file systems at once, compared call by call and tree by tree. A sequence is a seed
// and a range of numbers: whoever mounts what it left behind can go on with it (--first).
#include "compare.h"
#include "generator.h"
#include "host_fs.h"
#include "support/model_fs.h"
#include "writable_image.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <set>
#include <sys/resource.h>

namespace glassfs::differential {

namespace {

struct Options {
    GeneratorOptions generator;
    CompareOptions compare;
    u64 first = 0;
    u64 operations = 1000;
    u64 batch = 200;
    u64 runs = 1;
    u32 node_size = 16384;
    bool model = false;
    bool print = false;
    bool statistics = false;
    std::vector<std::string> hosts;
    std::vector<std::string> image;  // its devices
};

// A file system under test, and what keeps it alive.
struct Subject {
    std::string name;
    std::shared_ptr<void> owner;
    vfs::FileSystem* files = nullptr;
    std::function<void()> forget = [] {};
};

Result<Subject> open_host(const std::string& directory) {
    std::shared_ptr<HostFs> host = TRY(HostFs::open(directory));
    return Subject{directory, host, host.get(), [host] { host->forget(); }};
}

Result<std::vector<Subject>> open_subjects(const Options& options) {
    std::vector<Subject> out;
    if (options.model) {
        auto model = std::make_shared<support::ModelFs>(support::ModelOptions{options.node_size, 1});
        out.push_back({"model", model, model.get()});
    }
    if (!options.image.empty()) {
        std::shared_ptr<mount::Volume> volume = TRY(open_writable(options.image));
        out.push_back({options.image.front(), volume, &volume->files()});
    }
    for (const auto& host : options.hosts) out.push_back(TRY(open_host(host)));
    return out;
}

class Run {
  public:
    Run(const Options& options, Side& left, Side& right)
        : options_(options), generator_(options.generator), left_(left), right_(right) {}

    // Whether both sides were the same throughout.
    bool go();
    void print_statistics() const;

  private:
    std::vector<std::string> step(u64 number);
    void settle_punch(const Operation&);
    std::vector<std::string> compare_all();
    bool report(u64 number, const std::vector<std::string>& differences);

    const Options& options_;
    Generator generator_;
    Side& left_;
    Side& right_;
    std::deque<std::string> history_;
    std::map<std::pair<OperationKind, Errno>, u64> counts_;
};

// " {5/257 5/258}": tree and inode of what an operation works on, on the left.
std::string inode_numbers(const std::vector<std::optional<vfs::NodeId>>& nodes) {
    std::string out;
    for (const auto& node : nodes) {
        out += out.empty() ? "" : " ";
        out += node ? std::to_string(node->tree) + "/" + std::to_string(node->ino.value) : "-";
    }
    return " {" + out + "}";
}

// Whether Linux, when it punches where a hole is, sets the times and turns a partly covered last block into
// data depends on the pieces in which it has that hole in its cache. Both sides get what either may have.
void Run::settle_punch(const Operation& op) {
    if (op.kind != OperationKind::Fallocate || op.fallocate != vfs::FallocateMode::PunchHole) return;
    auto is_data = [&](Side& side, u64 at) {
        auto id = side.resolve(op.node);
        return id && side.files().seek(*id, at, vfs::Whence::Data).value_or(at + 1) == at;
    };
    Operation set;
    set.node = op.node;
    for (u64 edge : {op.at, op.at + op.length - 1}) {
        if (is_data(left_, edge) == is_data(right_, edge)) continue;
        set.kind = OperationKind::Read;
        set.at = edge;
        set.length = 1;
        if (left_.run(set) != right_.run(set)) continue;  // and will be found
        set.kind = OperationKind::WriteZero;
        (void)left_.run(set);
        (void)right_.run(set);
    }
    set.kind = OperationKind::SetAttributes;
    set.change.mtime = TimeSpec{static_cast<s64>(op.data_seed % 1'000'000), 0};
    (void)left_.run(set);
    (void)right_.run(set);
}

std::vector<std::string> Run::step(u64 number) {
    Operation op = generator_.make(number, left_);
    if (op.kind == OperationKind::DeleteSubvolume) {  // what is held inside would go with it
        left_.release_all();
        right_.release_all();
    }
    std::string line = "#" + std::to_string(number) + " " + describe(op);
    auto left_nodes = left_.touched_by(op), right_nodes = right_.touched_by(op);
    Watched left_before = watch(left_, left_nodes), right_before = watch(right_, right_nodes);
    Outcome here = left_.run(op), there = right_.run(op);
    line += " = " + here.text() + inode_numbers(left_nodes);
    history_.push_back(line);
    if (history_.size() > 40) history_.pop_front();
    if (options_.print) std::printf("%s\n", line.c_str());
    counts_[{op.kind, here.code}] += 1;
    std::vector<std::string> differences;
    if (here != there) differences.push_back("answers " + here.text() + " here, " + there.text() + " there");
    settle_punch(op);
    for (auto& found : compare_watched(left_before, watch(left_, left_nodes), right_before,
                                       watch(right_, right_nodes), options_.compare)) {
        differences.push_back(found);
    }
    left_.forget();
    right_.forget();
    return differences;
}

std::vector<std::string> Run::compare_all() {
    auto here = left_.files().sync(), there = right_.files().sync();
    if (!here) return {"sync here: " + here.error().message()};
    if (!there) return {"sync there: " + there.error().message()};
    return compare_trees(left_, right_, options_.compare);
}

bool Run::report(u64 number, const std::vector<std::string>& differences) {
    if (differences.empty()) return true;
    std::printf("DIFFERENT after operation %llu of seed %llu. The last operations:\n",
                static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(options_.generator.seed));
    for (const auto& line : history_) std::printf("  %s\n", line.c_str());
    for (const auto& line : differences) std::printf("difference: %s\n", line.c_str());
    return false;
}

bool Run::go() {
    if (!report(options_.first, compare_all())) return false;
    for (u64 i = 0; i < options_.operations; ++i) {
        u64 number = options_.first + i;
        if (!report(number, step(number))) return false;
        bool whole = (i + 1) % options_.batch == 0 || i + 1 == options_.operations;
        if (whole && !report(number, compare_all())) return false;
    }
    left_.release_all();
    right_.release_all();
    return report(options_.first + options_.operations, compare_all());
}

void Run::print_statistics() const {
    std::map<OperationKind, std::string> lines;
    for (const auto& [key, count] : counts_) {
        lines[key.first] += std::string(" ") + errno_name(key.second) + " " + std::to_string(count);
    }
    for (const auto& [kind, line] : lines) std::printf("%-17s%s\n", operation_word(kind), line.c_str());
}

// Nothing is left of a directory but itself.
Result<void> clear(HostFs& host, vfs::NodeId dir) {
    std::vector<std::string> names;
    TRY(host.readdir(dir, 0, [&](const vfs::DirEntry& entry) {
        names.push_back(entry.name);
        return true;
    }));
    (void)host.set_flags(dir, 0);
    for (const auto& name : names) {
        vfs::NodeId id = TRY(host.lookup(dir, name));
        if (TRY(host.getattr(id)).type != vfs::FileType::Directory) {
            (void)host.set_flags(id, 0);
            (void)host.unlink(dir, name);
            continue;
        }
        TRY(clear(host, id));
        if (!host.delete_subvolume(dir, name)) (void)host.rmdir(dir, name);
    }
    return {};
}

int run_once(const Options& options) {
    auto subjects = open_subjects(options);
    if (!subjects || subjects->size() != 2) {
        std::fprintf(stderr, "%s\n",
                     subjects ? "name two file systems: --model, --image, --host"
                              : subjects.error().message().c_str());
        return 2;
    }
    Subject &first = (*subjects)[0], &second = (*subjects)[1];
    Side left(*first.files, first.forget), right(*second.files, second.forget);
    Run run(options, left, right);
    bool same = run.go();
    if (options.statistics) run.print_statistics();
    std::printf("%s: seed %llu, operations %llu to %llu, %s here and %s there\n", same ? "same" : "FAILED",
                static_cast<unsigned long long>(options.generator.seed),
                static_cast<unsigned long long>(options.first),
                static_cast<unsigned long long>(options.first + options.operations), first.name.c_str(),
                second.name.c_str());
    return same ? 0 : 1;
}

// Several seeds, each in a subvolume of its own that goes again.
int run_seeds(Options options) {
    std::string top = options.hosts.empty() ? "" : options.hosts.back();
    auto host = HostFs::open(top);
    if (!host || options.hosts.size() != 1 || !options.model) {
        std::fprintf(stderr, "--runs takes --model and one --host\n");
        return 2;
    }
    for (u64 i = 0; i < options.runs; ++i) {
        std::string name = "seed-" + std::to_string(options.generator.seed);
        auto made = (*host)->create_subvolume((*host)->root(), name, {0040755, 0, 0, {}});
        if (!made) {
            std::fprintf(stderr, "%s: %s\n", name.c_str(), made.error().message().c_str());
            return 2;
        }
        options.hosts = {top + "/" + name};
        int code = run_once(options);
        if (code != 0) return code;
        std::fflush(stdout);
        auto id = (*host)->lookup((*host)->root(), name);
        if (id) (void)clear(**host, *id);
        (void)(*host)->delete_subvolume((*host)->root(), name);
        (*host)->forget();
        options.generator.seed += 1;
    }
    return 0;
}

bool choose_operations(Options& options, const std::vector<std::string>& only,
                       const std::vector<std::string>& without) {
    if (!only.empty()) options.generator.enabled.reset();
    for (const auto* list : {&only, &without}) {
        for (const auto& word : *list) {
            auto kind = operation_of(word);
            if (!kind) {
                std::fprintf(stderr, "no operation \"%s\"\n", word.c_str());
                return false;
            }
            options.generator.enabled[static_cast<std::size_t>(*kind)] = list == &only;
        }
    }
    return true;
}

int run_program(int argc, char** argv) {
    Options options;
    std::vector<std::string> only, without;
    CLI::App app{
        "Random operations on two file systems, compared. Exit 0: the same, 1: different, 2: not run."};
    app.add_flag("--model", options.model, "the model in memory");
    app.add_option("--image", options.image, "a btrfs image that is written to; -d for further devices");
    app.add_option("-d", options.image, "a further device of --image");
    app.add_option("--host", options.hosts, "the root of a mounted btrfs (noatime)");
    app.add_option("--seed", options.generator.seed, "of the operations");
    app.add_option("--first", options.first, "number of the first operation: goes on with a sequence");
    app.add_option("--ops", options.operations, "how many operations");
    app.add_option("--batch", options.batch, "whole trees are compared after so many operations");
    app.add_option("--runs", options.runs, "so many seeds, each in a new subvolume of --host, with --model");
    app.add_option("--node-size", options.node_size, "of the volume, in bytes: the model's limits");
    app.add_option("--only", only, "these operations")->delimiter(',');
    app.add_option("--without", without, "all operations but these")->delimiter(',');
    app.add_flag("--print", options.print, "each operation and its answer");
    app.add_flag("--statistics", options.statistics, "answers by operation");
    app.add_flag("!--no-blocks", options.compare.blocks,
                 "don't compare bytes occupied and unwritten extents");
    app.add_flag("!--no-changes", options.compare.changes, "don't compare which times an operation changes");
    CLI11_PARSE(app, argc, argv);
    if (!choose_operations(options, only, without) || options.batch == 0) return 2;
    struct rlimit files {};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &files);
    }
    return options.runs > 1 ? run_seeds(options) : run_once(options);
}

}  // namespace

}  // namespace glassfs::differential

int main(int argc, char** argv) {
    return glassfs::differential::run_program(argc, argv);
}
