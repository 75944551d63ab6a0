// SPDX-License-Identifier: MIT
// Work on files as a person does it with the mouse, on a volume in memory: dialogs, copies, texts, images.
#include "block/ram_device.h"
#include "mount/mount.h"
#include "ui/model/file_dialog.h"
#include "ui/model/page_state.h"
#include "ui/wait_for.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;

namespace {

constexpr u64 MiB = 1 << 20;

class Collected : public ByteSink {
  public:
    explicit Collected(std::shared_ptr<Buffer> to) : to_(std::move(to)) {}
    Result<void> write(Bytes bytes) override {
        to_->insert(to_->end(), bytes.begin(), bytes.end());
        return {};
    }
    Result<void> finish() override { return {}; }

  private:
    std::shared_ptr<Buffer> to_;
};

// As wait_for(), with more patience: thousands of files take their time under a sanitizer.
template <class Condition>
bool eventually(Condition condition) {
    for (int tries = 0; tries < 12; ++tries) {
        if (wait_for(condition)) return true;
    }
    return false;
}

struct Work {
    Session session;

    explicit Work(u64 bytes = 128 * MiB) {
        session.create("work", bytes, {.label = "work", .node_size = 4096});
        REQUIRE(eventually([&] { return session.state() == SessionState::Open; }));
    }
    bool run(const std::string& line) {
        const u64 number = session.run_command(line);
        eventually([&] { return !session.command(number)->running; });
        return session.command(number)->status == 0;
    }
    std::string output(const std::string& line) {
        const u64 number = session.run_command(line);
        eventually([&] { return !session.command(number)->running; });
        return session.command(number)->output;
    }
    // Presses, and gives what is wrong once it has been done.
    std::string press_and_wait(const char* button) {
        DialogPtr& dialog = session.view.dialog;
        if (!press(dialog, button)) return "not pressed";
        eventually([&] {
            poll(dialog);
            return !dialog || !dialog->waiting();
        });
        return dialog ? dialog->error : "";
    }
    // The answer of this moment: an earlier one is given until there is a newer one.
    template <class Ask>
    auto now(Ask ask) {
        ask();
        eventually([&] { return !session.busy(); });
        return ask();
    }
    vfs::Attributes file(const std::string& path) {
        auto node = now([&] { return session.resolve(path); });
        if (!node) return {};
        auto found = now([&] { return session.attributes(*node); });
        return found ? *found : vfs::Attributes();
    }
    bool there(const std::string& path) {
        return now([&] { return session.resolve(path); }).get() != nullptr;
    }
    std::shared_ptr<Job> load(const std::string& path, std::string& text) {
        auto into = std::make_shared<std::string>();
        auto job = session.load_text(path, into);
        eventually([&] { return job->done.load(); });
        text = *into;
        return job;
    }
    std::string last_operation() {
        auto timeline = session.timeline();
        return timeline && !timeline->operations.empty() ? timeline->operations.back().name : "";
    }
    bool finish(const std::shared_ptr<Job>& job) {
        return eventually([&] { return job->done.load(); });
    }
};

ImportItem item(const std::string& path, const std::string& content) {
    ImportItem out{.path = path, .size = content.size(), .mtime = TimeSpec{1'700'000'000, 5}};
    out.open = [content]() -> Result<std::shared_ptr<block::Device>> {
        auto device = std::make_shared<block::RamDevice>(content.size());
        TRY(device->write(0, as_bytes(content)));
        return device;
    };
    return out;
}

ImportSource source(std::vector<ImportItem> items) {
    return [items = std::move(items)](Job&) -> Result<std::vector<ImportItem>> { return items; };
}

}  // namespace

TEST_CASE("ui/files: names with every kind of quote become folders and files of exactly that name") {
    Work work;
    const std::string odd = "it's a \"$HOME\"; rm -r * \\ #";
    work.session.view.dialog = new_folder_dialog(work.session, "/");
    CHECK_FALSE(press(work.session.view.dialog, "apply"));  // no name yet
    REQUIRE(set_field(*work.session.view.dialog, "name", odd));
    CHECK(work.press_and_wait("apply") == "");
    CHECK(work.session.view.dialog == nullptr);
    CHECK(work.file("/" + odd).type == vfs::FileType::Directory);
    CHECK(work.last_operation().starts_with("mkdir /it\\'s\\ a\\ "));
    work.session.view.dialog = new_file_dialog(work.session, "/" + odd);
    REQUIRE(set_field(*work.session.view.dialog, "name", "-n"));
    CHECK(work.press_and_wait("apply") == "");
    CHECK(work.file("/" + odd + "/-n").type == vfs::FileType::Regular);
    work.session.view.dialog = new_file_dialog(work.session, "/" + odd);
    for (const char* bad : {"a/b", "..", "."}) {
        REQUIRE(set_field(*work.session.view.dialog, "name", bad));
        CHECK_FALSE(press(work.session.view.dialog, "apply"));
    }
    REQUIRE(set_field(*work.session.view.dialog, "name", "-n"));
    CHECK(work.press_and_wait("apply").find("already exists") != std::string::npos);
}

TEST_CASE("ui/files: renaming replaces nothing, and deleting takes a folder with what is in it") {
    Work work;
    REQUIRE(work.run("mkdir /a; write /a/one 1; write /a/two 2; write /other o"));
    work.session.view.dialog = rename_dialog(work.session, "/a/one");
    REQUIRE(set_field(*work.session.view.dialog, "name", "two"));
    CHECK(work.press_and_wait("apply").find("already exists") != std::string::npos);
    REQUIRE(set_field(*work.session.view.dialog, "name", "three"));
    CHECK(work.press_and_wait("apply") == "");
    CHECK_FALSE(work.there("/a/one"));
    CHECK(work.file("/a/three").size == 1);
    CHECK(work.last_operation() == "mv -n -T /a/one /a/three");
    const vfs::Attributes folder = work.file("/a");
    work.session.view.dialog = delete_dialog(work.session, "/a", folder);
    CHECK(work.session.view.dialog->text == "Everything in it goes as well.");
    CHECK(press(work.session.view.dialog, "cancel"));
    CHECK(work.there("/a"));
    work.session.view.dialog = delete_dialog(work.session, "/a", folder);
    CHECK(work.press_and_wait("delete") == "");
    CHECK_FALSE(work.there("/a"));
    CHECK(work.there("/other"));
    REQUIRE(work.run("subvolume create /sub; write /sub/x 1"));
    work.session.view.dialog = delete_dialog(work.session, "/sub", work.file("/sub"));
    CHECK(work.press_and_wait("delete") == "");
    CHECK_FALSE(work.there("/sub"));
}

TEST_CASE("ui/files: a text is saved by one write, shorter or longer than before") {
    Work work;
    REQUIRE(work.run("write /t 'hello, world'"));
    std::string text;
    CHECK_FALSE(work.load("/t", text)->error);
    CHECK(text == "hello, world");
    for (const std::string& now :
         {std::string("short"), std::string(), std::string(100'000, 'y') + "\xc3\xa9\n"}) {
        work.session.view.dialog = text_dialog(work.session, "/t", "hello, world");
        REQUIRE(set_field(*work.session.view.dialog, "text", now));
        CHECK(work.press_and_wait("save") == "");
        CHECK(work.file("/t").size == now.size());
        CHECK_FALSE(work.load("/t", text)->error);
        const bool same = text == now;
        CHECK(same);
    }
    CHECK(work.last_operation() == "write /t, 100,003 bytes");
    work.session.view.dialog = text_dialog(work.session, "/t", "");
    REQUIRE(set_field(*work.session.view.dialog, "text", std::string(Session::text_bytes_max + 1, 'x')));
    CHECK_FALSE(press(work.session.view.dialog, "save"));
    REQUIRE(work.run("write /bin --hex 00ff; write /big --fill 65 --size 300K"));
    for (const char* path : {"/bin", "/big"}) {
        auto refused = work.load(path, text);
        REQUIRE(refused->error);
        CHECK(refused->error->cause == Cause::NotSupported);
    }
}

TEST_CASE("ui/files: thousands of files are copied into folders, with their times") {
    Work work;
    std::vector<ImportItem> items = {{.path = "in", .type = vfs::FileType::Directory}};
    u64 bytes = 0;
    for (int i = 0; i < 2000; ++i) {
        items.push_back(item("in/" + std::to_string(i % 10) + "/file-" + std::to_string(i),
                             std::string(static_cast<std::size_t>(i), 'z')));
        bytes += static_cast<u64>(i);
    }
    auto job = work.session.import(source(std::move(items)), "/", "in");
    REQUIRE(work.finish(job));
    CHECK_FALSE(job->error);
    CHECK(job->files_done == 2000);
    CHECK(job->files_total == 2000);
    CHECK(job->bytes_done == bytes);
    const vfs::Attributes one = work.file("/in/9/file-1999");
    CHECK(one.size == 1999);
    CHECK(one.mtime.seconds == 1'700'000'000);
    CHECK(one.mtime.nanos == 5);
    const std::string names = work.output("ls /in/9");
    CHECK(std::ranges::count(names, '\n') == 200);
    CHECK(work.session.timeline()->operations.size() >= 32);  // batches of 64, and the sync
}

TEST_CASE("ui/files: a file that can't be copied is named, one that is there is replaced, the rest goes on") {
    Work work;
    REQUIRE(work.run("mkdir /to; write /to/old 'what it was before'; mkdir /to/dir"));
    ImportItem broken{.path = "broken", .size = 3};
    broken.open = []() -> Result<std::shared_ptr<block::Device>> {
        return fail(Cause::DeviceReadFailed, "it was moved");
    };
    auto job = work.session.import(
        source({item("old", "new"), std::move(broken), item("dir", "no folder"), item("last", "end")}), "/to",
        "four");
    REQUIRE(work.finish(job));
    CHECK(job->files_done == 2);
    CHECK(job->files_failed == 2);
    REQUIRE(job->failures.size() == 2);
    CHECK(job->failures[0].starts_with("broken: "));
    CHECK(job->failures[0].find("it was moved") != std::string::npos);
    CHECK(job->failures[1].starts_with("dir: is a directory"));
    CHECK(work.output("cat /to/old") == "new");
    CHECK(work.output("cat /to/last") == "end");
    CHECK(work.output("ls /to") == "dir\nlast\nold\n");
    DialogPtr told = job_dialog(*job);
    REQUIRE(told);
    CHECK(told->title == "Not everything could be copied");
    CHECK(told->text.starts_with("2 files of 4 copied, 2 left out.\nbroken: "));
}

TEST_CASE("ui/files: a full volume stops a copy with one message, keeps what is whole, and can delete") {
    Work work(96 * MiB);
    std::vector<ImportItem> items;
    std::string piece(4 * MiB, 'f');
    for (int i = 0; i < 40; ++i) items.push_back(item("f" + std::to_string(i), piece));
    auto job = work.session.import(source(std::move(items)), "/", "forty");
    REQUIRE(work.finish(job));
    REQUIRE(job->error);
    CHECK(job->error->cause == Cause::NoSpace);
    CHECK(job->failures.empty());
    const u64 done = job->files_done;
    CHECK(done > 0);
    CHECK(done < 40);
    CHECK(job->error->detail ==
          "the volume is full; " + std::to_string(done) + " of 40 files were copied and stay");
    CHECK(work.file("/f" + std::to_string(done - 1)).size == 4 * MiB);
    CHECK_FALSE(work.there("/f" + std::to_string(done)));
    // Nor is a text torn by it.
    REQUIRE(work.run("rm /f0; write /t 'as it was'; sync"));
    (void)work.run("write /fill --fill 1 --size 96M");
    auto saved = work.session.save_text("/t", std::string(200'000, 'n'));
    REQUIRE(work.finish(saved));
    REQUIRE(saved->error);
    CHECK(saved->error->cause == Cause::NoSpace);
    CHECK(work.output("cat /t") == "as it was");
    CHECK(work.run("rm /fill; rm /f1; sync; write /after 'there is room again'"));
    CHECK(work.run("check"));
}

TEST_CASE("ui/files: a copy is cancelled between two pieces, and half a file is none") {
    Work work;
    std::atomic<bool> reached{false};
    std::shared_ptr<Job> job;
    ImportItem second = item("b", std::string(8 * MiB, 'b'));
    second.open = [&reached, open = second.open] {
        reached = true;
        return open();
    };
    std::vector<ImportItem> items = {item("a", "a"), second};
    for (int i = 0; i < 100; ++i) items.push_back(item("c" + std::to_string(i), std::string(MiB, 'c')));
    job = work.session.import(source(std::move(items)), "/", "some");
    REQUIRE(eventually([&] { return reached.load(); }));
    job->cancel = true;
    REQUIRE(work.finish(job));
    REQUIRE(job->error);
    CHECK(job->error->cause == Cause::Cancelled);
    CHECK(work.there("/a"));
    CHECK(job->files_done < 102);
    CHECK_FALSE(work.there("/c99"));
    CHECK(job_dialog(*job) == nullptr);
}

TEST_CASE("ui/files: an exported image is what the volume is, synced, byte for byte of each device") {
    Work work;
    REQUIRE(work.run("mkdir /docs; write /docs/a 'not synced yet'"));
    CHECK(work.session.in_memory());
    CHECK(work.session.device_sizes() == std::vector<u64>{128 * MiB});
    auto bytes = std::make_shared<Buffer>();
    auto job = work.session.export_image(0, "work.img", std::make_unique<Collected>(bytes));
    REQUIRE(work.finish(job));
    CHECK_FALSE(job->error);
    REQUIRE(bytes->size() == 128 * MiB);
    auto device = std::make_shared<block::RamDevice>(bytes->size());
    REQUIRE(device->write(0, *bytes));
    auto volume = mount::open({device});
    REQUIRE(volume);
    vfs::FileSystem& files = (*volume)->files();
    const vfs::NodeId docs = files.lookup(files.root(), "docs").value();
    const vfs::NodeId a = files.lookup(docs, "a").value();
    Buffer content(14);
    CHECK(files.read(a, 0, content) == 14);
    CHECK(as_text(content) == "not synced yet");
    auto report = (*volume)->check({}, [](double) { return true; });
    REQUIRE(report);
    CHECK(report->issues.empty());
    CHECK(work.session.export_image(1, "none", std::make_unique<Collected>(bytes)) != nullptr);
}

TEST_CASE("ui/files: a compressed volume compresses what is copied into it") {
    Session session;
    session.create("small", 128 * MiB, {.label = "small", .compression = "zstd"});
    REQUIRE(eventually([&] { return session.state() == SessionState::Open; }));
    auto job = session.import(source({item("z", std::string(100'000, 'z'))}), "/", "z");
    REQUIRE(eventually([&] { return job->done.load(); }));
    auto node = answered([&] { return session.resolve("/z"); });
    REQUIRE(node);
    auto extents = answered([&] { return session.extents(*node); });
    REQUIRE(extents);
    REQUIRE(extents->extents.size() == 1);
    CHECK(std::string(extents->extents[0].compression) == "zstd");
    CHECK(extents->extents[0].disk_length == 4096);
}

TEST_CASE("ui/files: the mirror has the dialog, and its actions change it") {
    Work work;
    FileTree files;
    auto state = [&] {
        return nlohmann::json::parse(page_state_json(work.session, files, headline(work.session, true), {}));
    };
    CHECK(state()["dialog"].is_null());
    CHECK(state()["writable"] == true);
    CHECK(state()["in_memory"] == true);
    CHECK(state()["files"][0]["action"]["what"] == "new-folder");
    work.session.view.dialog = new_folder_dialog(work.session, "/");
    CHECK(state()["dialog"]["fields"][0]["error"] == "It needs a name.");
    CHECK(apply_action(work.session, files, R"({"do": "field", "id": "name", "value": "made"})"));
    CHECK(state()["dialog"]["fields"][0]["value"] == "made");
    CHECK_FALSE(apply_action(work.session, files, R"({"do": "field", "id": "age", "value": "7"})"));
    CHECK(apply_action(work.session, files, R"({"do": "press", "id": "primary"})"));
    CHECK_FALSE(apply_action(work.session, files, R"({"do": "press", "id": "primary"})"));
    REQUIRE(eventually([&] {
        poll(work.session.view.dialog);
        return work.session.view.dialog == nullptr;
    }));
    CHECK(work.there("/made"));
    auto asked = apply_action(work.session, files, R"({"do": "ask", "what": "rename", "of": "/made"})");
    REQUIRE(asked);
    CHECK(asked->ask == "rename");
    CHECK(asked->of == "/made");
}
