// SPDX-License-Identifier: MIT
// The contract that the browser's stores are held to as well (support/device_contract.h), over every native
// device.
#include "block/faulty_device.h"
#include "block/file_device.h"
#include "block/overlay_device.h"
#include "block/ram_device.h"
#include "block/slice_device.h"
#include "support/device_contract.h"

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <unistd.h>

using namespace glassfs;
using namespace glassfs::test;

namespace {

using Make = std::function<std::shared_ptr<block::Device>()>;

void hold_to_contract(const Make& make) {
    for (const ContractCase& one : device_contract) {
        CAPTURE(one.name);
        auto device = make();
        REQUIRE(device);
        CHECK(one.run(*device) == "");
    }
}

std::shared_ptr<block::Device> ram(u64 size) {
    return std::make_shared<block::RamDevice>(size, "ram", 4096);
}

}  // namespace

TEST_CASE("block/contract: memory keeps it") {
    hold_to_contract([] { return ram(contract_bytes()); });
}

TEST_CASE("block/contract: an overlay keeps it") {
    hold_to_contract([] { return std::make_shared<block::OverlayDevice>(ram(contract_bytes())); });
}

TEST_CASE("block/contract: a partition keeps it") {
    hold_to_contract([]() -> std::shared_ptr<block::Device> {
        auto slice = block::SliceDevice::make(ram(contract_bytes() + 5000), 777, contract_bytes(), "p1");
        return slice ? *slice : nullptr;
    });
}

TEST_CASE("block/contract: a file keeps it") {
    const char* folder = std::getenv("TMPDIR");
    std::string path = std::string(folder ? folder : "/tmp") + "/glassfs-contract-XXXXXX";
    const int file = ::mkstemp(path.data());
    REQUIRE(file >= 0);
    ::close(file);
    hold_to_contract([&]() -> std::shared_ptr<block::Device> {
        REQUIRE(::truncate(path.c_str(), 0) == 0);
        auto made = block::FileDevice::create(path, contract_bytes());
        return made ? *made : nullptr;
    });
    std::remove(path.c_str());
}

TEST_CASE("block/contract: a device that loses a byte is found out") {
    struct Lossy {
        block::Access access;
        u64 skip;
    };
    for (const Lossy& lossy : {Lossy{block::Access::Write, 20}, Lossy{block::Access::Read, 60}}) {
        block::FaultyDevice device(ram(contract_bytes()));
        device.add({.access = lossy.access, .kind = block::Fault::Kind::Flip, .skip = lossy.skip});
        CHECK(agrees_with_a_model(device) != "");
    }
}
