// SPDX-License-Identifier: MIT
// The raw bytes of an open volume's devices, for whoever wants an image.
#include "ui/model/session_impl.h"

#include <algorithm>

namespace glassfs::ui {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;

bool all_zero(Bytes bytes) {
    return std::ranges::all_of(bytes, [](u8 byte) { return byte == 0; });
}

Result<void> copy_device(block::Device& device, Job& job, ByteSink& sink) {
    const u64 size = device.size();
    job.bytes_total = size;
    Buffer buffer(piece_bytes);
    for (u64 at = 0; at < size; at = job.bytes_done) {
        if (job.cancel) return fail(Cause::Cancelled);
        MutBytes piece =
            MutBytes(buffer).first(static_cast<std::size_t>(std::min<u64>(piece_bytes, size - at)));
        TRY(device.read(at, piece));
        TRY(all_zero(piece) ? sink.zeros(piece.size()) : sink.write(piece));
        job.bytes_done = at + piece.size();
    }
    job.files_done = 1;
    return sink.finish();
}

}  // namespace

Result<void> ByteSink::zeros(u64 count) {
    static const Buffer none(piece_bytes);
    for (u64 left = count; left > 0;) {
        const auto piece = static_cast<std::size_t>(std::min<u64>(left, none.size()));
        TRY(write(Bytes(none).first(piece)));
        left -= piece;
    }
    return {};
}

std::vector<u64> Session::device_sizes() {
    std::lock_guard lock(impl_->mutex);
    std::vector<u64> sizes;
    if (impl_->state != SessionState::Open) return sizes;
    for (const auto& device : impl_->devices) sizes.push_back(device->size());
    return sizes;
}

std::shared_ptr<Job> Session::export_image(std::size_t device, std::string title,
                                           std::unique_ptr<ByteSink> sink) {
    Impl& s = *impl_;
    auto work = [&s, device, to = std::shared_ptr<ByteSink>(std::move(sink))](
                    mount::Volume& volume, u64 asked, Job& job) -> Result<void> {
        std::shared_ptr<block::Device> from;
        bool changed = false;
        {
            std::lock_guard lock(s.mutex);
            if (asked != s.epoch || device >= s.devices.size())
                return fail(Cause::InvalidArgument, "the volume has no such device");
            from = s.devices[device];
            changed = s.recorded != nullptr;
        }
        if (changed) {
            // What is in memory only comes onto the devices first.
            Result<void> synced;
            s.as_operation("sync", [&] { synced = volume.files().sync(); });
            s.show_present(asked);
            TRY(std::move(synced));
        }
        trace::Recorder::Muted quiet;
        return copy_device(*from, job, *to);
    };
    return s.start_job(std::move(title), std::move(work));
}

}  // namespace glassfs::ui
