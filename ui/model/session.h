// SPDX-License-Identifier: MIT
// The UI thread's view of a volume. Worker threads own the file system; the UI thread asks, and never waits:
//
//     if (auto view = session.block(addr)) draw(*view);         // it's there
//     else if (const Error* e = view.error()) draw_error(*e);   // it failed
//     else draw_placeholder();                                  // asked for; ask again in a later frame
//
// Each getter looks into a bounded cache and queues a request when nothing is there. The newest request is
// served first, because it is what the screen shows now; when too many wait, the oldest are forgotten (and
// asked for again by whoever still needs them). Three threads serve: small requests, tree walks, and jobs
// (extracting, commands). All public functions are for the UI thread. No ImGui, no host: the same in the
// window, the page and the tests.
#pragma once

#include "block/device.h"
#include "mount/format.h"
#include "mount/mount.h"
#include "ui/model/timeline.h"
#include "ui/model/view_state.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace glassfs::ui {

// A value, an error, or not yet known. Keeps its value alive on its own, whatever the cache does.
template <class T>
class Answer {
  public:
    Answer() = default;  // not yet known
    explicit Answer(std::shared_ptr<const Result<T>> result) : result_(std::move(result)) {}
    bool pending() const { return result_ == nullptr; }
    const Error* error() const { return result_ && !*result_ ? &result_->error() : nullptr; }
    const T* get() const { return result_ && *result_ ? &**result_ : nullptr; }
    explicit operator bool() const { return get() != nullptr; }
    const T* operator->() const { return get(); }
    const T& operator*() const { return *get(); }

  private:
    std::shared_ptr<const Result<T>> result_;
};

// All blocks of a tree, as far as they have been read: the order of Inspector::walk_tree, in chunks that are
// full except for the last. Later maps of the same tree begin with the same records.
class TreeMap {
  public:
    static constexpr std::size_t chunk_size = 1024;
    using Chunk = std::vector<inspect::NodeRecord>;

    u64 tree = 0;
    bool done = false;           // nothing more will come
    std::optional<Error> error;  // why it ended early
    std::vector<std::shared_ptr<const Chunk>> chunks;
    u64 leaves = 0;  // of those read so far, as are the next two
    u64 items = 0;   // in leaves
    u64 bad = 0;     // blocks

    std::size_t size() const {
        return chunks.empty() ? 0 : (chunks.size() - 1) * chunk_size + chunks.back()->size();
    }
    const inspect::NodeRecord& operator[](std::size_t i) const {
        return (*chunks[i / chunk_size])[i % chunk_size];
    }
};

struct DirPage {
    struct Row {
        vfs::DirEntry entry;
        std::optional<vfs::Attributes> attributes;  // empty when the inode can't be read
        std::string target;                         // of a symlink
    };
    static constexpr std::size_t rows_max = 256;
    std::vector<Row> rows;
    bool last = false;    // no page behind this one
    u64 next_cookie = 0;  // of the next page
};

struct FileBytes {
    static constexpr std::size_t bytes_max = 16384;
    u64 offset = 0;  // a multiple of bytes_max
    Buffer data;     // shorter only at the end of the file
};

struct ExtentList {
    static constexpr std::size_t extents_max = 256;
    std::vector<vfs::FileExtent> extents;  // the first ones
    bool more = false;
};

struct Superblock {
    std::vector<inspect::Field> fields;
    std::shared_ptr<const Buffer> raw;
};

// Where extracted bytes go: a file, a download. Called on a worker thread, in order. Destroyed without
// finish(): what was written is to be thrown away.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    virtual Result<void> write(Bytes) = 0;
    virtual Result<void> zeros(u64 count);  // as many bytes of zeros; a file may have a hole there
    virtual Result<void> finish() = 0;
};

// A job that takes its time. The members may be read from any thread.
struct Job {
    std::string title;  // "docs.tar"
    std::atomic<u64> bytes_done{0};
    std::atomic<u64> bytes_total{0};  // 0: not known
    std::atomic<u64> files_done{0};
    std::atomic<u64> files_total{0};   // 0: not counted
    std::atomic<u64> files_failed{0};  // left out, with the first error in `error`
    std::atomic<bool> cancel{false};   // set it to stop the job
    std::atomic<bool> done{false};     // set last: what follows may be read then
    std::optional<Error> error;
    static constexpr std::size_t failures_max = 100;
    std::vector<std::string> failures = {};  // "PATH: why", of the first ones
};

