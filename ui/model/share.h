// SPDX-License-Identifier: MIT
// A link that rebuilds a picture: how the volume was made, the seed of everything random in it, the commands
// that were run, the step that is looked at, and what is selected. The same link gives the same bytes, in any
// browser: nothing of the volume itself is in it.
//
//     text = "g1." + base64url(length u32, zlib of the JSON)
#pragma once

#include "ui/model/session.h"

namespace glassfs::ui {

// Where in a recording one stands, told by what every run of the same commands has in common: reads depend on
// what the cache still has, so they aren't counted.
struct SharedPlace {
    u64 operation = 0;  // index
    u64 step = 0;       // of its steps that aren't reads; 0: before the first
    bool present = true;
};

struct SharedState {
    VolumeOrigin origin;
    SharedPlace place;
    Workspace workspace = Workspace::Files;
    u64 tree = 5;
    std::optional<LogicalAddr> block;
    std::optional<u32> slot;
};

inline constexpr std::size_t share_text_max = 8192;  // characters: beyond it, browsers cut

SharedPlace shared_place(const Timeline&, u64 position);
// The position; the present if there is no such place.
u64 position_of(const Timeline&, const SharedPlace&);

// Cause::InvalidArgument, with the reason in words: the volume wasn't made here, or the text would be too
// long.
Result<std::string> share_text(Session&);
// Everything is checked. Cause::InvalidArgument.
Result<SharedState> parse_share(std::string_view text);

// The volume as it was behind the operation that is shown, and then `line`: to be rebuilt beside what
// happened since, which is lost. Cause::InvalidArgument: it wasn't made here.
Result<SharedState> branch_here(Session&, std::string line);

// Rebuilds what a link says: makes the volume, runs the commands, goes to the place. Once a frame, follow()
// until it is done.
class SharedOpening {
  public:
    void start(Session&, SharedState);
    void follow(Session&);
    bool under_way() const { return state_.has_value(); }

  private:
    std::optional<SharedState> state_;
    u64 epoch_ = 0;
    std::size_t sent_ = 0;  // commands
};

}  // namespace glassfs::ui
