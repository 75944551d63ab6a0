// SPDX-License-Identifier: MIT
//
// The fonts inside the program: OpenType or TrueType files as bytes, for ImGui's AddFontFromMemoryTTF with
// FontDataOwnedByAtlas = false. They hold the characters that embed-font lists, and no more. One that isn't
// used isn't linked in.
#pragma once

#include <span>

namespace glassfs::assets {

using FontFile = std::span<const unsigned char>;

FontFile inter_regular();   // weight 400
FontFile inter_medium();    // 500
FontFile inter_semibold();  // 600
FontFile inter_bold();      // 700
FontFile mono_regular();    // JetBrains Mono, 400
FontFile mono_medium();     // 500
FontFile mono_bold();       // 700

}  // namespace glassfs::assets
