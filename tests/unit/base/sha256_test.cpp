// SPDX-License-Identifier: MIT
// SHA-256 against FIPS 180-4's examples and Python's hashlib.
#include "base/sha256.h"

#include "base/text.h"
#include "samples.h"

#include <doctest/doctest.h>

using namespace glassfs;
using samples::pattern;

namespace {

// A host that notes what it is given, in place of the one that is there.
class NotingHost {
  public:
    NotingHost() : before_(sha256_host()) {
        begun = finished = 0;
        set_sha256_host([]() -> std::unique_ptr<Sha256Stream> { return std::make_unique<Stream>(); });
    }
    ~NotingHost() { set_sha256_host(before_); }
    NotingHost(const NotingHost&) = delete;
    NotingHost& operator=(const NotingHost&) = delete;

    static inline int begun = 0;
    static inline int finished = 0;

  private:
    class Stream final : public Sha256Stream {
      public:
        Stream() { ++begun; }
        void update(Bytes bytes) override { all_.insert(all_.end(), bytes.begin(), bytes.end()); }
        Sha256Digest finish() override {
            ++finished;
            return Sha256::portable(all_);
        }

      private:
        Buffer all_;
    };

    Sha256Host before_;
};

}  // namespace

TEST_CASE("base/sha256: the published examples come out") {
    CHECK(hex_bytes(sha256(Bytes{})) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(hex_bytes(sha256(as_bytes("abc"))) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex_bytes(sha256(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(hex_bytes(sha256(Buffer(1000000, 'a'))) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("base/sha256: every way to pad agrees with hashlib, with and without the CPU's instructions") {
    const struct {
        std::size_t size;
        const char* digest;
    } vectors[] = {
        {1, "e77b9a9ae9e30b0dbdb6f510a264ef9de781501d7b6b92ae89eb059c5ab743db"},
        {55, "284250f8c766d3a9d4a19b94c494845fdb80edab6caf49ce4563c72c4815010e"},
        {56, "1081add581d2b104fbd3f44722adba4bc6bc84d430843ad1934c8a8ed8094419"},
        {63, "e8f91336a9eccb033f640072292edf876101d6132bb1db039d6c7ef14d6a14b3"},
        {64, "386c84f9a0ab5d3d813bf2a33284b397f2987910ff37238662edf431dbe1c80f"},
        {65, "254fb909f9ba01578c7ced0e808d8aa653bb29ee5c513b29109ef46167d5b556"},
        {119, "19fc9f114722b643e8b10be3a3ee87b57a6971265dec7111f7347183ae76f61d"},
        {4096, "801595041ef2d883cd53b61c6aa0c37c45c49f51135173cbc9daa36e0c99e020"},
        {16352, "3e8511551dbb15f394591a5f0f660ae0a5b8b9c39ad9899ed27b3dcd4b5ccd53"},
    };
    for (const auto& vector : vectors) {
        CHECK(hex_bytes(sha256(pattern(vector.size))) == vector.digest);
        CHECK(hex_bytes(Sha256::portable(pattern(vector.size))) == vector.digest);
    }
}

TEST_CASE("base/sha256: any division into updates gives the same digest") {
    const Buffer bytes = pattern(1000);
    const Sha256Digest whole = sha256(bytes);
    for (std::size_t piece : {1UZ, 3UZ, 63UZ, 64UZ, 65UZ, 127UZ, 500UZ, 999UZ}) {
        Sha256 hash;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            hash.update(Bytes{bytes}.subspan(at, std::min(piece, bytes.size() - at)));
            hash.update(Bytes{});
        }
        CHECK(hash.finish() == whole);
    }
}

TEST_CASE("base/sha256: a host that offers to hash gets the messages that are worth it, whole") {
    NotingHost host;
    for (std::size_t size : {0UZ, 100UZ, sha256_host_bytes_min - 1}) {
        CHECK(sha256(pattern(size)) == Sha256::portable(pattern(size)));
    }
    CHECK(NotingHost::begun == 0);
    CHECK(sha256(pattern(sha256_host_bytes_min)) == Sha256::portable(pattern(sha256_host_bytes_min)));
    CHECK(NotingHost::begun == 1);
    CHECK(NotingHost::finished == 1);

    // The first piece that has bytes decides.
    const Buffer bytes = pattern(3 * sha256_host_bytes_min);
    for (std::size_t first : {1UZ, sha256_host_bytes_min}) {
        Sha256 hash;
        hash.update(Bytes{});
        hash.update(Bytes{bytes}.first(first));
        hash.update(Bytes{bytes}.subspan(first));
        CHECK(hash.finish() == Sha256::portable(bytes));
    }
    CHECK(NotingHost::begun == 2);
    CHECK(NotingHost::finished == 2);
    Sha256 abandoned;
    abandoned.update(bytes);
    CHECK(NotingHost::begun == 3);
    CHECK(NotingHost::finished == 2);
}