// A file or folder of the host that is to be copied into a volume.
struct ImportItem {
    std::string path;  // below the target, "photos/a.jpg"; a folder comes before what is in it
    vfs::FileType type = vfs::FileType::Regular;  // or Directory, Symlink
    u64 size = 0;
    std::optional<TimeSpec> mtime = {};
    std::string target = {};  // of a symlink
    // The bytes of a file; called on a worker when its turn has come.
    std::function<Result<std::shared_ptr<block::Device>>()> open = {};
};
// Lists them, on a worker; it counts into files_total as it finds them and gives up when the job is
// cancelled. What can't be read goes into the job's failures.
using ImportSource = std::function<Result<std::vector<ImportItem>>(Job&)>;

struct ConsoleEntry {
    std::string prompt;  // "demo:/docs $"
    std::string line;
    std::string output;  // as far as it has come
    std::string errors;
    int status = 0;
    bool running = false;
    bool truncated = false;  // there was more output than is kept
};

// From what a volume in memory can be made again.
struct VolumeOrigin {
    std::string name;
    u64 bytes = 0;  // of each device
    u32 devices = 1;
    mount::FormatOptions options;
    u64 seed = 0;
    std::vector<std::string> commands;  // all that were run, in order
};

enum class SessionState : u8 { Empty, Opening, Open, Failed };

class Session {
  public:
    using Devices = std::vector<std::shared_ptr<block::Device>>;

    Session();
    ~Session();  // cancels jobs and waits for the workers
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    ViewState view;

    // Opens a volume, read-only, in place of the one that is open. At once; watch state(). The selection is
    // forgotten at once as well.
    void open(Devices, std::string name);
    // As open(), with the devices made on the worker (reading partition tables, unpacking). `make` is called
    // there.
    void open_from(std::function<Result<Devices>()> make, std::string name);
    // As open(), with the volume made on the worker by `mount`.
    using Mount = std::function<Result<std::unique_ptr<mount::Volume>>()>;
    void open_volume(Mount mount, std::string name);
    // Opens a volume for writing, with everything that it does recorded. `make` is called on the worker, with
    // devices that may be written to; `opened` is called there, too, with what went wrong or null.
    void open_writable(std::function<Result<Devices>()> make, std::string name,
                       std::function<void(const Error*)> opened = {},
                       std::shared_ptr<Environment> environment = {});
    // A new volume in memory; closing it loses it. With a seed everything in it is a matter of the commands:
    // the same ones give the same bytes. `bytes`: of each device.
    void create(std::string name, u64 bytes, const mount::FormatOptions&, std::optional<u64> seed = {},
                u32 devices = 1);
    // How the open volume came to be, if create() made it with a seed.
    std::optional<VolumeOrigin> origin();
    // The open volume again, for writing: changes stay in memory, the devices that it came from are
    // untouched. False: it isn't one that this can be done with.
    bool edit_in_memory();
    bool writable();
    bool in_memory();  // writable, and closing it loses it
    void close();
    // The host failed before there was a device ("no WebGL file", "not a file"): state() becomes Failed.
    void fail_open(Error, std::string name);
    SessionState state();
    std::string name();                   // of the volume: the image's file name
    std::optional<Error> open_error();    // when Failed
    double opening_seconds();             // since open(), while Opening
    u64 epoch() const { return epoch_; }  // another one for each volume opened or closed

    // What a writable volume has done so far; null while nothing is recorded. All getters below answer for
    // the moment that position() names: right before that step, or the present at timeline()->end.
    std::shared_ptr<const Timeline> timeline();
    u64 position();
    bool in_past();
    // At once; answers follow, and until then those of the moment before are given. Out of range: the
    // nearest.
    void go_to(u64 position);
    std::optional<Error> moment_error();  // why a moment can't be shown: the present is, instead
    // The tree blocks that are newer in memory than on the devices at this moment, with the step that changed
    // each last. Never null.
    std::shared_ptr<const std::map<u64, u64>> newer_blocks();

