// SPDX-License-Identifier: MIT
// Names and sentences of causes, and the one-line form of an error.
#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace glassfs {

Errno cause_errno(Cause cause) {
    switch (cause) {
#define X(name, errno_, sentence) \
    case Cause::name:             \
        return Errno::errno_;
        GLASSFS_CAUSES(X)
#undef X
    }
    return Errno::IO;
}

const char* cause_name(Cause cause) {
    switch (cause) {
#define X(name, errno_, sentence) \
    case Cause::name:             \
        return #name;
        GLASSFS_CAUSES(X)
#undef X
    }
    return "Unknown";
}

const char* cause_sentence(Cause cause) {
    switch (cause) {
#define X(name, errno_, sentence) \
    case Cause::name:             \
        return sentence;
        GLASSFS_CAUSES(X)
#undef X
    }
    return "unknown cause";
}

std::string Error::message() const {
    std::string text = cause_sentence(cause);
    if (!detail.empty()) text += ": " + detail;
    std::string place;
    auto add = [&](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
    if (where.device) add("device " + std::to_string(*where.device));
    if (where.tree) add("tree " + std::to_string(*where.tree));
    if (where.block) add("block " + std::to_string(*where.block));
    if (where.slot) add("slot " + std::to_string(*where.slot));
    if (where.key) {
        add("key (" + std::to_string(where.key->objectid) + " " + std::to_string(where.key->type) + " " +
            std::to_string(where.key->offset) + ")");
    }
    return place.empty() ? text : text + " [" + place + "]";
}

void assertion_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "glassfs: assertion failed: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace glassfs
