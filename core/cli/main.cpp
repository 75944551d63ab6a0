// SPDX-License-Identifier: MIT
// The program glassfs: COMMAND IMAGE [PATH...] [OPTIONS]. It parses, opens the image and runs the command;
// all else is in commands/.
#include "base/text.h"
#include "cli/open_image.h"
#include "cli/terminal.h"
#include "commands/command_table.h"
#include "commands/host_files.h"
#include "commands/parse.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace glassfs::cli {

namespace {

using commands::ExitCode;

constexpr const char* version_text = "glassfs 0.1 (reads and writes btrfs)\n";
constexpr u32 jobs_default_max = 4;
constexpr u32 jobs_max = 64;

struct Setup {
    ImageSource source;
    u32 jobs = 1;
};

mount::Access access_of(const commands::Arguments& arguments) {
    bool reads = arguments.command->opens != commands::Opens::ReadWrite || arguments.has("read-only");
    return reads ? mount::Access::ReadOnly : mount::Access::ReadWrite;
}

Result<Setup> set_up(const commands::Arguments& arguments) {
    Setup setup;
    setup.source.image = arguments.image;
    setup.source.subvolume = arguments.value("subvol");
    setup.source.access = access_of(arguments);
    if (arguments.has("seed")) {
        setup.source.environment = std::make_shared<SeededEnvironment>(TRY(arguments.number("seed", 0)));
    }
    if (arguments.has("device")) setup.source.further_devices = arguments.options.find("device")->second;
    if (arguments.has("partition")) setup.source.partition = TRY(arguments.number("partition", 0));
    u32 processors = std::max(1U, std::thread::hardware_concurrency());
    u64 jobs = TRY(arguments.number("jobs", std::min(processors, jobs_default_max)));
    setup.jobs = static_cast<u32>(std::clamp<u64>(jobs, 1, jobs_max));
    std::string colour = arguments.value("color", "auto");
    if (colour != "auto" && colour != "always" && colour != "never") {
        return fail(Cause::InvalidArgument, "--color: auto, always or never");
    }
    return setup;
}

// An image that is too damaged to be opened is what somebody who asks for a check wants to know.
bool is_finding(const commands::Arguments& arguments, const Error& error) {
    constexpr Cause damage[] = {Cause::UnknownFileSystem, Cause::SuperblockBad,   Cause::MetadumpBad,
                                Cause::BlockChecksum,     Cause::BlockGeneration, Cause::ChecksumMismatch,
                                Cause::DevicesMissing,    Cause::RootMissing};
    if (std::string_view(arguments.command->name) != "check") return false;
    return error.code() == Errno::UCLEAN || std::ranges::find(damage, error.cause) != std::end(damage);
}

ExitCode refuse(const commands::Arguments& arguments, const commands::Invocation& invocation, Error error) {
    const ExitCode code = is_finding(arguments, error) ? ExitCode::Problems : ExitCode::NotRun;
    if (error.detail == printable(arguments.image)) error.detail.clear();  // the line begins with it
    invocation.complain(arguments.image, error);
    return code;
}

ExitCode closed(const commands::Invocation& invocation, mount::Volume& volume, ExitCode code) {
    auto done = volume.close();
    if (done) return code;
    invocation.complain(invocation.arguments.image, done.error());
    return std::max(code, ExitCode::Problems);
}

// The recording's file is made first, and never in place of another: it might be the image. It is written
// before the volume lets go of its devices, whose bytes it needs.
ExitCode run_recorded(const commands::Arguments& arguments, const commands::Invocation& invocation,
                      const ImageSource& source) {
    const std::string name = arguments.value("record");
    if (source.partition || source.access != mount::Access::ReadWrite) {
        return invocation.refuse("shell: --record is for a whole image that is written to");
    }
    commands::HostFile file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file.get() < 0) {
        invocation.complain(name, commands::host_failure("open").error());
        return ExitCode::NotRun;
    }
    auto volume = open_recorded(source);
    if (!volume) {
        ::unlink(name.c_str());
        return refuse(arguments, invocation, volume.error());
    }
    commands::Context context{invocation, (*volume)->live()};
    context.tracer = (*volume)->tracer();
    ExitCode code = arguments.command->run(context);
    auto save = [&]() -> Result<void> {
        TRY((*volume)->live().files().sync());
        return commands::write_at(file, 0, TRY(mount::save_glass((*volume)->file())));
    };
    if (auto saved = save(); !saved) {
        ::unlink(name.c_str());  // half a recording is none
        invocation.complain(name, saved.error());
        code = std::max(code, ExitCode::Problems);
    }
    return closed(invocation, (*volume)->live(), code);
}

ExitCode run(const commands::Arguments& arguments, Terminal& terminal) {
    commands::Invocation invocation{arguments};
    invocation.out = [&](std::string_view bytes) { terminal.out(bytes); };
    invocation.err = [&](std::string_view bytes) { terminal.err(bytes); };
    invocation.style = terminal.style();
    invocation.progress = [&](double fraction, std::string_view what) {
        return terminal.progress(fraction, what);
    };
    auto setup = set_up(arguments);
    if (!setup) return invocation.refuse(setup.error().detail);
    invocation.jobs = setup->jobs;
    if (arguments.command->run_alone) return arguments.command->run_alone(invocation);
    if (arguments.has("record")) return run_recorded(arguments, invocation, setup->source);
    auto volume = open_image(setup->source);
    if (!volume) return refuse(arguments, invocation, volume.error());
    commands::Context context{invocation, **volume};
    ExitCode code = arguments.command->run(context);
    return closed(invocation, **volume, code);
}

ExitCode run_words(std::vector<std::string> words) {
    Terminal plain("never");
    if (words.size() == 2 && words[0] == "help") words = {words[1], "--help"};
    if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        bool asked = !words.empty();
        asked ? plain.out(commands::overview_help()) : plain.err(commands::overview_help());
        return asked ? ExitCode::Done : ExitCode::NotRun;
    }
    if (words[0] == "--version") {
        plain.out(version_text);
        return ExitCode::Done;
    }
    auto arguments = commands::parse(words, commands::Grammar::CommandLine);
    if (!arguments) {
        plain.err("glassfs: " + arguments.error().detail + "\n");
        return ExitCode::NotRun;
    }
    if (arguments->has("help")) {
        plain.out(commands::command_help(*arguments->command));
        return ExitCode::Done;
    }
    Terminal terminal(arguments->value("color", "auto"));
    return run(*arguments, terminal);
}

}  // namespace

}  // namespace glassfs::cli

int main(int argc, char** argv) {
    return static_cast<int>(
        glassfs::cli::run_words(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
}
