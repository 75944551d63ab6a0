// SPDX-License-Identifier: MIT
// Texts: read to be edited, and written back.
#include "base/text.h"
#include "commands/script.h"
#include "ui/model/session_impl.h"
#include "vfs/path_walk.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

Result<Buffer> read_whole(vfs::FileSystem& files, const vfs::Attributes& file) {
    Buffer bytes(static_cast<std::size_t>(file.size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const std::size_t count = TRY(files.read(file.id, done, MutBytes(bytes).subspan(done)));
        if (count == 0) break;
        done += count;
    }
    bytes.resize(done);
    return bytes;
}

Result<std::string> read_text(vfs::FileSystem& files, vfs::NodeId node) {
    const vfs::Attributes file = TRY(files.getattr(node));
    if (file.type != vfs::FileType::Regular) return fail(Cause::NotSupported, "only files have a text");
    if (file.size > Session::text_bytes_max)
        return fail(Cause::NotSupported, size_text(file.size) + " are too much to edit here: at most " +
                                             size_text(Session::text_bytes_max));
    const Buffer bytes = TRY(read_whole(files, file));
    std::string text(bytes.begin(), bytes.end());
    // Only what is drawn as it is: line breaks and tabs are, other control characters aren't.
    std::string shown = text;
    std::ranges::replace_if(
        shown, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    if (printable(shown) != shown) return fail(Cause::NotSupported, "it isn't UTF-8 text");
    return text;
}

// One write. Pages that have become dirty have their room, so that what they held before goes back into them
// without any more when the rest doesn't fit.
Result<void> replace_content(vfs::FileSystem& files, const std::string& path, const std::string& text) {
    const vfs::NodeId node = TRY(vfs::resolve(files, path, vfs::FollowLast::No));
    const vfs::Attributes file = TRY(files.getattr(node));
    if (file.size > Session::text_bytes_max) return fail(Cause::FileTooBig, "it has grown meanwhile");
    const Buffer before = TRY(read_whole(files, file));
    std::size_t written = text.empty() ? 0 : TRY(files.write(node, 0, as_bytes(text)));
    if (written < text.size()) {
        if (const std::size_t back = std::min(written, before.size()); back > 0)
            TRY(files.write(node, 0, Bytes(before).first(back)));
        TRY(files.truncate(node, before.size()));
        return fail(Cause::NoSpace, "the file is as it was");
    }
    return text.size() < before.size() ? files.truncate(node, text.size()) : Result<void>();
}

}  // namespace

std::shared_ptr<Job> Session::load_text(std::string path, std::shared_ptr<std::string> into) {
    auto work = [path, into](mount::Volume& volume, u64, Job& job) -> Result<void> {
        trace::Recorder::Muted quiet;
        vfs::FileSystem& files = volume.files();
        *into = TRY(read_text(files, TRY(vfs::resolve(files, path, vfs::FollowLast::No))));
        job.bytes_done = into->size();
        return {};
    };
    return impl_->start_job(std::move(path), std::move(work));
}

std::shared_ptr<Job> Session::save_text(std::string path, std::string text) {
    Impl& s = *impl_;
    std::string name = "write " + commands::quoted(path) + ", " + grouped(text.size()) + " bytes";
    auto work = [&s, path, name, text = std::move(text)](mount::Volume& volume, u64 asked, Job& job) {
        Result<void> saved;
        s.as_operation(name, [&] { saved = replace_content(volume.files(), path, text); });
        job.bytes_done = text.size();
        job.files_done = saved ? 1 : 0;
        s.show_present(asked);
        return saved;
    };
    return s.start_job(std::move(path), std::move(work));
}

}  // namespace glassfs::ui
