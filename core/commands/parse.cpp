// SPDX-License-Identifier: MIT
// From words to Arguments. CLI11 does the parsing; its exceptions end here.
#include "commands/parse.h"

#include "base/text.h"

#include <CLI/CLI.hpp>

namespace glassfs::commands {

namespace {

// Where CLI11 puts what it finds, per option.
struct Slot {
    const Option* option;
    std::vector<std::string> values;
    bool given = false;
};

void add_options(CLI::App& app, std::span<const Option> options, std::vector<std::unique_ptr<Slot>>& slots) {
    for (const Option& option : options) {
        slots.push_back(std::make_unique<Slot>(Slot{&option, {}}));
        Slot& slot = *slots.back();
        if (option.value) {
            app.add_option(option.flags, slot.values)->allow_extra_args(false)->type_size(1);
        } else {
            app.add_flag(option.flags, slot.given);
        }
    }
}

Result<void> check_operands(Arguments& arguments, Grammar grammar) {
    const Command& command = *arguments.command;
    if (arguments.has("help")) return {};
    if (grammar == Grammar::CommandLine) {
        if (arguments.operands.empty()) {
            return fail(Cause::InvalidArgument,
                        text("%s: which image? (see glassfs %s --help)", command.name, command.name));
        }
        arguments.image = std::move(arguments.operands.front());
        arguments.operands.erase(arguments.operands.begin());
    }
    if (arguments.operands.size() < command.operands_min) {
        return fail(Cause::InvalidArgument, text("%s: missing %s", command.name, command.operands));
    }
    if (arguments.operands.size() > command.operands_max) {
        return fail(Cause::InvalidArgument, text("%s: one operand too many: %s", command.name,
                                                 escaped(arguments.operands[command.operands_max]).c_str()));
    }
    return {};
}

}  // namespace

Result<Arguments> parse(std::span<const std::string> words, Grammar grammar) {
    if (words.empty()) return fail(Cause::InvalidArgument, "which command?");
    Arguments arguments;
    arguments.command = find_command(words[0]);
    bool known = arguments.command && (grammar == Grammar::CommandLine || arguments.command->in_console);
    if (!known) return fail(Cause::InvalidArgument, "no such command: " + escaped(words[0]));

    CLI::App app;
    app.set_help_flag();
    std::vector<std::unique_ptr<Slot>> slots;
    add_options(app, arguments.command->options, slots);
    add_options(app, grammar == Grammar::Console ? console_options() : common_options(), slots);
    app.add_option("operands", arguments.operands);
    try {
        // CLI11 takes the words from the back.
        app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    } catch (const CLI::Error& error) {
        std::string what = error.what();
        for (char& c : what) {
            if (c == '\n') c = ' ';
        }
        return fail(Cause::InvalidArgument, std::string(arguments.command->name) + ": " + printable(what));
    }
    for (auto& slot : slots) {
        if (slot->given || !slot->values.empty()) {
            arguments.options.emplace(slot->option->long_name(), std::move(slot->values));
        }
    }
    TRY(check_operands(arguments, grammar));
    return arguments;
}

Result<std::vector<std::string>> split_words(std::string_view line, std::size_t* last_begin) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    std::size_t begin = line.size();
    for (std::size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (c == ' ' || c == '\t' || c == '\n') {
            if (in_word) words.push_back(std::move(word));
            word.clear();
            in_word = false;
            continue;
        }
        if (!in_word) begin = i;
        in_word = true;
        if (c == '\'' || c == '"') {
            std::size_t end = i + 1;
            while (end < line.size() && line[end] != c) {
                if (c == '"' && line[end] == '\\' && end + 1 < line.size()) ++end;
                word += line[end++];
            }
            if (end >= line.size()) return fail(Cause::InvalidArgument, "a quote is not closed");
            i = end;
        } else if (c == '\\' && i + 1 < line.size()) {
            word += line[++i];
        } else {
            word += c;
        }
    }
    if (in_word) words.push_back(std::move(word));
    if (last_begin) *last_begin = in_word ? begin : line.size();
    return words;
}

std::string quoted(std::string_view word) {
    constexpr std::string_view special = " \t\n'\"\\";
    std::string out;
    for (char c : word) {
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out.empty() ? "''" : out;
}

}  // namespace glassfs::commands
