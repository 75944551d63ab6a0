// SPDX-License-Identifier: MIT
//
// The entry point of the doctest binary. The same sources run natively and, as WASM, in node.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
