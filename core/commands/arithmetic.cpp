// SPDX-License-Identifier: MIT
// A parser by precedence climbing that computes as it goes.
#include "commands/arithmetic.h"

#include "base/text.h"
#include "commands/context.h"

#include <limits>
#include <optional>

namespace glassfs::commands {

namespace {

constexpr u32 nesting_max = 64;  // parentheses and signs

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct Operator {
    std::string_view sign;
    u32 precedence;  // higher binds tighter
};
constexpr Operator operators[] = {{"<<", 4}, {">>", 4}, {"|", 1}, {"^", 2}, {"&", 3},
                                  {"+", 5},  {"-", 5},  {"*", 6}, {"/", 6}, {"%", 6}};

Failure overflow() {
    return fail(Cause::ValueOverflow, "beyond 64 bits");
}

Result<s64> divided(char sign, s64 left, s64 right) {
    if (right == 0) return fail(Cause::InvalidArgument, "division by zero");
    if (right == -1) {
        if (sign == '%') return s64{0};
        if (left == std::numeric_limits<s64>::min()) return overflow();
        return -left;
    }
    return sign == '/' ? left / right : left % right;
}

Result<s64> shifted(char sign, s64 left, s64 right) {
    if (right < 0 || right > 63)
        return fail(Cause::InvalidArgument, "a shift by less than 0 or more than 63");
    if (sign == '>') return left >> right;
    s64 result = static_cast<s64>(static_cast<u64>(left) << right);
    if (result >> right != left) return overflow();
    return result;
}

Result<s64> apply(std::string_view sign, s64 left, s64 right) {
    s64 result = 0;
    bool beyond = false;
    switch (sign[0]) {
        case '+':
            beyond = __builtin_add_overflow(left, right, &result);
            break;
        case '-':
            beyond = __builtin_sub_overflow(left, right, &result);
            break;
        case '*':
            beyond = __builtin_mul_overflow(left, right, &result);
            break;
        case '&':
            return left & right;
        case '|':
            return left | right;
        case '^':
            return left ^ right;
        case '<':
        case '>':
            return shifted(sign[0], left, right);
        default:
            return divided(sign[0], left, right);
    }
    if (beyond) return overflow();
    return result;
}

Result<s64> as_number(std::string_view digits) {
    bool negative = digits.starts_with('-');
    u64 number = TRY(parse_number(digits.substr(negative ? 1 : 0)));
    constexpr u64 most = static_cast<u64>(std::numeric_limits<s64>::max());
    if (negative && number == most + 1) return std::numeric_limits<s64>::min();
    if (number > most) return overflow();
    return negative ? -static_cast<s64>(number) : static_cast<s64>(number);
}

class Evaluator {
  public:
    Evaluator(std::string_view text, const Variables& variables) : rest_(text), variables_(variables) {}

    Result<s64> run() {
        s64 value = TRY(binary(0, 0));
        skip_blanks();
        if (!rest_.empty()) return fail(Cause::InvalidArgument, "unexpected " + escaped(rest_.substr(0, 10)));
        return value;
    }

  private:
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

    std::optional<Operator> operator_ahead() {
        skip_blanks();
        for (const Operator& one : operators) {
            if (rest_.starts_with(one.sign)) return one;
        }
        return {};
    }

    // Operators that bind tighter than `precedence`.
    Result<s64> binary(u32 precedence, u32 depth) {
        s64 left = TRY(unary(depth));
        while (auto sign = operator_ahead()) {
            if (sign->precedence <= precedence) break;
            rest_.remove_prefix(sign->sign.size());
            s64 right = TRY(binary(sign->precedence, depth));
            left = TRY(apply(sign->sign, left, right));
        }
        return left;
    }

    Result<s64> unary(u32 depth) {
        if (depth >= nesting_max) return fail(Cause::InvalidArgument, "nested too deeply");
        skip_blanks();
        if (rest_.empty()) return fail(Cause::InvalidArgument, "a number is missing");
        char sign = rest_[0];
        if (sign == '-' || sign == '+' || sign == '~') {
            rest_.remove_prefix(1);
            s64 value = TRY(unary(depth + 1));
            if (sign == '~') return ~value;
            return sign == '-' ? apply("-", 0, value) : value;
        }
        if (sign == '(') {
            rest_.remove_prefix(1);
            s64 value = TRY(binary(0, depth + 1));
            skip_blanks();
            if (!rest_.starts_with(')')) return fail(Cause::InvalidArgument, "a ) is missing");
            rest_.remove_prefix(1);
            return value;
        }
        return operand();
    }

    std::string_view take_word() {
        std::size_t end = 0;
        while (end < rest_.size() && (is_letter(rest_[end]) || is_digit(rest_[end]))) ++end;
        std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return word;
    }

    Result<s64> operand() {
        bool braced = rest_.starts_with("${");
        bool marked = rest_.starts_with('$');
        rest_.remove_prefix(braced ? 2 : marked ? 1 : 0);
        std::string_view word = take_word();
        if (braced && !rest_.starts_with('}')) return fail(Cause::InvalidArgument, "a } is missing");
        if (braced) rest_.remove_prefix(1);
        if (word.empty()) {
            return fail(Cause::InvalidArgument, "unexpected " + escaped(rest_.substr(0, 10)));
        }
        if (!marked && is_digit(word[0])) return as_number(word);
        return as_number(TRY(variable(variables_, word)));
    }

    std::string_view rest_;
    const Variables& variables_;
};

}  // namespace

std::size_t variable_name_length(std::string_view text) {
    if (text.empty() || !is_letter(text[0])) return 0;
    std::size_t end = 1;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    return end;
}

Result<std::string> variable(const Variables& variables, std::string_view name) {
    auto found = variables.find(name);
    if (found != variables.end()) return found->second;
    return fail(Cause::InvalidArgument, "no such variable: " + escaped(name));
}

Result<s64> evaluate(std::string_view expression, const Variables& variables) {
    return Evaluator(expression, variables).run();
}

}  // namespace glassfs::commands
