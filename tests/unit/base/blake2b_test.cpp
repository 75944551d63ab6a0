// SPDX-License-Identifier: MIT
// BLAKE2b-256 against Python's hashlib.
#include "base/blake2b.h"

#include "base/text.h"
#include "samples.h"

#include <doctest/doctest.h>

using namespace glassfs;
using samples::pattern;

TEST_CASE("base/blake2b: known digests come out") {
    CHECK(hex_bytes(blake2b_256(Bytes{})) ==
          "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    CHECK(hex_bytes(blake2b_256(as_bytes("abc"))) ==
          "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST_CASE("base/blake2b: full, nearly full and many blocks agree with hashlib") {
    CHECK(hex_bytes(blake2b_256(pattern(1))) ==
          "fb3d635c7cb573d1b9e9bff4a64ab4f25190d29b6fd8db94c605a218a23fa9ad");
    CHECK(hex_bytes(blake2b_256(pattern(119))) ==
          "cd2331705da42e1797defb9f9451666a2091e9dcf888599f7771f5506735026c");
    CHECK(hex_bytes(blake2b_256(pattern(128))) ==
          "b3c752b7b486f01cc954463b4c337c93ff269ef4e537d0abb36843c12032b7fd");
    CHECK(hex_bytes(blake2b_256(pattern(129))) ==
          "76569d174eba04b35f8a71e7653deefe65c6dcc7728d90afc399d0a5129d1ee0");
    CHECK(hex_bytes(blake2b_256(pattern(255))) ==
          "61976db145de69b178e165f3c95c6441919ec216a5666e0f0211092473c2ce97");
    CHECK(hex_bytes(blake2b_256(pattern(4096))) ==
          "1d4b8e07fc459d38e5f28fc1bb4c08d3dc5c46511481515450bc7812982f455b");
    CHECK(hex_bytes(blake2b_256(pattern(16352))) ==
          "4ce18f950772962d6361a580aa286a550d05891ddc1042ab22ac2f0c1ef52927");
}
