// SPDX-License-Identifier: MIT
// SHA-256: blocks of 64 bytes are compressed into eight words; the last is padded with 0x80, zeros and
// the length in bits. Two compressors do the same, one plain and one on the CPU's SHA instructions.
#include "base/sha256.h"

#include "base/endian.h"
#include "base/sha256_rounds.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace glassfs {
namespace {

using sha256_detail::kInitial;
using sha256_detail::kRoundConstants;
using State = sha256_detail::StateOf<u32>;

void compress_portable(State& state, const u8* blocks, std::size_t count) {
    for (; count > 0; --count, blocks += 64) {
        sha256_detail::WordsOf<u32> w;
        for (std::size_t t = 0; t < 16; ++t) w[t] = load<Be32>(Bytes{blocks, 64}, 4 * t).get();
        sha256_detail::compress_block<u32>(state, w);
    }
}

#if defined(__x86_64__)
#define GLASSFS_SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

// The instructions want the state as (a b e f) and (c d g h), highest word first.
struct ShaRegisters {
    __m128i abef;
    __m128i cdgh;
};

GLASSFS_SHA_TARGET ShaRegisters to_registers(const State& state) {
    const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data()));
    const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4));
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    return {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
}

GLASSFS_SHA_TARGET void from_registers(State& state, ShaRegisters regs) {
    const __m128i feba = _mm_shuffle_epi32(regs.abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(regs.cdgh, 0xb1);
    const __m128i dcba = _mm_blend_epi16(feba, dchg, 0xf0);
    const __m128i hgfe = _mm_alignr_epi8(dchg, feba, 8);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), dcba);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), hgfe);
}

GLASSFS_SHA_TARGET inline __m128i load_words(const u8* p) {
    const __m128i swap_each_word = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), swap_each_word);
}

// Four rounds with the schedule words `w`, which belong to rounds 4 * quad and up.
GLASSFS_SHA_TARGET inline void four_rounds(ShaRegisters& regs, __m128i w, std::size_t quad) {
    const auto* constants = reinterpret_cast<const __m128i*>(kRoundConstants.data()) + quad;
    const __m128i sum = _mm_add_epi32(w, _mm_load_si128(constants));
    regs.cdgh = _mm_sha256rnds2_epu32(regs.cdgh, regs.abef, sum);
    regs.abef = _mm_sha256rnds2_epu32(regs.abef, regs.cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

// The next four schedule words, from the last sixteen (w0 the oldest four).
GLASSFS_SHA_TARGET inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    const __m128i seven_back = _mm_alignr_epi8(w3, w2, 4);
    return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), seven_back), w3);
}

GLASSFS_SHA_TARGET void compress_sha_ni(State& state, const u8* blocks, std::size_t count) {
    ShaRegisters regs = to_registers(state);
    for (; count > 0; --count, blocks += 64) {
        const ShaRegisters before = regs;
        __m128i w0 = load_words(blocks);
        __m128i w1 = load_words(blocks + 16);
        __m128i w2 = load_words(blocks + 32);
        __m128i w3 = load_words(blocks + 48);
        for (std::size_t quad = 0;; quad += 4) {
            four_rounds(regs, w0, quad);
            four_rounds(regs, w1, quad + 1);
            four_rounds(regs, w2, quad + 2);
            four_rounds(regs, w3, quad + 3);
            if (quad == 12) break;
            w0 = next_words(w0, w1, w2, w3);
            w1 = next_words(w1, w2, w3, w0);
            w2 = next_words(w2, w3, w0, w1);
            w3 = next_words(w3, w0, w1, w2);
        }
        regs.abef = _mm_add_epi32(regs.abef, before.abef);
        regs.cdgh = _mm_add_epi32(regs.cdgh, before.cdgh);
    }
    from_registers(state, regs);
}

// Not every compiler's __builtin_cpu_supports knows "sha": bit 29 of EBX in CPUID leaf 7 says it.
bool cpu_has_sha() {
    u32 eax = 7;
    u32 ebx = 0;
    u32 ecx = 0;
    u32 edx = 0;
    if (__builtin_cpu_supports("sse4.1") == 0) return false;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (ebx & (u32{1} << 29)) != 0;
}
#endif

auto best_compress() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (cpu_has_sha()) return compress_sha_ni;
#endif
    return compress_portable;
}

Sha256Host host_in_use = nullptr;

}  // namespace

void set_sha256_host(Sha256Host begin) {
    host_in_use = begin;
}

Sha256Host sha256_host() {
    return host_in_use;
}

Sha256::Sha256(Compress compress, Sha256Host host) : compress_(compress), host_(host), state_(kInitial) {}

Sha256::Sha256()
    : Sha256(
          [] {
              static const Compress best = best_compress();
              return best;
          }(),
          host_in_use) {}

void Sha256::update(Bytes bytes) {
    if (host_ != nullptr && !bytes.empty()) {
        if (bytes.size() >= sha256_host_bytes_min) stream_ = host_();
        host_ = nullptr;
    }
    if (stream_) return stream_->update(bytes);
    const std::size_t held = total_ % 64;
    total_ += bytes.size();
    if (held > 0) {
        const std::size_t taken = std::min(64 - held, bytes.size());
        std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(held));
        bytes = bytes.subspan(taken);
        if (held + taken < 64) return;
        compress_(state_, pending_.data(), 1);
    }
    if (bytes.size() >= 64) compress_(state_, bytes.data(), bytes.size() / 64);
    const Bytes rest = bytes.last(bytes.size() % 64);
    std::copy(rest.begin(), rest.end(), pending_.begin());
}

Sha256Digest Sha256::finish() {
    if (stream_) return stream_->finish();
    const Be64 length_bits = total_ * 8;
    std::array<u8, 72> padding{0x80};  // up to 64 bytes of filling, then the length
    const std::size_t filling = 64 - (total_ + 8) % 64;
    std::memcpy(padding.data() + filling, &length_bits, sizeof length_bits);
    update(Bytes{padding.data(), filling + sizeof length_bits});

    Sha256Digest digest;
    for (std::size_t i = 0; i < 8; ++i) {
        const Be32 word = state_[i];
        std::memcpy(digest.data() + 4 * i, &word, sizeof word);
    }
    return digest;
}

bool Sha256::uses_instructions() {
    static const bool uses = best_compress() != compress_portable;
    return uses;
}

Sha256Digest Sha256::portable(Bytes bytes) {
    Sha256 hash(compress_portable, nullptr);
    hash.update(bytes);
    return hash.finish();
}

Sha256Digest sha256(Bytes bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish();
}

}  // namespace glassfs
