// SPDX-License-Identifier: MIT
// Arguments' values and the one form that complaints have.
#include "commands/context.h"

#include "base/text.h"

#include <charconv>

namespace glassfs::commands {

std::string Arguments::value(std::string_view name, std::string otherwise) const {
    auto found = options.find(name);
    return found == options.end() || found->second.empty() ? std::move(otherwise) : found->second.back();
}

Result<u64> Arguments::number(std::string_view name, u64 otherwise) const {
    auto found = options.find(name);
    if (found == options.end() || found->second.empty()) return otherwise;
    auto number = parse_number(found->second.back());
    if (!number) return fail(Cause::InvalidArgument, "--" + std::string(name) + ": " + number.error().detail);
    return *number;
}

Result<u64> parse_number(std::string_view given) {
    std::string_view rest = given;
    int base = 10;
    if (rest.starts_with("0x") || rest.starts_with("0X")) {
        base = 16;
        rest.remove_prefix(2);
    }
    u64 number = 0;
    auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number, base);
    std::string_view suffix = rest.substr(static_cast<std::size_t>(end - rest.data()));
    bool good = status == std::errc() && suffix.size() <= 1;
    if (good && suffix.size() == 1) {
        constexpr std::string_view suffixes = "KMGTP";
        std::size_t at = suffixes.find(static_cast<char>(suffix[0] & ~0x20));
        unsigned shift = at == std::string_view::npos ? 0 : 10 * (static_cast<unsigned>(at) + 1);
        good = shift != 0 && number <= (~u64{0} >> shift);
        number <<= shift;
    }
    if (!good) return fail(Cause::InvalidArgument, "not a number: " + escaped(given));
    return number;
}

void Invocation::complain(std::string_view what, const Error& error) const {
    complain(printable(what) + ": " + error.message());
}

void Invocation::complain(std::string_view line) const {
    err("glassfs: " + source + std::string(line) + "\n");
}

ExitCode Invocation::refuse(std::string_view line) const {
    complain(line);
    return ExitCode::NotRun;
}

bool Invocation::report_progress(double fraction, std::string_view what) const {
    return !progress || progress(fraction, what);
}

}  // namespace glassfs::commands
