// SPDX-License-Identifier: MIT
// Writing JSON: objects and arrays whose members keep the order in which they were added, spaced as Python's
// json.dumps spaces them ("key": value, "key": value).
#pragma once

#include "commands/show.h"

#include <concepts>
#include <string>
#include <string_view>

namespace glassfs::commands {

class JsonObject {
  public:
    JsonObject& add(std::string_view key, std::string_view value) { return raw(key, json_string(value)); }
    JsonObject& add(std::string_view key, const char* value) { return raw(key, json_string(value)); }
    JsonObject& add(std::string_view key, const std::string& value) { return raw(key, json_string(value)); }
    JsonObject& add(std::string_view key, std::integral auto value) {
        if constexpr (std::same_as<decltype(value), bool>)
            return raw(key, value ? "true" : "false");
        else
            return raw(key, std::to_string(value));
    }
    JsonObject& raw(std::string_view key, std::string_view json) {
        body_ += body_.empty() ? "" : ", ";
        body_ += json_string(key);
        body_ += ": ";
        body_ += json;
        return *this;
    }
    bool empty() const { return body_.empty(); }
    std::string str() const { return "{" + body_ + "}"; }
    std::string line() const { return "{" + body_ + "}\n"; }

  private:
    std::string body_;
};

class JsonArray {
  public:
    JsonArray& raw(std::string_view json) {
        body_ += body_.empty() ? "" : ", ";
        body_ += json;
        return *this;
    }
    JsonArray& add(std::string_view value) { return raw(json_string(value)); }
    std::string str() const { return "[" + body_ + "]"; }

  private:
    std::string body_;
};

// cause, message and place of an error.
JsonObject error_json(const Error& error);

}  // namespace glassfs::commands
