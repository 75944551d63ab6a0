// SPDX-License-Identifier: MIT
// From words to Arguments. A script of a million lines comes through here a million times, so nothing is
// built per line but the result.
#include "commands/parse.h"

#include "base/text.h"

namespace glassfs::commands {

namespace {

class Parser {
  public:
    Parser(Arguments& arguments, Grammar grammar) : arguments_(arguments), grammar_(grammar) {}

    Result<void> run(std::span<const std::string> words) {
        for (at_ = words; !at_.empty();) {
            const std::string& word = next();
            if (word == "--") {
                arguments_.operands.insert(arguments_.operands.end(), at_.begin(), at_.end());
                break;
            }
            if (is_operand(word))
                arguments_.operands.push_back(word);
            else if (word.starts_with("--"))
                TRY(take_long(word));
            else
                TRY(take_short(word));
        }
        return {};
    }

  private:
    const std::string& next() {
        const std::string& word = at_.front();
        at_ = at_.subspan(1);
        return word;
    }

    template <class F>
    const Option* find(F&& fits) const {
        const Command& command = *arguments_.command;
        auto common = grammar_ == Grammar::Console ? console_options() : common_options(command);
        for (std::span<const Option> options : {command.options, common}) {
            for (const Option& option : options) {
                if (fits(option)) return &option;
            }
        }
        return nullptr;
    }
    const Option* find_short(char name) const {
        return find([&](const Option& option) { return option.short_name() == name; });
    }

    bool is_operand(const std::string& word) const {
        if (word.size() < 2 || word[0] != '-') return true;
        if (word[1] == '-' || find_short(word[1])) return false;
        bool negative_number = word[1] >= '0' && word[1] <= '9';
        return negative_number || arguments_.command->dashes == Dashes::OperandsToo;
    }

    Failure refuse(const std::string& what) const {
        return fail(Cause::InvalidArgument, std::string(arguments_.command->name) + ": " + what);
    }

    std::vector<std::string>& values_of(const Option& option) {
        auto found = arguments_.options.find(option.long_name());
        if (found == arguments_.options.end()) {
            found = arguments_.options.emplace(option.long_name(), std::vector<std::string>()).first;
        }
        return found->second;
    }

    Result<void> take(const Option& option, std::optional<std::string> value) {
        std::vector<std::string>& values = values_of(option);
        if (!option.value) {
            if (value) return refuse(text("--%s takes no value", std::string(option.long_name()).c_str()));
            return {};
        }
        if (!value && at_.empty()) {
            return refuse(text("--%s needs %s", std::string(option.long_name()).c_str(), option.value));
        }
        values.push_back(value ? std::move(*value) : next());
        return {};
    }

    Result<void> take_long(const std::string& word) {
        std::size_t equals = word.find('=');
        std::string_view name = std::string_view(word).substr(2, equals - std::min<std::size_t>(equals, 2));
        const Option* option = find([&](const Option& one) { return one.long_name() == name; });
        if (!option) return refuse("unknown option --" + escaped(name));
        if (equals == std::string::npos) return take(*option, {});
        return take(*option, word.substr(equals + 1));
    }

    Result<void> take_short(const std::string& word) {
        for (std::size_t i = 1; i < word.size(); ++i) {
            const Option* option = find_short(word[i]);
            if (!option) return refuse("unknown option -" + escaped(word.substr(i, 1)));
            bool rest_is_value = option->value && i + 1 < word.size();
            if (rest_is_value) return take(*option, word.substr(i + 1));
            TRY(take(*option, {}));
        }
        return {};
    }

    Arguments& arguments_;
    Grammar grammar_;
    std::span<const std::string> at_;  // words that are still to come
};

Result<void> check_operands(Arguments& arguments, Grammar grammar) {
    const Command& command = *arguments.command;
    if (arguments.has("help")) return {};
    if (grammar == Grammar::CommandLine && command.opens != Opens::Nothing) {
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
    const Command* command = find_command(words[0]);
    bool known =
        command && (grammar == Grammar::CommandLine ? command->on_command_line : command->in_console);
    if (!known) return fail(Cause::InvalidArgument, "no such command: " + escaped(words[0]));
    arguments.command = command;
    TRY(Parser(arguments, grammar).run(words.subspan(1)));
    TRY(check_operands(arguments, grammar));
    return arguments;
}

}  // namespace glassfs::commands
