// SPDX-License-Identifier: MIT
// Errors as JSON.
#include "commands/json.h"

namespace glassfs::commands {

JsonObject error_json(const Error& error) {
    JsonObject out;
    out.add("cause", cause_name(error.cause));
    out.add("errno", errno_name(error.code()));
    out.add("message", error.message());
    if (error.where.device) out.add("device", *error.where.device);
    if (error.where.tree) out.add("tree", *error.where.tree);
    if (error.where.block) out.add("block", *error.where.block);
    if (error.where.slot) out.add("slot", *error.where.slot);
    if (const auto& key = error.where.key) {
        out.raw("key", JsonArray()
                           .raw(std::to_string(key->objectid))
                           .raw(std::to_string(key->type))
                           .raw(std::to_string(key->offset))
                           .str());
    }
    return out;
}

}  // namespace glassfs::commands
