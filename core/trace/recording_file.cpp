// SPDX-License-Identifier: MIT
// A recording as a file. Numbers after the header are LEB128: seven bits a byte, the lowest first.
//
//     "GLASSREC"  version u32  crc32c of the rest u32                      little-endian
//     event types: count, then name, number of fields, counter each
//     steps_total, rebuildable_from, number of steps
//     steps: number - number before - 1, span, kind, then
//         begin   parent, name, detail
//         end     -
//         event   type, fields
//         change  type, fields, device, physical, bytes
//
// Strings and bytes are preceded by their length. Event types go by name, so that a file outlives their
// order.
#include "base/crc32c.h"
#include "base/endian.h"
#include "base/text.h"
#include "trace/recording.h"

#include <concepts>
#include <limits>

namespace glassfs::trace {
namespace {

constexpr std::string_view magic = "GLASSREC";
constexpr u32 version = 1;
constexpr std::size_t header_size = 16;

enum class Kind : u8 { Begin, End, Event, Change };

// The event types' names, numbers of fields, and a default value to fill.
struct EventType {
    Event empty;
    std::string_view name;
    u64 fields;
};

template <class E>
EventType type_of() {
    E event;
    u64 fields = 0;
    E::fields(event, [&](const char*, auto&) { ++fields; });
    return {event, E::name, fields};
}

template <std::size_t... I>
std::vector<EventType> all_types(std::index_sequence<I...>) {
    return {type_of<std::variant_alternative_t<I, Event>>()...};
}

const std::vector<EventType>& event_types() {
    static const auto types = all_types(std::make_index_sequence<event_type_count>{});
    return types;
}

class Writer {
  public:
    void number(u64 value) {
        for (; value >= 0x80; value >>= 7) out.push_back(static_cast<u8>(value | 0x80));
        out.push_back(static_cast<u8>(value));
    }
    template <class Tag>
    void number(StrongNumber<Tag> value) {
        number(value.value);
    }
    void bytes(Bytes value) {
        number(value.size());
        out.insert(out.end(), value.begin(), value.end());
    }
    void event(const Event& event) {
        number(event.index());
        auto put = [&](const char*, const auto& field) { number(field); };
        std::visit([&](const auto& e) { std::remove_cvref_t<decltype(e)>::fields(e, put); }, event);
    }
    void step(const Step& step) {
        Kind kind = step.begin()    ? Kind::Begin
                    : step.is_end() ? Kind::End
                    : step.change   ? Kind::Change
                                    : Kind::Event;
        number(step.span);
        number(static_cast<u64>(kind));
        if (const SpanBegin* begin = step.begin()) {
            number(begin->parent);
            bytes(as_bytes(begin->name));
            bytes(as_bytes(begin->detail));
        }
        if (step.event()) event(*step.event());
        if (step.change) {
            number(step.change->device);
            number(step.change->physical);
            bytes(step.change->before);
        }
    }

    Buffer out;
};

Failure bad(std::string detail) {
    return fail(Cause::RecordingBad, std::move(detail));
}

class Reader {
  public:
    explicit Reader(Bytes rest) : rest_(rest) {}

    bool at_end() const { return rest_.empty(); }

    Result<Recording> recording() {
        Recording out;
        TRY(types(out));
        out.steps_total = TRY(number());
        out.rebuildable_from = TRY(number());
        u64 count = TRY(number());
        if (out.rebuildable_from > out.steps_total || count > out.steps_total)
            return bad("impossible step numbers");
        u64 next = 0;  // the lowest number that the next step may have
        for (u64 i = 0; i < count; ++i) {
            u64 skipped = TRY(number());
            if (next >= out.steps_total || skipped >= out.steps_total - next)
                return bad("impossible step number");
            out.steps.push_back(TRY(step(next + skipped)));
            next += skipped + 1;
        }
        return out;
    }

  private:
    Result<u64> number() {
        u64 value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) return bad("it ends early");
            u8 byte = rest_.front();
            rest_ = rest_.subspan(1);
            if (shift == 63 && byte > 1) break;
            value |= u64{byte & 0x7fU} << shift;
            if (byte < 0x80) return value;
        }
        return bad("a number beyond 64 bits");
    }
    Result<Bytes> bytes() {
        u64 length = TRY(number());
        if (length > rest_.size()) return bad("it ends early");
        auto size = static_cast<std::size_t>(length);
        Bytes out = rest_.first(size);
        rest_ = rest_.subspan(size);
        return out;
    }

    Result<void> types(Recording& out) {
        u64 count = TRY(number());
        std::array<bool, event_type_count> seen{};
        for (u64 i = 0; i < count; ++i) {
            std::string_view name = as_text(TRY(bytes()));
            u64 fields = TRY(number());
            u64 counter = TRY(number());
            std::size_t type = 0;
            while (type < event_type_count && event_types()[type].name != name) ++type;
            if (type == event_type_count) return bad("unknown event " + printable(name));
            if (fields != event_types()[type].fields) return bad("other fields of " + printable(name));
            if (std::exchange(seen[type], true)) return bad("twice the event " + printable(name));
            out.counters[type] = counter;
            types_.push_back(type);
        }
        return {};
    }

