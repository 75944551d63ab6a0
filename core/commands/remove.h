// SPDX-License-Identifier: MIT
// Removing what is below a directory.
#pragma once

#include "commands/context.h"

namespace glassfs::commands {

// The directory with everything in it. Stops at the first failure, whose detail names the place.
Result<void> remove_tree(const Context& context, vfs::NodeId parent, const std::string& name);

}  // namespace glassfs::commands
