// SPDX-License-Identifier: MIT
// LZO1X: streams of another encoder, streams written by hand for each instruction, round trips, and damage.
#include "base/lzo.h"

#include "samples.h"

#include <doctest/doctest.h>
#include <memory>
#include <string>

using namespace glassfs;
using samples::from_hex;

namespace {

// Decompresses with both buffers on the heap at their exact sizes, so that ASan sees a step outside.
struct Outcome {
    bool ok;
    Buffer bytes;
    std::string detail;
};

Outcome decompressed(Bytes in, std::size_t capacity) {
    const auto input = std::make_unique<u8[]>(in.size());
    const auto output = std::make_unique<u8[]>(capacity);
    std::copy(in.begin(), in.end(), input.get());
    const auto size = lzo1x_decompress({input.get(), in.size()}, {output.get(), capacity});
    if (!size) return {false, {}, size.error().detail};
    REQUIRE(*size <= capacity);
    // The bound says nothing new; without it GCC 12 sees a copy out of bounds for a capacity of 0.
    return {true, Buffer(output.get(), output.get() + std::min(*size, capacity)), {}};
}

std::string decoded(std::string_view stream, std::size_t capacity = 4096) {
    const Outcome outcome = decompressed(from_hex(stream), capacity);
    return outcome.ok ? std::string(as_text(outcome.bytes)) : outcome.detail;
}

Buffer compressed(Bytes in) {
    const std::size_t capacity = lzo1x_worst_case(in.size());
    const auto output = std::make_unique<u8[]>(capacity);
    const std::size_t size = lzo1x_1_compress(in, {output.get(), capacity});
    REQUIRE(size <= capacity);
    return Buffer(output.get(), output.get() + size);
}

// samples::prose(200, 7) as the reference library's fastest and its best encoder write it.
constexpr std::string_view kProseFast =
    "00036469726563746f72796368756e6b2e206c6561662cd40004657874656e742027880000037768657265206f662077686963"
    "6820696e6f646520b20274686401740227b400d407ac0502686f6c6473d80a2adc00c8086007a40fd810ac04d001700bd409d8"
    "000f6974656d206974656d207468652064697265110000";
constexpr std::string_view kProseBest =
    "266469726563746f72796368756e6b2e206c6561662cd40004657874656e7420278b0077686504020d206f662077686963682"
    "0696e6f646520b302746865d40227b400d407b40202686f6c6473d80a2adc00c8016804b003d810ac04d001700bd409d900690"
    "5016db0006c03680e110000";

}  // namespace

TEST_CASE("base/lzo: streams of the reference encoders come out as they went in") {
    const Buffer prose = samples::prose(200, 7);
    CHECK(decoded(kProseFast) == as_text(prose));
    CHECK(decoded(kProseBest) == as_text(prose));
    CHECK(decoded(kProseFast, 200) == as_text(prose));
    CHECK(decoded(kProseFast, 199) == "lzo: the stream produces more than the buffer holds");
}

TEST_CASE("base/lzo: an empty stream is just the end marker") {
    CHECK(decoded("110000") == "");
    CHECK(decoded("110000", 0) == "");
    CHECK(compressed({}) == from_hex("110000"));
}

TEST_CASE("base/lzo: a first byte above 17 counts literals; 1-3 of them make a 2-byte match possible") {
    CHECK(decoded("1561626364110000") == "abcd");
    CHECK(decoded("1361620400110000") == "abab");     // 0000DDSS hhhhhhhh: distance 1 + 1
    CHECK(decoded("13616201007a110000") == "abbbz");  // distance 1, one literal behind it
}

TEST_CASE("base/lzo: below 16 after a run of literals is a 3-byte match more than 2048 back") {
    Buffer run = samples::noise(2049, 5);
    Buffer stream = from_hex("00");  // 18 + 7 * 255 + 246 literals
    for (int i = 0; i < 7; ++i) stream.push_back(0);
    stream.push_back(246);
    stream.insert(stream.end(), run.begin(), run.end());
    const Buffer tail = from_hex("0000110000");
    stream.insert(stream.end(), tail.begin(), tail.end());
    const Outcome outcome = decompressed(stream, 2052);
    REQUIRE(outcome.ok);
    run.insert(run.end(), {run[0], run[1], run[2]});
    CHECK(outcome.bytes == run);
}

