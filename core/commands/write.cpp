// SPDX-License-Identifier: MIT
// write, append, truncate, fallocate: contents of files.
#include "base/text.h"
#include "commands/change.h"
#include "commands/command_table.h"
#include "commands/run.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;

// Bytes without end: a text over and over, or random ones that a seed and a position decide.
class Pattern {
  public:
    explicit Pattern(Buffer period) : period_(std::move(period)) {}
    explicit Pattern(u64 seed) : seed_(seed) {}

    void fill(u64 at, MutBytes out) const {
        if (seed_) {
            u64 word = 0;
            for (std::size_t i = 0; i < out.size(); ++i, ++at) {
                if (i == 0 || at % 8 == 0) word = random_word(at / 8);
                out[i] = static_cast<u8>(word >> (8 * (at % 8)));
            }
        } else if (period_.size() == 1) {
            std::ranges::fill(out, period_[0]);
        } else {
            while (!out.empty()) {
                Bytes rest = Bytes(period_).subspan(static_cast<std::size_t>(at % period_.size()));
                rest = rest.first(std::min(rest.size(), out.size()));
                std::ranges::copy(rest, out.begin());
                out = out.subspan(rest.size());
                at += rest.size();
            }
        }
    }
    u64 period() const { return seed_ ? ~u64{0} : period_.size(); }

  private:
    // The numbers of SplitMix64, the first one for the first eight bytes.
    u64 random_word(u64 index) const {
        u64 z = *seed_ + (index + 1) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    Buffer period_ = {};
    std::optional<u64> seed_ = {};
};

struct Source {
    Pattern pattern;
    u64 size = 0;
};

Failure bad(const char* what) {
    return fail(Cause::InvalidArgument, what);
}

Result<Pattern> pattern_of(const Arguments& given) {
    int sources = (given.operands.size() > 1 ? 1 : 0) + (given.has("hex") ? 1 : 0) +
                  (given.has("fill") ? 1 : 0) + (given.has("random") ? 1 : 0);
    if (sources != 1) return bad("what? Give one of TEXT, --hex, --fill and --random");
    if (given.has("hex")) return Pattern(TRY(parse_hex(given.value("hex"))));
    if (given.has("random")) return Pattern(TRY(given.number("random", 0)));
    if (given.has("fill")) {
        u64 byte = TRY(given.number("fill", 0));
        if (byte > 255) return bad("--fill: a byte is 0 to 255");
        return Pattern(Buffer(1, static_cast<u8>(byte)));
    }
    std::string words = given.operands[1] + (given.has("newline") ? "\n" : "");
    return Pattern(Buffer(words.begin(), words.end()));
}

Result<Source> source_of(const Arguments& given) {
    Pattern pattern = TRY(pattern_of(given));
    bool needs_size = given.has("fill") || given.has("random");
    if (needs_size && !given.has("size")) return bad("how much? --size");
    u64 size = TRY(given.number("size", needs_size ? 0 : pattern.period()));
    if (pattern.period() == 0 && size != 0) return bad("nothing to repeat");
    return Source{std::move(pattern), size};
}

Result<void> write_source(const Context& context, vfs::NodeId id, u64 at, const Source& source,
                          std::string_view path) {
    Buffer buffer(static_cast<std::size_t>(std::min<u64>(piece_bytes, source.size)));
    for (u64 done = 0; done < source.size;) {
        MutBytes piece(buffer.data(),
                       static_cast<std::size_t>(std::min<u64>(buffer.size(), source.size - done)));
        source.pattern.fill(done, piece);
        std::size_t written = TRY(context.volume.files().write(id, at + done, piece));
        done += written;
        if (written < piece.size()) {
            return fail(Cause::NoSpace, grouped(done) + " of " + grouped(source.size) + " bytes written");
        }
        if (!context.report_progress(double(done) / double(source.size), path)) return fail(Cause::Cancelled);
    }
    return {};
}

// `at`: unset for the end of the file.
ExitCode write_to(const Context& context, std::optional<u64> at, const Result<Source>& source) {
    const Arguments& given = context.arguments;
    if (!source) return context.refuse(std::string(given.command->name) + ": " + source.error().detail);
    std::string path = join_path(context.cwd, given.operands[0]);
    auto done = [&]() -> Result<void> {
        Opened file = TRY(open_for_writing(context, given.operands[0], Missing::Create));
        if (given.has("truncate") && file.attributes.size > 0) {
            TRY(context.volume.files().truncate(file.attributes.id, 0));
        }
        u64 begin = at.value_or(file.attributes.size);
        if (begin + source->size < begin) return fail(Cause::FileTooBig);
        return write_source(context, file.attributes.id, begin, *source, path);
    }();
    return finish(context, path, done);
}

}  // namespace

ExitCode run_write(Context& context) {
    auto at = context.arguments.number("at", 0);
    if (!at) return context.refuse("write: " + at.error().detail);
    return write_to(context, *at, source_of(context.arguments));
}

ExitCode run_append(Context& context) {
    return write_to(context, {}, source_of(context.arguments));
}

ExitCode run_truncate(Context& context) {
    const Arguments& given = context.arguments;
    auto size = given.number("size", 0);
    if (!size || !given.has("size")) {
        return context.refuse("truncate: " + (size ? "to what size? -s SIZE" : size.error().detail));
    }
    return for_each_operand(context, given.operands, [&](const std::string& operand) -> Result<void> {
        Missing missing = given.has("no-create") ? Missing::Fail : Missing::Create;
        auto file = open_for_writing(context, operand, missing);
        if (!file && file.error().cause == Cause::NotFound && given.has("no-create")) return {};
        if (!file) return fail(file.error());
        return context.volume.files().truncate(file->attributes.id, *size);
    });
}

namespace {

Result<vfs::FallocateMode> fallocate_mode(const Arguments& given) {
    using Mode = vfs::FallocateMode;
    bool keep = given.has("keep-size");
    int kinds = 0;
    Mode mode = keep ? Mode::KeepSize : Mode::Allocate;
    auto take = [&](const char* option, Mode one) {
        if (!given.has(option)) return;
        ++kinds;
        mode = one;
    };
    take("punch-hole", Mode::PunchHole);
    take("zero-range", keep ? Mode::ZeroRangeKeepSize : Mode::ZeroRange);
    take("collapse-range", Mode::CollapseRange);
    take("insert-range", Mode::InsertRange);
    if (kinds > 1) return bad("only one of -p, -z, -c, -i");
    if (keep && (given.has("collapse-range") || given.has("insert-range"))) {
        return bad("-n doesn't go with -c and -i");
    }
    return mode;
}

}  // namespace

ExitCode run_fallocate(Context& context) {
    const Arguments& given = context.arguments;
    auto mode = fallocate_mode(given);
    auto at = given.number("offset", 0), length = given.number("length", 0);
    bool good = mode && at && length;
    if (!good || !given.has("length")) {
        std::string why = !mode     ? mode.error().detail
                          : !at     ? at.error().detail
                          : !length ? length.error().detail
                                    : "how much? -l LENGTH";
        return context.refuse("fallocate: " + why);
    }
    bool allocates = *mode == vfs::FallocateMode::Allocate || *mode == vfs::FallocateMode::KeepSize;
    return for_each_operand(context, given.operands, [&](const std::string& operand) -> Result<void> {
        Opened file = TRY(open_for_writing(context, operand, allocates ? Missing::Create : Missing::Fail));
        return context.volume.files().fallocate(file.attributes.id, *mode, *at, *length);
    });
}

}  // namespace glassfs::commands