    Result<void> fill(u64& field) {
        field = TRY(number());
        return {};
    }
    template <class Tag>
    Result<void> fill(StrongNumber<Tag>& field) {
        return fill(field.value);
    }
    template <std::unsigned_integral Number>  // narrower than u64
    Result<void> fill(Number& field) {
        u64 value = TRY(number());
        if (value > std::numeric_limits<Number>::max()) return bad("a field beyond its range");
        field = static_cast<Number>(value);
        return {};
    }

    Result<Event> event() {
        u64 type = TRY(number());
        if (type >= types_.size()) return bad("impossible event type");
        Event out = event_types()[types_[static_cast<std::size_t>(type)]].empty;
        Result<void> result;
        auto get = [&](const char*, auto& field) {
            if (result) result = fill(field);
        };
        std::visit([&](auto& e) { std::remove_cvref_t<decltype(e)>::fields(e, get); }, out);
        if (!result) return fail(std::move(result).error());
        return out;
    }

    Result<Change> change() {
        Change out;
        TRY(fill(out.device));
        TRY(fill(out.physical));
        Bytes before = TRY(bytes());
        if (before.size() > ~u64{0} - out.physical.value) return bad("a change beyond 64 bits");
        out.before.assign(before.begin(), before.end());
        return out;
    }

    // Spans begin once, inside of one that is open, and end once; events lie in an open one or in none.
    Result<void> check_span(SpanId span, Kind kind) {
        auto found = open_.find(span);
        bool is_open = found != open_.end() && found->second;
        if (kind == Kind::Begin) {
            if (span == no_span || found != open_.end()) return bad("a span begins twice");
            open_[span] = true;
            return {};
        }
        if (kind == Kind::End ? !is_open : span != no_span && !is_open)
            return bad("a step in a span that isn't open");
        if (kind == Kind::End) open_[span] = false;
        return {};
    }

    Result<Step> step(u64 step_number) {
        Step out;
        out.number = step_number;
        out.span = TRY(number());
        u64 kind_number = TRY(number());
        if (kind_number > static_cast<u64>(Kind::Change)) return bad("unknown kind of step");
        Kind kind = static_cast<Kind>(kind_number);
        TRY(check_span(out.span, kind));
        if (kind == Kind::Begin) {
            SpanBegin begin;
            begin.parent = TRY(number());
            auto parent = open_.find(begin.parent);
            bool parent_open = parent != open_.end() && parent->second && begin.parent != out.span;
            if (begin.parent != no_span && !parent_open) return bad("a span in one that isn't open");
            begin.name = as_text(TRY(bytes()));
            begin.detail = as_text(TRY(bytes()));
            out.what = std::make_shared<const SpanBegin>(std::move(begin));
        } else if (kind == Kind::End) {
            out.what = SpanEnd{};
        } else {
            out.what = TRY(event());
            if (kind == Kind::Change) out.change = std::make_shared<const Change>(TRY(change()));
        }
        return out;
    }

    Bytes rest_;
    std::vector<std::size_t> types_;         // the file's event types as ours
    std::unordered_map<SpanId, bool> open_;  // spans that began; false once ended
};

}  // namespace

Buffer Recording::save() const {
    Writer writer;
    writer.out.resize(header_size);
    writer.number(event_type_count);
    for (std::size_t type = 0; type < event_type_count; ++type) {
        writer.bytes(as_bytes(event_types()[type].name));
        writer.number(event_types()[type].fields);
        writer.number(counters[type]);
    }
    writer.number(steps_total);
    writer.number(rebuildable_from);
    writer.number(steps.size());
    u64 next = 0;
    for (const Step& step : steps) {
        writer.number(step.number - next);
        writer.step(step);
        next = step.number + 1;
    }
    Le32 version_field = version;
    Le32 crc = crc32c(Bytes(writer.out).subspan(header_size));
    std::memcpy(writer.out.data(), magic.data(), magic.size());
    std::memcpy(writer.out.data() + 8, &version_field, 4);
    std::memcpy(writer.out.data() + 12, &crc, 4);
    return std::move(writer.out);
}

Result<Recording> Recording::load(Bytes file) {
    if (file.size() < header_size || as_text(file.first(magic.size())) != magic)
        return bad("not a recording");
    u32 file_version = glassfs::load<Le32>(file, 8);
    if (file_version != version) return bad("version " + std::to_string(file_version));
    Bytes rest = file.subspan(header_size);
    if (crc32c(rest) != glassfs::load<Le32>(file, 12)) return bad("checksum mismatch");
    Reader reader(rest);
    Recording recording = TRY(reader.recording());
    if (!reader.at_end()) return bad("bytes behind its end");
    return recording;
}

}  // namespace glassfs::trace
