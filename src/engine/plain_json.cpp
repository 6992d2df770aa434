#include "engine/plain_json.h"

#include <set>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestNumber = 60;  // bytes of a number in messages

class Watcher {
 public:
  Watcher(std::string what, int deepest) : what_(std::move(what)), deepest_(deepest) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > deepest_) throw UsageError("{} is nested deeper than {} levels", what_, deepest_);
    if (event == json::parse_event_t::object_start) names_.emplace_back();
    if (event == json::parse_event_t::object_end) names_.pop_back();
    if (event == json::parse_event_t::key) take_name(parsed.get_ref<const std::string&>());
    return true;
  }

 private:
  void take_name(const std::string& name) {
    if (!names_.back().insert(name).second)
      throw UsageError("{} has {} twice; give it once", what_, quoted(name));
  }

  std::string what_;
  int deepest_;
  std::vector<std::set<std::string>> names_;  // of the objects that are open
};

}  // namespace

json::parser_callback_t plain_json(std::string what, int deepest) {
  return Watcher(std::move(what), deepest);
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
  const std::string_view what = error.what();  // it ends in "number overflow parsing '1e400'"
  const std::size_t begin = what.find('\'') + 1, end = what.rfind('\'');
  const std::string_view number = begin > 0 && begin < end ? what.substr(begin, end - begin) : "";
  return fmt::format("number {} is out of range: its magnitude is at most 1.8e308; write a smaller one",
                     beginning_of(number, kLongestNumber));
}

}  // namespace nmt
