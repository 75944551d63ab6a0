// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <doctest/doctest.h>
#include <memory>
#include <set>

using namespace glassfs;

namespace {

Result<int> half(int value) {
    if (value % 2 != 0) return fail(Cause::InvalidArgument, std::to_string(value) + " is odd");
    return value / 2;
}

Result<int> quarter(int value) {
    return TRY(half(TRY(half(value))));
}

Result<void> check_even(int value) {
    TRY(half(value));
    return {};
}

Result<std::unique_ptr<int>> boxed(int value) {
    return std::make_unique<int>(TRY(quarter(value)));
}
Result<int> unboxed(int value) {
    std::unique_ptr<int> box = TRY(boxed(value));  // moved out, not copied
    return *box;
}

Result<int> after_check(int value) {
    TRY(check_even(value));
    return value;
}

}  // namespace

TEST_CASE("base/error: TRY gives the value or returns the error as it is") {
    CHECK(quarter(12).value() == 3);
    CHECK(unboxed(8).value() == 2);
    CHECK(after_check(4).value() == 4);
    for (const Result<int>& result : {quarter(3), unboxed(3), after_check(3)}) {
        REQUIRE(!result);
        CHECK(result.error().cause == Cause::InvalidArgument);
        CHECK(result.error().detail == "3 is odd");
        CHECK(result.error().code() == Errno::INVAL);
    }
    CHECK(quarter(6).error().detail == "3 is odd");
}

TEST_CASE("base/error: a message has the sentence, the detail and every known place") {
    CHECK(Error{Cause::NotFound}.message() == "no such file or directory");
    CHECK(Error{Cause::NotFound, {}, "no tree 300"}.message() == "no such file or directory: no tree 300");
    Where where{.device = 1, .block = 4096, .slot = 3, .key = KeyRef{256, 1, 0}, .tree = 5};
    CHECK(Error{Cause::KeyOrder, where, "slot 2 is greater"}.message() ==
          "keys are not in order: slot 2 is greater [device 1, tree 5, block 4096, slot 3, key (256 1 0)]");
    CHECK(Error{Cause::BlockLevel, {.slot = 0}}.message() == "tree block has an unexpected level [slot 0]");
}

TEST_CASE("base/error: error numbers are Linux's") {
    CHECK(static_cast<int>(Errno::LOOP) == 40);
    CHECK(static_cast<int>(Errno::NODATA) == 61);
    CHECK(static_cast<int>(Errno::OPNOTSUPP) == 95);
    CHECK(static_cast<int>(Errno::UCLEAN) == 117);
    CHECK(cause_errno(Cause::TooManySymlinks) == Errno::LOOP);
    CHECK(cause_errno(Cause::NoDataBehind) == Errno::NXIO);
    CHECK(cause_errno(Cause::BlockChecksum) == Errno::IO);
    CHECK(std::string_view(errno_name(Errno::NAMETOOLONG)) == "ENAMETOOLONG");
    CHECK(std::string_view(errno_name(Errno::TOOBIG)) == "E2BIG");
    CHECK(std::string_view(errno_name(Errno::OK)) == "OK");
    CHECK(std::string_view(errno_name(static_cast<Errno>(9999))) == "E?");
}

TEST_CASE("base/error: every cause has a name, a sentence and an errno of its own list") {
    struct Expected {
        Cause cause;
        const char* name;
        Errno code;
    };
#define X(name, errno_, sentence) {Cause::name, #name, Errno::errno_},
    static constexpr Expected causes[] = {GLASSFS_CAUSES(X)};
#undef X
    std::set<std::string_view> names, sentences;
    for (const Expected& expected : causes) {
        CHECK(cause_name(expected.cause) == std::string_view(expected.name));
        CHECK(cause_errno(expected.cause) == expected.code);
        names.insert(cause_name(expected.cause));
        sentences.insert(cause_sentence(expected.cause));
    }
    CHECK(names.size() == std::size(causes));
    CHECK(sentences.size() == std::size(causes));  // two causes with one sentence could not be told apart
    CHECK(cause_name(static_cast<Cause>(9999)) == std::string_view("Unknown"));
}
