// SPDX-License-Identifier: MIT
// Waiting for a session's threads in tests: polls, as the frames of the UI do, for ten seconds at most.
#pragma once

#include "ui/fake_volume.h"
#include "ui/model/session.h"

#include <chrono>
#include <thread>

namespace glassfs::ui::testing {

template <class Condition>
bool wait_for(Condition condition) {
    for (int i = 0; i < 5000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
}

// The answer, once it isn't pending.
template <class Ask>
auto answered(Ask ask) {
    auto answer = ask();
    wait_for([&] {
        answer = ask();
        return !answer.pending();
    });
    return answer;
}

inline bool open_fake(Session& session, FakeControls& controls) {
    session.open_volume(
        [&controls]() -> Result<std::unique_ptr<mount::Volume>> {
            return std::make_unique<FakeVolume>(controls);
        },
        "demo.img");
    return wait_for([&] { return session.state() != SessionState::Opening; });
}

}  // namespace glassfs::ui::testing
