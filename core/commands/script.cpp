// SPDX-License-Identifier: MIT
// The reader cuts the text into words without changing them; expand() reads the same quotes again.
#include "commands/script.h"

#include "base/text.h"

#include <algorithm>

namespace glassfs::commands {

namespace {

constexpr auto npos = std::string_view::npos;

// Bytes of a "..." from its opening quote on, 0 when it isn't closed. The same for '...'.
std::size_t quoted_length(std::string_view text) {
    char quote = text[0];
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == quote) return i + 1;
        if (quote == '"' && text[i] == '\\') ++i;
    }
    return 0;
}

// Bytes of a $((...)) from its '$' on, 0 when it isn't closed.
std::size_t arithmetic_length(std::string_view text) {
    u64 open = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '(') ++open;
        if (text[i] == ')' && --open == 0) return i + 1;
    }
    return 0;
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

}  // namespace

// Over blanks, comments and joined lines.
void ScriptLexer::skip_to_token() {
    while (at_ < text_.size()) {
        std::string_view rest = text_.substr(at_);
        if (rest.starts_with("\\\n")) {
            at_ += 2;
            ++line_;
        } else if (rest[0] == '#') {
            at_ += std::min(rest.find('\n'), rest.size());
        } else if (is_blank(rest[0])) {
            ++at_;
        } else {
            return;
        }
    }
}

Result<std::size_t> ScriptLexer::word_length() {
    std::string_view rest = text_.substr(at_);
    std::size_t end = 0;
    while (end < rest.size()) {
        char c = rest[end];
        if (is_blank(c) || c == '\n' || c == ';') break;
        std::size_t length = 1;
        const char* open = "a quote is not closed";
        if (c == '\'' || c == '"') {
            length = quoted_length(rest.substr(end));
        } else if (rest.substr(end).starts_with("$((")) {
            length = arithmetic_length(rest.substr(end));
            open = "a $(( is not closed";
        } else if (c == '\\') {
            length = end + 1 < rest.size() ? 2 : 0;
            open = "nothing follows the last backslash";
        }
        if (length == 0) {
            unfinished_ = true;
            return fail(Cause::InvalidArgument, open);
        }
        end += length;
    }
    return end;
}

Result<ScriptLexer::Token> ScriptLexer::next() {
    skip_to_token();
    word_ = {};
    if (at_ == text_.size()) return Token::End;
    char c = text_[at_];
    if (c == '\n' || c == ';') {
        ++at_;
        if (c == ';') return Token::Semicolon;
        ++line_;
        return Token::Newline;
    }
    std::size_t length = TRY(word_length());
    word_ = text_.substr(at_, length);
    at_ += length;
    line_ += static_cast<u32>(std::ranges::count(word_, '\n'));
    if (word_ == "{") return Token::Open;
    return word_ == "}" ? Token::Close : Token::Word;
}

Failure ScriptReader::mistake(std::string what) {
    line_ = lexer_.line();
    return fail(Cause::InvalidArgument, std::move(what));
}

Result<ScriptReader::Token> ScriptReader::take() {
    if (ahead_) return *std::exchange(ahead_, std::nullopt);
    auto token = lexer_.next();
    if (!token) line_ = lexer_.line();
    return token;
}

Result<void> ScriptReader::read_block(Statement& repeat, u32 depth) {
    if (depth >= script_nesting_max) return mistake("repeat is nested too deeply");
    u32 begin = lexer_.line();
    for (;;) {
        Token token = TRY(take());
        if (token == Token::Newline || token == Token::Semicolon) continue;
        if (token == Token::Close) break;
        if (token == Token::End) {
            unfinished_ = true;
            line_ = begin;
            return fail(Cause::InvalidArgument, "a { is not closed");
        }
        ahead_ = token;
        repeat.body.push_back(TRY(read_statement(depth + 1)));
        if (++statements_ > statements_max) return mistake("too many statements in one block");
    }
    Token behind = TRY(take());
    if (behind == Token::Word || behind == Token::Open) {
        return mistake("a ; or a new line is missing behind }");
    }
    ahead_ = behind;
    return {};
}

// The token that ends the statement is left ahead.
Result<Statement> ScriptReader::read_statement(u32 depth) {
    Statement statement;
    for (;;) {
        Token token = TRY(take());
        if (token == Token::Word) {
            if (statement.words.empty()) {
                statement.line = lexer_.line() - static_cast<u32>(std::ranges::count(lexer_.word(), '\n'));
            }
            statement.words.push_back(lexer_.word());
            continue;
        }
        if (token != Token::Open) {
            ahead_ = token;
            return statement;
        }
        bool repeat = !statement.words.empty() && statement.words[0] == "repeat";
        if (!repeat) return mistake("a { that no repeat has");
        if (statement.words.size() < 2 || statement.words.size() > 3) {
            return mistake("repeat COUNT [NAME] { ... }");
        }
        std::string_view name = statement.words.size() == 3 ? statement.words[2] : "i";
        if (variable_name_length(name) != name.size()) {
            return mistake("not a name of a variable: " + escaped(name));
        }
        statement.is_repeat = true;
        TRY(read_block(statement, depth));
        return statement;
    }
}

