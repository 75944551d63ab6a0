// SPDX-License-Identifier: MIT
// Packed images: what packs well unpacks to the same device, and what was cut short or made up is refused.
#include "web/packed_image.h"

#include "doctest/doctest.h"

#include <cstring>

using namespace glassfs;

namespace {

void add_number(Buffer& to, u64 value) {
    for (int i = 0; i < 8; ++i) to.push_back(static_cast<u8>(value >> (8 * i)));
}
void add_text(Buffer& to, std::string_view text) {
    for (char c : text) to.push_back(static_cast<u8>(c));
}

Buffer packed(u64 size, std::initializer_list<std::pair<u64, std::string_view>> ranges) {
    Buffer out;
    add_text(out, "GLASSIMG");
    add_number(out, size);
    for (const auto& [at, content] : ranges) {
        add_number(out, at);
        add_number(out, content.size());
        add_text(out, content);
    }
    return out;
}

}  // namespace

TEST_CASE("web/packed_image: ranges land where they belong, and the rest is zero") {
    const Buffer image = packed(1 << 20, {{0, "begin"}, {70000, "middle"}, {(1 << 20) - 3, "end"}});
    auto device = web::unpack_image(image, "sample");
    REQUIRE(device);
    CHECK((*device)->size() == 1 << 20);
    CHECK((*device)->name() == "sample");
    Buffer all(1 << 20);
    REQUIRE((*device)->read(0, all));
    Buffer wanted(1 << 20);
    std::memcpy(wanted.data(), "begin", 5);
    std::memcpy(wanted.data() + 70000, "middle", 6);
    std::memcpy(wanted.data() + (1 << 20) - 3, "end", 3);
    CHECK(all == wanted);
}

TEST_CASE("web/packed_image: a transfer that was cut short is refused, wherever it ends inside of a range") {
    const Buffer whole = packed(1 << 20, {{4096, "some content"}});
    for (std::size_t length = 0; length < whole.size(); ++length) {
        auto device = web::unpack_image(Bytes(whole).first(length), "sample");
        const bool between_ranges = length == 16;  // an empty device is a packed image too
        CHECK(device.has_value() == between_ranges);
        if (!device) CHECK(device.error().cause == Cause::DeviceOpenFailed);
    }
}

TEST_CASE("web/packed_image: something else is refused") {
    auto device = web::unpack_image(as_bytes("GLASSIMP12345678"), "sample");
    REQUIRE_FALSE(device);
    CHECK(device.error().cause == Cause::DeviceOpenFailed);
}

TEST_CASE("web/packed_image: a range beyond the device's end is refused") {
    auto device = web::unpack_image(packed(4096, {{4090, "seven b"}}), "sample");
    REQUIRE_FALSE(device);
    CHECK(device.error().cause == Cause::BeyondDeviceEnd);
    CHECK_FALSE(web::unpack_image(packed(4096, {{~u64{0} - 2, "wraps"}}), "sample"));
}

TEST_CASE("web/packed_image: a length larger than all memory is refused before anything is allocated") {
    Buffer bad = packed(4096, {});
    add_number(bad, 0);
    add_number(bad, ~u64{0});
    CHECK_FALSE(web::unpack_image(bad, "sample"));
}