    // Changes whenever an answer, a chunk of a tree or output has arrived: time to draw.
    u64 revision() const;
    // Called on a worker thread at such a moment. Set before open().
    void set_notify(std::function<void()>);
    bool busy();  // requests are queued or running

    Answer<inspect::VolumeInfo> info();
    Answer<Superblock> superblock();
    Answer<std::vector<inspect::TreeInfo>> trees();
    Answer<inspect::BlockView> block(LogicalAddr);
    Answer<std::vector<inspect::Field>> item_fields(LogicalAddr, u32 slot);
    Answer<std::vector<inspect::PathStep>> path_to(vfs::NodeId);
    Answer<std::vector<inspect::PathStep>> path_to_key(u64 tree, KeyRef key);
    Answer<inspect::SpaceMap> space();
    // The mode of an experiment's switch now, and the others; empty where there is none.
    Answer<std::vector<mount::Experiment>> experiments();
    // Null until the first chunk is there. Walks go on in the background, the newest asked for first.
    std::shared_ptr<const TreeMap> tree_map(u64 tree);

    vfs::NodeId root();  // of the open volume
    Answer<vfs::Attributes> attributes(vfs::NodeId);
    Answer<DirPage> directory(vfs::NodeId, u64 cookie = 0);
    Answer<std::vector<vfs::Xattr>> xattrs(vfs::NodeId);
    Answer<ExtentList> extents(vfs::NodeId);
    Answer<std::string> readlink(vfs::NodeId);
    Answer<FileBytes> file_bytes(vfs::NodeId, u64 offset);  // the granule that holds `offset`
    Answer<vfs::NodeId> resolve(const std::string& path);   // absolute; a last symlink is not followed

    // Selects view.wanted_path once it is resolved, and unfolds the folders above it. Called once a frame.
    // Returns an error when the path doesn't exist.
    std::optional<Error> follow_wanted_path();
    // The same for view.wanted_key: selects the item. Cause::NotFound: there is none with this key.
    std::optional<Error> follow_wanted_key();

    // A file's bytes, or a folder as tar (whatever is in it; errors of single files don't stop it).
    std::shared_ptr<Job> extract(vfs::NodeId, std::string title, std::unique_ptr<ByteSink>);
    // What has been recorded, with all that is needed to play it (mount/glass_file.h). It is opened as an
    // image is.
    std::shared_ptr<Job> save_recording(std::string title, std::unique_ptr<ByteSink>);
    // The raw bytes of one of the volume's devices, as they are after a sync: an image that Linux mounts.
    std::shared_ptr<Job> export_image(std::size_t device, std::string title, std::unique_ptr<ByteSink>);
    std::vector<u64> device_sizes();  // bytes; empty: nothing is open, or not from devices
    // Copies files of the host into the folder `into`. A file whose name is there is replaced once its copy
    // is whole; a folder is filled. What fails is left out and named in the job's failures, and the rest goes
    // on, but a full volume stops it. What was copied stays, and is synced at the end.
    std::shared_ptr<Job> import(ImportSource, std::string into, std::string title);
    // Makes `text` the content of a file, by one write; when there is no room for it, nothing has changed.
    std::shared_ptr<Job> save_text(std::string path, std::string text);
    static constexpr u64 text_bytes_max = 256 << 10;
    // A file as text, read after everything that was asked for before: `into` may be read when the job is
    // done. Cause::NotSupported: too long, or not UTF-8.
    std::shared_ptr<Job> load_text(std::string path, std::shared_ptr<std::string> into);
    std::vector<std::shared_ptr<Job>> jobs();  // unfinished ones, and the last finished

    // Runs one line of the CLI's grammar on the volume. Commands run one after the other. Returns its number.
    u64 run_command(std::string line);
    // By its number; nothing once it is forgotten.
    std::optional<ConsoleEntry> command(u64 number);
    void cancel_command();
    std::vector<ConsoleEntry> console();
    void clear_console();
    std::string prompt();  // "demo:/ $"
    // Whole lines that begin as this one does: commands, options, paths.
    Answer<std::vector<std::string>> completions(const std::string& line);

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
    u64 epoch_ = 0;
};

}  // namespace glassfs::ui
