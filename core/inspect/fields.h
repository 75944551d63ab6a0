// SPDX-License-Identifier: MIT
// From bytes to fields through the layout tables. Nothing is trusted: a field is shown when it lies inside of
// the bytes given, and what is cut off is said.
#pragma once

#include "base/layout.h"
#include "inspect/inspector.h"

namespace glassfs::inspect {

// Appends the fields of a struct that begins at bytes[at]. Offsets are those in `bytes`. A struct that
// doesn't fit gives the fields that do. Returns whether all fitted.
bool append_fields(std::vector<Field>& out, const Layout&, Bytes bytes, std::size_t at, u8 depth = 0);

// A value that no table describes: names, inline data, checksums. Cut at the end of `bytes`.
void append_text(std::vector<Field>& out, std::string name, Bytes bytes, std::size_t at, std::size_t length,
                 u8 depth = 0);
void append_octets(std::vector<Field>& out, std::string name, Bytes bytes, std::size_t at, std::size_t length,
                   u8 depth = 0);

// The unsigned integer of 1, 2, 4 or 8 bytes that a field of a layout holds.
u64 field_number(const FieldInfo&, Bytes bytes, std::size_t at);

}  // namespace glassfs::inspect
