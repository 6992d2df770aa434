// JSON of one fixed structure, processed as it is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "common/damaged_file.h"

namespace nmt {

/// Handles the events of a parser, and stops parsing at everything that a derived class does not accept, so
/// that input cannot be nested or grow where the structure has no place for it.
class StrictJson : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool start_object(std::size_t /*size*/) override { unexpected("an object"); }
  bool key(std::string& /*text*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { unexpected("an array"); }
  bool end_array() override { return true; }
  bool string(std::string& /*text*/) override { unexpected("a text"); }
  bool number_unsigned(std::uint64_t /*number*/) override { unexpected("a number"); }
  bool number_integer(std::int64_t /*number*/) override { unexpected("a negative number"); }
  bool number_float(double /*number*/, const std::string& /*text*/) override { unexpected("a fraction"); }
  bool boolean(bool /*value*/) override { unexpected("true or false"); }
  bool null() override { unexpected("null"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    throw broken(position);
  }

 protected:
  StrictJson() = default;
  StrictJson(const StrictJson&) = default;
  StrictJson& operator=(const StrictJson&) = default;
  ~StrictJson() override = default;

  [[noreturn]] void unexpected(const char* what) const { throw unfit(what); }
  /// Returns the error for `what` ("a number"), which is not allowed here.
  virtual DamagedFile unfit(const char* what) const = 0;
  /// Returns the error for invalid JSON at byte `position`.
  virtual DamagedFile broken(std::size_t position) const = 0;
};

}  // namespace nmt
