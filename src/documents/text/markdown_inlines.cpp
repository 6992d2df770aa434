#include "documents/text/markdown_inlines.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "data/text/html.h"
#include "documents/lines.h"

namespace nmt {
namespace {

constexpr int kDeepestFormatting = 16;
constexpr std::size_t kLongestLabel = 999;
constexpr std::string_view kEmphasis = "*_~";

bool is_ascii_punctuation(char c) {
  return std::ispunct(static_cast<unsigned char>(c)) != 0;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80U;
}

Inline kept_word(std::string_view bytes) {
  // The text is what a translator sees; the bytes are written.
  Inline part = Inline::group(Content(bytes), {}, {});
  part.is_kept = true;
  part.seen = std::string(bytes);
  return part;
}

/// Returns the first of these places, which are in order, that is not before `least`; `none` if there is
/// none.
std::size_t first_from(const std::vector<std::uint32_t>& places, std::size_t least, std::size_t none) {
  const auto found = std::lower_bound(places.begin(), places.end(), least);
  return found == places.end() ? none : *found;
}

}  // namespace

std::string escaped_markdown(std::string_view text, bool is_cell) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_within = i > 0 && i + 1 < text.size() && is_of_word(text[i - 1]) && is_of_word(text[i + 1]);
    const bool is_alone = i + 1 < text.size() && is_space(text[i + 1]) && (i == 0 || is_space(text[i - 1]));
    const bool is_mark = c == '\\' || c == '`' || c == '[' || c == ']' || (c == '*' && !is_alone) ||
                         (c == '_' && !is_within && !is_alone) ||
                         (c == '~' && (text.substr(i, 2) == "~~" || (i > 0 && text[i - 1] == '~'))) ||
                         (c == '<' && begins_markup(text.substr(i))) || (c == '|' && is_cell);
    if (is_mark) result += '\\';
    result += c;
  }
  return result;
}

MarkdownInlines::MarkdownInlines(std::string_view text, const LinkLabels& labels, const std::string& prefix,
                                 const Encode& encode)
    : text_(text), labels_(labels), prefix_(prefix), encode_(encode), brackets_(text.size(), kNowhere) {
  find_ends();
}

std::size_t MarkdownInlines::size_of_run(std::size_t at) const {
  return std::min(text_.find_first_not_of(text_[at], at), text_.size()) - at;
}

void MarkdownInlines::find_ends() {
  for (std::size_t i = text_.find('`'); i < text_.size(); i = text_.find('`', i)) {
    const std::size_t size = size_of_run(i);
    backticks_[size].push_back(static_cast<std::uint32_t>(i));
    i += size;
  }
  std::vector<std::size_t> square, round;  // brackets that are open
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    std::vector<std::size_t>& open = c == '[' || c == ']' ? square : round;
    if (c == '\\') {
      ++i;
    } else if (c == '`') {
      i += std::max(size_of_code(i, text_.size()), size_of_run(i)) - 1;
    } else if (c == '[' || c == '(') {
      open.push_back(i);
    } else if ((c == ']' || c == ')') && !open.empty()) {
      brackets_[open.back()] = static_cast<std::uint32_t>(i);
      open.pop_back();
    } else if (kEmphasis.find(c) != kEmphasis.npos) {
      const std::size_t size = size_of_run(i), end = i + size;
      const bool closes = i > 0 && !is_space(text_[i - 1]) && size <= closers_[c].size() &&
                          (c != '_' || end == text_.size() || !is_of_word(text_[end]));
      if (closes) closers_[c][size - 1].push_back(static_cast<std::uint32_t>(i));
      i = end - 1;
    }
  }
}

std::vector<Inline> MarkdownInlines::parts(std::size_t begin, std::size_t end, int depth) {
  std::vector<Inline> parts;
  std::string text;
  const auto add = [&](Inline part) {
    if (!text.empty()) parts.push_back(Inline::of_text(std::move(text)));
    text.clear();
    parts.push_back(std::move(part));
  };
  for (std::size_t i = begin; i < end;) {
    const std::string_view rest = text_.substr(i, end - i);
    if (const std::size_t size = size_of_break(i, end); size > 0) {
      add(Inline::object(Content(std::string(rest.substr(0, size)) + prefix_), true));
      i += size;
    } else if (rest[0] == '\\' && rest.size() > 1 && is_ascii_punctuation(rest[1])) {
      text += rest[1];
      i += 2;
    } else if (rest[0] == '`') {
      const std::size_t code = size_of_code(i, end), run = std::min(size_of_run(i), rest.size());
      if (code > 0) add(kept_word(rest.substr(0, code)));
      if (code == 0) text += rest.substr(0, run);
      i += std::max(code, run);
    } else if (const std::size_t tag = size_of_tag(i, end); tag > 0) {
      const bool is_address = rest[1] != '/' && rest[1] != '!' &&
                              rest.substr(0, tag).find_first_of(":@") != rest.npos &&
                              rest.substr(0, tag).find_first_of(" =") == rest.npos;
      add(is_address ? kept_word(rest.substr(0, tag)) : Inline::object(Content(rest.substr(0, tag))));
      i += tag;
    } else if (!take_link(i, end, depth, add) && !take_emphasis(i, end, depth, add)) {
      const bool is_mark = kEmphasis.find(rest[0]) != kEmphasis.npos;
      const std::size_t run = is_mark ? std::min(size_of_run(i), rest.size()) : 1;
      text += rest[0] == '\n' ? " " : rest.substr(0, run);
      i += run;
    }
  }
  if (!text.empty()) parts.push_back(Inline::of_text(std::move(text)));
  return parts;
}

