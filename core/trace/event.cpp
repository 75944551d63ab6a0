// SPDX-License-Identifier: MIT
// Names and the one-line form of events, drawn from each struct's own list of fields.
#include "trace/event.h"

#include <array>

namespace glassfs::trace {
namespace {

template <std::size_t... I>
constexpr std::array<const char*, event_type_count> names_of(std::index_sequence<I...>) {
    return {std::variant_alternative_t<I, Event>::name...};
}

u64 plain(u64 value) {
    return value;
}
template <class Tag>
u64 plain(StrongNumber<Tag> number) {
    return number.value;
}

}  // namespace

const char* event_name(std::size_t index) {
    static constexpr auto names = names_of(std::make_index_sequence<event_type_count>{});
    return names.at(index);
}

std::string event_text(const Event& event) {
    std::string out = event_name(event);
    auto add = [&](const char* field, const auto& value) {
        out += std::string(" ") + field + "=" + std::to_string(plain(value));
    };
    std::visit([&](const auto& e) { std::remove_cvref_t<decltype(e)>::fields(e, add); }, event);
    return out;
}

}  // namespace glassfs::trace
