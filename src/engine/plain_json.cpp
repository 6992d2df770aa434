#include "engine/plain_json.h"

#include <set>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/parsed_json.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestNumber = 60;  // bytes of a number in messages

/// Sees the parts of a text in order. A callback of json::parse() would, too, but makes it scan all earlier
/// elements of a list after each object.
class Watcher final : public nlohmann::json_sax<json> {
 public:
  Watcher(std::string what, int deepest) : what_(std::move(what)), deepest_(deepest) {}

  bool null() override { return check_depth(); }
  bool boolean(bool /*value*/) override { return check_depth(); }
  bool number_integer(number_integer_t /*value*/) override { return check_depth(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return check_depth(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return check_depth(); }
  bool string(string_t& /*value*/) override { return check_depth(); }
  bool binary(binary_t& /*value*/) override { return check_depth(); }

  bool start_object(std::size_t /*size*/) override {
    check_depth();
    ++depth_;
    names_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    check_depth();
    if (!names_.back().insert(name).second)
      throw UsageError("{} has {} twice; give it once", what_, quoted(name));
    return true;
  }
  bool end_object() override {
    --depth_;
    names_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    check_depth();
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  /// Ends the pass; json::parse() throws the error.
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool check_depth() const {
    if (depth_ > deepest_) throw UsageError("{} is nested deeper than {} levels", what_, deepest_);
    return true;
  }

  std::string what_;
  int deepest_, depth_ = 0;
  std::vector<std::set<std::string>> names_;  // of the objects that are open
};

}  // namespace

json plain_json(std::string_view text, std::string what, int deepest) {
  Watcher watcher(std::move(what), deepest);
  json::sax_parse(text, &watcher);
  return json::parse(text);
}

std::string json_fault(std::string_view text, const json::parse_error& error) {
  std::string fault = fmt::format("at byte {}", error.byte);
  if (error.byte > text.size()) return fault + ", where it ends before it is complete";
  const bool is_surrogate = std::string_view(error.what()).find("surrogate") != std::string_view::npos;
  return is_surrogate
             ? fault + ", where one half of a surrogate pair, such as \\ud83d\\ude00, lacks the other"
             : fault;
}

std::string json_fault(const json::out_of_range& error) {
  return fmt::format("number {} is out of range: its magnitude is at most 1.8e308; write a smaller one",
                     beginning_of(number_out_of_range(error), kLongestNumber));
}

}  // namespace nmt
