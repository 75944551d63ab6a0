// SPDX-License-Identifier: MIT
// experiment: the switches of a mounted volume between ways to do the same thing.
#include "commands/change.h"
#include "commands/json.h"
#include "commands/run.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

void show(Context& context) {
    const auto counters = context.volume.counters();
    std::string out;
    for (const mount::Experiment& one : context.volume.experiments()) {
        JsonArray modes;
        std::string words = std::string(one.name) + " ";
        for (const char* mode : one.modes) {
            const bool on = std::string_view(mode) == one.mode;
            words += on ? " [" + std::string(mode) + "]" : " " + std::string(mode);
            modes.add(mode);
        }
        JsonObject line;
        line.add("experiment", one.name).add("mode", one.mode).raw("modes", modes.str());
        out += context.json() ? line.line() : words + "\n";
    }
    JsonObject values;
    for (const mount::Counter& counter : counters) {
        values.add(counter.name, counter.value);
        if (!context.json())
            out += "  " + std::string(counter.name) + " " + std::to_string(counter.value) + "\n";
    }
    if (context.json()) out += JsonObject().raw("counters", values.str()).line();
    context.out(out);
}

}  // namespace

ExitCode run_experiment(Context& context) {
    const auto& operands = context.arguments.operands;
    if (operands.empty()) {
        show(context);
        return ExitCode::Done;
    }
    if (operands.size() == 1) return context.refuse("experiment: NAME and MODE, or nothing");
    const auto all = context.volume.experiments();
    const auto one = std::ranges::find_if(all, [&](const auto& e) { return operands[0] == e.name; });
    if (one == all.end()) return context.refuse("experiment: there is none named " + escaped(operands[0]));
    if (std::ranges::find(one->modes, operands[1], [](const char* m) { return std::string(m); }) ==
        one->modes.end()) {
        return context.refuse("experiment: " + operands[0] + " has no mode " + escaped(operands[1]));
    }
    return finish(context, "/", context.volume.set_experiment(operands[0], operands[1]));
}

}  // namespace glassfs::commands
