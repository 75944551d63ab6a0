// SPDX-License-Identifier: MIT
// Offers node's crypto for SHA-256: linked into programs for node only, whose functions glassfs_sha256_* are
// in core/cmake/node_host.js. A handle belongs to the thread that it was given to.
#include "base/sha256.h"

extern "C" {
int glassfs_sha256_begin();
void glassfs_sha256_update(int handle, const glassfs::u8* bytes, std::size_t size);
void glassfs_sha256_finish(int handle, glassfs::u8* digest);  // ends the handle, too
void glassfs_sha256_end(int handle);
}

namespace glassfs {

namespace {

class NodeSha256 final : public Sha256Stream {
  public:
    NodeSha256() : handle_(glassfs_sha256_begin()) {}
    ~NodeSha256() override {
        if (!finished_) glassfs_sha256_end(handle_);
    }
    NodeSha256(const NodeSha256&) = delete;
    NodeSha256& operator=(const NodeSha256&) = delete;

    void update(Bytes bytes) override { glassfs_sha256_update(handle_, bytes.data(), bytes.size()); }
    Sha256Digest finish() override {
        Sha256Digest digest;
        glassfs_sha256_finish(handle_, digest.data());
        finished_ = true;
        return digest;
    }

  private:
    int handle_;
    bool finished_ = false;
};

[[maybe_unused]] const bool offered = [] {
    set_sha256_host([]() -> std::unique_ptr<Sha256Stream> { return std::make_unique<NodeSha256>(); });
    return true;
}();

}  // namespace

}  // namespace glassfs