std::size_t MarkdownInlines::size_of_break(std::size_t at, std::size_t end) const {
  if (text_.substr(at, std::min<std::size_t>(2, end - at)) == "\\\n") return 2;
  if (text_[at] != ' ' || (at > 0 && text_[at - 1] == ' ')) return 0;  // of other spaces
  const std::size_t last = at + size_of_run(at);
  return last >= at + 2 && last < end && text_[last] == '\n' ? last + 1 - at : 0;
}

std::size_t MarkdownInlines::size_of_code(std::size_t at, std::size_t end) const {
  const std::size_t marks = size_of_run(at);
  const auto runs = backticks_.find(marks);
  if (runs == backticks_.end()) return 0;
  const std::size_t close = first_from(runs->second, at + marks, end);
  return close + marks <= end ? close + marks - at : 0;
}

std::size_t MarkdownInlines::size_of_tag(std::size_t at, std::size_t end) {
  const std::string_view rest = text_.substr(at, end - at);
  if (!begins_markup(rest)) return 0;
  if (rest.starts_with("<!--")) {
    if (at < comment_ || at > comment_end_) {
      comment_ = at;
      comment_end_ = std::min(text_.find("-->", at), text_.size());
    }
    return comment_end_ + 3 <= end ? comment_end_ + 3 - at : 0;
  }
  char quote = 0;
  const std::size_t close = find_unquoted(rest.substr(1), "<>", quote);
  return close == rest.npos || rest[close + 1] == '<' ? 0 : close + 2;
}

std::size_t MarkdownInlines::closing(std::size_t open, std::size_t end) const {
  return brackets_[open] < end ? brackets_[open] : text_.npos;
}

bool MarkdownInlines::take_link(std::size_t& i, std::size_t end, int depth, const Add& add) {
  const bool is_image = text_[i] == '!' && i + 1 < end && text_[i + 1] == '[';
  const std::size_t open = is_image ? i + 1 : i;
  if (text_[open] != '[' || depth >= kDeepestFormatting) return false;
  const std::size_t close = closing(open, end);
  if (close == text_.npos) return false;
  const std::string_view inner = text_.substr(open + 1, close - open - 1);
  if (inner.starts_with('^')) {
    add(Inline::object(Content(text_.substr(i, close + 1 - i))));
    i = close + 1;
    return true;
  }
  std::size_t last = close;  // of all
  std::string target;
  const std::string_view after = text_.substr(close + 1, std::min<std::size_t>(2, end - close - 1));
  if (after.starts_with('(') || (after.size() == 2 && after[0] == '[' && after != "[]")) {
    last = closing(close + 1, end);
    if (last == text_.npos) return false;
    target = text_.substr(close + 1, last - close);
  } else if (!labels_.empty() && inner.size() <= kLongestLabel && labels_.contains(folded_words(inner))) {
    if (after == "[]") last = close + 2;
    target = "[" + std::string(inner) + "]";
  } else {
    return false;
  }
  std::vector<Inline> parts = this->parts(open + 1, close, depth + 1);
  if (is_image) {
    Content image("![");
    image.add(translated(std::move(parts), Content(inner), encode_));
    image.keep("]" + target);
    while (!pictures_.empty() && pictures_.back().begin >= i) pictures_.pop_back();
    pictures_.push_back({i, last + 1, image});
    add(Inline::object(std::move(image)));
  } else {
    add(Inline::group(Content("["), std::move(parts), Content("]" + target)));
  }
  i = last + 1;
  return true;
}

bool MarkdownInlines::take_emphasis(std::size_t& i, std::size_t end, int depth, const Add& add) {
  const char mark = text_[i];
  if (kEmphasis.find(mark) == kEmphasis.npos || depth >= kDeepestFormatting) return false;
  const std::size_t size = std::min(size_of_run(i), end - i), begin = i + size;
  const bool is_usual = mark == '~' ? size == 2 : size <= 3;
  const auto closers = closers_.find(mark);
  if (!is_usual || begin >= end || is_space(text_[begin]) || closers == closers_.end()) return false;
  if (mark == '_' && i > 0 && is_of_word(text_[i - 1])) return false;
  const std::size_t close = first_from(closers->second[size - 1], begin + 1, end);
  if (close + size > end) return false;
  const std::string_view marks = text_.substr(i, size);
  Inline group = Inline::group(Content(marks), parts(begin, close, depth + 1), Content(marks));
  group.needs_text = true;
  add(std::move(group));
  i = close + size;
  return true;
}

}  // namespace nmt
