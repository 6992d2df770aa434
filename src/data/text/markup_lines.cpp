#include "data/text/markup_lines.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "data/text/html.h"
#include "data/text/markup_limits.h"

namespace nmt {
namespace {

constexpr std::size_t kLongestTag = std::size_t{64} << 10;
constexpr std::size_t kShown = 40;

/// The bytes before the next markup, or, in an element without tags, before its end tag.
std::size_t bytes_before_markup(std::string_view text, const std::string& raw_element) {
  if (!raw_element.empty()) return std::min(find_end_tag(text, raw_element), text.size());
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if (begins_markup(text.substr(at))) return at;
  }
  return text.size();
}

}  // namespace

MarkupLines::Ends MarkupLines::next(std::string_view line) {
  ++line_;
  Ends ends;
  bool goes_on = is_open();
  if (!tag_.empty()) tag_ += '\n';
  std::size_t begin = 0;  // of what is open
  for (std::size_t at = 0; at < line.size();) {
    if (!is_open()) {
      begin = at += bytes_before_markup(line.substr(at), "");
      if (at == line.size()) break;
    }
    at += take(line.substr(at));
    if (goes_on && !is_open()) {
      ends.before = at;
      goes_on = false;
    }
  }
  if (!is_open()) return ends;
  if (goes_on) return {.before = line.size()};
  begun_ = line_;
  beginning_ = beginning_of(line.substr(begin), kShown);
  ends.after = line.size() - begin;
  return ends;
}

std::optional<MarkupLines::Unfinished> MarkupLines::unfinished() const {
  if (!is_open()) return std::nullopt;
  const bool is_element = ending_.empty() && tag_.empty();
  const std::string ending = is_element ? "</" + kept_.front() + ">" : !tag_.empty() ? ">" : ending_;
  return Unfinished{.line = begun_, .beginning = beginning_, .ending = ending, .is_element = is_element};
}

std::size_t MarkupLines::take(std::string_view text) {
  if (!ending_.empty()) return take_through_ending(text);
  if (!tag_.empty()) return take_tag(text);
  const bool is_raw = !kept_.empty() && is_raw_element(kept_.back());
  const std::size_t before = bytes_before_markup(text, is_raw ? kept_.back() : "");
  return before > 0 ? before : begin_markup(text);
}

std::size_t MarkupLines::take_through_ending(std::string_view text) {
  const std::size_t found = text.find(ending_);
  if (found == text.npos) return text.size();
  return found + std::exchange(ending_, "").size();
}

std::size_t MarkupLines::begin_markup(std::string_view text) {
  ending_ = ending_of_section(text);
  if (ending_.empty()) {
    tag_ = "<";
    quote_ = 0;
    tag_line_ = line_;
  }
  return 1;
}

std::size_t MarkupLines::take_tag(std::string_view text) {
  const bool is_end_tag = tag_.size() == 1 ? text.starts_with('/') : tag_.starts_with("</");
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const std::size_t found = is_end_tag ? rest.find_first_of("<>") : find_unquoted(rest, "<>", quote_);
    if (found == rest.npos) break;
    at += found;
    if (text[at] == '>') {
      tag_ += text.substr(0, at + 1);
      note(std::exchange(tag_, ""));
      return at + 1;
    }
    if (tag_line_ < line_ && begins_markup(text.substr(at))) refuse_tag();
  }
  if (tag_.size() + text.size() > kLongestTag) refuse_tag();
  tag_ += text;
  return text.size();
}

void MarkupLines::refuse_tag() {
  const std::string tag = std::exchange(tag_, "");
  kept_.clear();
  throw UsageError("the tag {}, which begins in line {}, does not end",
                   quoted(std::string(beginning_of(tag, kShown))), tag_line_);
}

void MarkupLines::note(const std::string& tag) {
  const std::string name = name_in_tag(tag);
  if (tag.starts_with("</")) {
    const auto ended = std::ranges::find(kept_.rbegin(), kept_.rend(), name);
    if (ended != kept_.rend()) kept_.erase(std::prev(ended.base()), kept_.end());
    return;
  }
  if (tag.starts_with("<!") || tag.ends_with("/>") || is_void_element(name)) return;
  const bool is_kept = is_raw_element(name) || (translates(tag) == false && may_span_lines(name));
  if (kept_.empty() && !is_kept) return;
  while (kept_.size() > 1 && ends_element(name, kept_.back())) kept_.pop_back();
  if (kept_.size() == kDeepestTags) {
    kept_.clear();
    throw UsageError("tags are nested more than {} times", kDeepestTags);
  }
  kept_.push_back(name);
}

}  // namespace nmt
