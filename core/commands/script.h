// SPDX-License-Identifier: MIT
// The grammar of the console, of scripts and of "shell -c". Pure: nothing here runs anything.
//
//     script     a statement a line, or several with ';' between them; '#' begins a comment
//     statement  COMMAND [WORD...]
//                repeat COUNT [NAME] { script }      NAME (i) is 0, 1, ... COUNT - 1
//     word       plain text, '...' as it is, "..." with $ and \, \ before any byte, \ at a line's end goes on
//                $NAME, ${NAME}, $((EXPRESSION)), also inside of "..."
//
// '{' and '}' mean a block only as words of their own. Words are kept as they were written and are expanded
// when their statement runs, so that a repetition costs nothing but its text.
#pragma once

#include "commands/arithmetic.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glassfs::commands {

inline constexpr std::size_t script_bytes_max = 64U << 20;
inline constexpr u32 script_nesting_max = 16;             // of repeat
inline constexpr std::size_t statements_max = 1'000'000;  // in one statement's blocks
inline constexpr std::size_t word_bytes_max = 1U << 20;   // after expansion

struct Statement {
    u32 line = 1;
    std::vector<std::string_view> words =
        {};  // into the script's text, unexpanded; of a repeat without its block
    bool is_repeat = false;
    std::vector<Statement> body = {};
};

// Cuts a text into words and the marks between them.
class ScriptLexer {
  public:
    enum class Token : u8 { Word, End, Newline, Semicolon, Open, Close };

    ScriptLexer(std::string_view text, u32 first_line) : text_(text), line_(first_line) {}

    // Cause::InvalidArgument: something is not closed.
    Result<Token> next();
    std::string_view word() const { return word_; }  // of the last token, unexpanded
    std::size_t end() const { return at_; }          // byte behind it
    u32 line() const { return line_; }               // where end() is
    bool unfinished() const { return unfinished_; }  // the text ended too early

  private:
    void skip_to_token();
    Result<std::size_t> word_length();

    std::string_view text_;
    std::size_t at_ = 0;
    u32 line_;
    std::string_view word_;
    bool unfinished_ = false;
};

// Reads statement by statement. The text must outlive what was read.
class ScriptReader {
  public:
    explicit ScriptReader(std::string_view text, u32 first_line = 1)
        : bytes_(text.size()), lexer_(text, first_line), line_(first_line) {}

    // None at the end. Cause::InvalidArgument: the detail says what is wrong at line().
    Result<std::optional<Statement>> next();
    // Of the last statement or mistake.
    u32 line() const { return line_; }
    // Whether the mistake was that the text ends inside of quotes or a block: more lines may mend it.
    bool unfinished() const { return unfinished_ || lexer_.unfinished(); }

  private:
    using Token = ScriptLexer::Token;

    Result<Token> take();
    Result<Statement> read_statement(u32 depth);
    Result<void> read_block(Statement& repeat, u32 depth);
    Failure mistake(std::string what);

    std::size_t bytes_;
    ScriptLexer lexer_;
    u32 line_;
    std::optional<Token> ahead_;  // taken too early
    std::size_t statements_ = 0;
    bool unfinished_ = false;
};

// A word of a statement as the command gets it. Cause::InvalidArgument.
Result<std::string> expand(std::string_view word, const Variables& variables);

// The one statement of a line, expanded. Cause::InvalidArgument also for more than one statement or a block.
Result<std::vector<std::string>> split_words(std::string_view line, const Variables& variables = {});
// The word as it is read back.
std::string quoted(std::string_view word);

// The end of a line that is being typed: the statement's words so far, and where the last one begins. At the
// line's end with an empty word when a blank, a ';' or a '{' comes last. Cause::InvalidArgument inside of
// quotes.
struct Typed {
    std::vector<std::string> words;
    std::size_t begin = 0;  // byte of the line
};
Result<Typed> typed_words(std::string_view line, const Variables& variables);

}  // namespace glassfs::commands
