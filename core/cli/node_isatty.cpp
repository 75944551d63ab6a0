// SPDX-License-Identifier: MIT
// The C library's isatty() for node takes the standard streams for terminals, whatever they are: this one is
// linked in its place, and asks node (core/cmake/node_host.js).
#include <unistd.h>

extern "C" {
int glassfs_isatty(int descriptor);

int isatty(int descriptor) {
    return glassfs_isatty(descriptor);
}
}
