// SPDX-License-Identifier: MIT
// SHA-256's rounds, for one message (Word = u32) or several side by side (Word = a vector of u32, one lane a
// message). Shared by sha256.cpp and sha256_batch.cpp only.
#pragma once

#include "base/bytes.h"

#include <array>
#include <utility>

namespace glassfs::sha256_detail {

inline constexpr std::array<u32, 8> kInitial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

alignas(16) inline constexpr std::array<u32, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

template <class Word>
using StateOf = std::array<Word, 8>;  // a..h

template <class Word>
using WordsOf = std::array<Word, 16>;  // a sliding part of the message schedule: word t lies in slot t % 16

template <unsigned Bits, class Word>
inline Word rotated(Word word) {
    return (word >> Bits) | (word << (32 - Bits));
}

// Slot I goes from word t - 16 to word t.
template <std::size_t I, class Word>
inline void advance_word(WordsOf<Word>& w) {
    const Word near = w[(I + 14) % 16];
    const Word far = w[(I + 1) % 16];
    const Word mixed_near = rotated<17>(near) ^ rotated<19>(near) ^ (near >> 10);
    const Word mixed_far = rotated<7>(far) ^ rotated<18>(far) ^ (far >> 3);
    w[I] += mixed_near + w[(I + 9) % 16] + mixed_far;
}

// Round I of sixteen. Instead of moving a..h along one place, the names are shifted: they are resolved when
// this is compiled, and the state stays in registers.
template <std::size_t I, class Word>
inline void one_round(StateOf<Word>& s, Word addend) {
    const Word a = s[(16 - I) % 8];
    const Word b = s[(17 - I) % 8];
    const Word c = s[(18 - I) % 8];
    Word& d = s[(19 - I) % 8];
    const Word e = s[(20 - I) % 8];
    const Word f = s[(21 - I) % 8];
    const Word g = s[(22 - I) % 8];
    Word& h = s[(23 - I) % 8];
    const Word sum_e = rotated<6>(e) ^ rotated<11>(e) ^ rotated<25>(e);
    const Word sum_a = rotated<2>(a) ^ rotated<13>(a) ^ rotated<22>(a);
    h += sum_e + (g ^ (e & (f ^ g))) + addend;
    d += h;
    h += sum_a + ((a & b) | (c & (a | b)));
}

enum class Schedule { Given, Advanced };

template <Schedule Kind, class Word, std::size_t... I>
inline void sixteen_rounds(StateOf<Word>& s, WordsOf<Word>& w, const u32* constants,
                           std::index_sequence<I...>) {
    ((Kind == Schedule::Advanced ? advance_word<I, Word>(w) : void(),
      one_round<I, Word>(s, w[I] + constants[I])),
     ...);
}

// Compresses one block, whose big-endian words `w` holds, into `state`.
template <class Word>
inline void compress_block(StateOf<Word>& state, WordsOf<Word>& w) {
    constexpr auto kSixteen = std::make_index_sequence<16>{};
    StateOf<Word> s = state;
    sixteen_rounds<Schedule::Given, Word>(s, w, kRoundConstants.data(), kSixteen);
    for (std::size_t t = 16; t < 64; t += 16) {
        sixteen_rounds<Schedule::Advanced, Word>(s, w, kRoundConstants.data() + t, kSixteen);
    }
    for (std::size_t i = 0; i < 8; ++i) state[i] += s[i];
}

}  // namespace glassfs::sha256_detail