Result<std::optional<Statement>> ScriptReader::next() {
    if (bytes_ > script_bytes_max) return mistake("a script of more than 64 MiB");
    for (;;) {
        Token token = TRY(take());
        if (token == Token::End) return std::optional<Statement>();
        if (token == Token::Newline || token == Token::Semicolon) continue;
        if (token == Token::Close) return mistake("a } without {");
        ahead_ = token;
        statements_ = 0;
        Statement statement = TRY(read_statement(0));
        // What ended it: of a Close, the next call will say.
        line_ = statement.line;
        return std::optional(std::move(statement));
    }
}

namespace {

class Expander {
  public:
    Expander(std::string_view word, const Variables& variables) : rest_(word), variables_(variables) {}

    Result<std::string> run() {
        while (!rest_.empty()) {
            char c = rest_[0];
            if (c == '\'') {
                std::size_t end = rest_.find('\'', 1);
                if (end == npos) return fail(Cause::InvalidArgument, "a quote is not closed");
                TRY(append(rest_.substr(1, end - 1)));
                rest_.remove_prefix(end + 1);
            } else if (c == '"') {
                in_quotes_ = !in_quotes_;
                rest_.remove_prefix(1);
                if (in_quotes_) TRY(inside_quotes());
            } else {
                TRY(step());
            }
        }
        if (in_quotes_) return fail(Cause::InvalidArgument, "a quote is not closed");
        return std::move(out_);
    }

  private:
    Result<void> append(std::string_view piece) {
        if (piece.size() > word_bytes_max - out_.size()) {
            return fail(Cause::InvalidArgument, "a word of more than 1 MiB");
        }
        out_ += piece;
        return {};
    }

    Result<void> inside_quotes() {
        while (!rest_.empty() && rest_[0] != '"') TRY(step());
        return {};
    }

    Result<void> step() {
        if (rest_[0] == '$') return dollar();
        if (rest_[0] == '\\' && rest_.size() > 1) {
            bool joins_lines = rest_[1] == '\n';
            std::string_view byte = rest_.substr(1, joins_lines ? 0 : 1);
            rest_.remove_prefix(2);
            return append(byte);
        }
        std::string_view byte = rest_.substr(0, 1);
        rest_.remove_prefix(1);
        return append(byte);
    }

    Result<void> dollar() {
        if (rest_.starts_with("$((")) {
            std::size_t length = arithmetic_length(rest_);
            if (length < 5 || rest_[length - 2] != ')') {
                return fail(Cause::InvalidArgument, "a $(( is not closed by ))");
            }
            std::string_view expression = rest_.substr(3, length - 5);
            rest_.remove_prefix(length);
            return append(std::to_string(TRY(evaluate(expression, variables_))));
        }
        bool braced = rest_.starts_with("${");
        std::size_t begin = braced ? 2 : 1;
        std::size_t end = begin + variable_name_length(rest_.substr(begin));
        std::string_view name = rest_.substr(begin, end - begin);
        if (braced && (name.empty() || !rest_.substr(end).starts_with('}'))) {
            return fail(Cause::InvalidArgument, "${NAME} is not closed");
        }
        rest_.remove_prefix(braced ? end + 1 : end);
        if (name.empty()) return append("$");
        return append(TRY(variable(variables_, name)));
    }

    std::string_view rest_;
    const Variables& variables_;
    std::string out_;
    bool in_quotes_ = false;
};

}  // namespace

Result<std::string> expand(std::string_view word, const Variables& variables) {
    if (word.find_first_of("'\"\\$") == npos) return std::string(word);
    return Expander(word, variables).run();
}

Result<std::vector<std::string>> split_words(std::string_view line, const Variables& variables) {
    ScriptReader reader(line);
    std::vector<std::string> words;
    auto statement = TRY(reader.next());
    if (!statement) return words;
    bool more = TRY(reader.next()).has_value();
    if (more || statement->is_repeat) return fail(Cause::InvalidArgument, "more than one statement");
    for (std::string_view word : statement->words) words.push_back(TRY(expand(word, variables)));
    return words;
}

std::string quoted(std::string_view word) {
    constexpr std::string_view special = " \t\r\n'\"\\$;#";
    if (word.empty() || word == "{" || word == "}") return "'" + std::string(word) + "'";
    std::string out;
    for (char c : word) {
        if (c == '\n') {  // a backslash would join the lines
            out += "'\n'";
            continue;
        }
        if (special.find(c) != npos) out += '\\';
        out += c;
    }
    return out;
}

Result<Typed> typed_words(std::string_view line, const Variables& variables) {
    using Token = ScriptLexer::Token;
    Typed typed;
    ScriptLexer lexer(line, 1);
    bool in_word = false;
    for (;;) {
        Token token = TRY(lexer.next());
        if (token == Token::End) break;
        if (token == Token::Word) {
            typed.words.push_back(TRY(expand(lexer.word(), variables)));
            typed.begin = lexer.end() - lexer.word().size();
        } else {
            typed.words.clear();
        }
        in_word = token == Token::Word && lexer.end() == line.size();
    }
    if (!in_word) {
        typed.words.emplace_back();
        typed.begin = line.size();
    }
    return typed;
}

}  // namespace glassfs::commands
