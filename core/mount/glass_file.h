// SPDX-License-Identifier: MIT
// A recording as one file, with all that is needed to play it: what the devices held at its end, the tree
// blocks that no commit had written, and the steps with the bytes that each overwrote.
//
//     "GLASSVOL"  version u32  crc32c of the rest u32                                  little-endian
//     pieces: length u32, packed length u32 (the same: not packed), zlib or bytes; a length of 0 ends them
//
// unpacked:
//     number of devices u32, each: number u64, size u64, name, ranges
//     ranges of the memory device (trace::memory_device)
//     the recording (trace/recording.h), preceded by its length u64
//
// ranges: count u32, each: position u64, length u32, bytes. A name: length u32, bytes.
#pragma once

#include "block/device.h"
#include "trace/recording.h"

namespace glassfs::mount {

struct GlassFile {
    struct Held {
        u64 number = 0;  // in the recording
        std::shared_ptr<block::Device> device;
    };
    std::vector<Held> devices;
    std::vector<std::pair<u64, Buffer>> memory;  // tree blocks by logical address
    trace::Recording recording;
};

inline constexpr u64 glass_device_bytes_max = 16ULL << 30;  // of each device: all of it is read to save it
inline constexpr u64 glass_bytes_max = 1ULL << 30;          // of the file, and of what is in it

bool is_glass_file(block::Device&);
// Cause::InvalidArgument: a device is too large, or there is too much to keep.
Result<Buffer> save_glass(const GlassFile&);
// Everything is checked. `bytes_max`: that the unpacked file, and each of its devices, may take in memory.
// Cause::RecordingBad.
Result<GlassFile> load_glass(Bytes file, u64 bytes_max = glass_bytes_max);
Result<GlassFile> load_glass(block::Device& file);

}  // namespace glassfs::mount