TEST_CASE("base/lzo: every other form of a match") {
    CHECK(decoded("15616263644c00110000") == "abcdabc");          // 01LDDDSS: length 3, distance 4
    CHECK(decoded("15616263646c00110000") == "abcdabcd");         // length 4
    CHECK(decoded("15616263648c00110000") == "abcdabcda");        // 1LLDDDSS: length 5
    CHECK(decoded("1561626364ec00110000") == "abcdabcdabcd");     // length 8
    CHECK(decoded("1561626364240d0065110000") == "abcdabcdabe");  // 001LLLLL: length 6, one literal
    // 001LLLLL with L zero: length 33 + 1
    CHECK(decoded("156162636420010c00110000") == "abcd" + std::string("abcdabcdabcdabcdabcdabcdabcdabcdab"));
}

TEST_CASE("base/lzo: matches up to 49151 back and runs of any length survive a round trip") {
    for (std::size_t distance : {16383UZ, 16384UZ, 16385UZ, 32767UZ, 32768UZ, 32769UZ, 49147UZ, 49151UZ}) {
        Buffer bytes = samples::noise(distance, distance);
        for (std::size_t i = 0; i < 300; ++i) bytes.push_back(bytes[bytes.size() - distance]);
        const Outcome outcome = decompressed(compressed(bytes), bytes.size());
        REQUIRE(outcome.ok);
        CHECK(outcome.bytes == bytes);
    }
}

TEST_CASE("base/lzo: data of every kind and size survives a round trip and stays within the worst case") {
    for (std::size_t size = 0; size < 140000; size += 1 + size / 7) {
        for (const Buffer& bytes :
             {samples::pattern(size), samples::noise(size, size), samples::prose(size, size),
              Buffer(size, 0x5a), size == 0 ? Buffer{} : samples::mixture(size, size)}) {
            const Outcome outcome = decompressed(compressed(bytes), size);
            REQUIRE(outcome.ok);
            REQUIRE(outcome.bytes == bytes);
        }
    }
}

TEST_CASE("base/lzo: what repeats gets smaller") {
    CHECK(compressed(Buffer(4096, 0)).size() < 40);
    CHECK(compressed(samples::prose(4096, 1)).size() < 2048);
    CHECK(compressed(samples::noise(4096, 1)).size() <= 4096 + 4096 / 255 + 8);
}

TEST_CASE("base/lzo: damage is named") {
    CHECK(decoded("") == "lzo: the stream ends early");
    CHECK(decoded("1561626364") == "lzo: the stream ends early");
    CHECK(decoded("1561626364110000ff") == "lzo: bytes behind the end marker");
    CHECK(decoded("1561626364120000") == "lzo: malformed end marker");
    CHECK(decoded("15616263645000110000") == "lzo: a match reaches back before the start");
    CHECK(decoded("180000") == "lzo: the stream ends early");  // 7 literals, 2 are there
    CHECK(decoded("0000000000000000000001", 64) == "lzo: the stream produces more than the buffer holds");
}

TEST_CASE("base/lzo: a stream that is cut anywhere is refused") {
    for (const std::string_view hex : {kProseFast, kProseBest}) {
        const Buffer stream = from_hex(hex);
        for (std::size_t size = 0; size < stream.size(); ++size) {
            CHECK_FALSE(decompressed(Bytes{stream}.first(size), 200).ok);
        }
    }
}

TEST_CASE("base/lzo: any change of any one byte stays inside both buffers") {
    for (const std::string_view hex : {kProseFast, kProseBest}) {
        const Buffer stream = from_hex(hex);
        std::size_t refused = 0;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            for (unsigned flip = 1; flip < 256; ++flip) {
                Buffer damaged = stream;
                damaged[at] = static_cast<u8>(damaged[at] ^ flip);
                refused += decompressed(damaged, 200).ok ? 0 : 1;
            }
        }
        CHECK(refused > 0);
        CHECK(refused < stream.size() * 255);  // a changed literal is no fault that LZO could see
    }
}

TEST_CASE("base/lzo: noise given as a stream stays inside both buffers") {
    std::size_t refused = 0;
    for (u64 seed = 0; seed < 20000; ++seed) {
        refused += decompressed(samples::noise(1 + seed % 70, seed), seed % 300).ok ? 0 : 1;
    }
    CHECK(refused > 19000);
}
