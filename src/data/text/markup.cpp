#include "data/text/markup.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/text/entities.h"

namespace nmt {
namespace {

constexpr std::size_t kDeepestTags = 256;
constexpr std::size_t kLongestReference = 32;

const std::set<std::string_view> kVoid = {"area",  "base", "br",   "col",    "embed", "hr", "img",
                                          "input", "link", "meta", "source", "track", "wbr"};
// Those whose content is no text.
const std::set<std::string_view> kOpaque = {"script", "style"};
// Those that end a word.
const std::set<std::string_view> kBlocks = {
    "address", "article", "aside", "blockquote", "br",    "dd", "div", "dl",     "dt",      "figcaption",
    "figure",  "footer",  "form",  "h1",         "h2",    "h3", "h4",  "h5",     "h6",      "header",
    "hr",      "li",      "main",  "nav",        "ol",    "p",  "pre", "option", "section", "table",
    "tbody",   "td",      "tfoot", "th",         "thead", "tr", "ul"};
const std::set<std::string_view> kUnicodeSpaces = {
    "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

/// The bytes of the character that begins here.
std::size_t size_of_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return size;
}

bool is_space(std::string_view character) {
  return static_cast<unsigned char>(character[0]) <= ' ' || kUnicodeSpaces.contains(character);
}

/// The name in a tag behind "<" or "</", in lower case.
std::string name_in(std::string_view tag) {
  std::string name;
  for (const char c : tag.substr(tag.starts_with("</") ? 2 : 1)) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '>' || c == '/') break;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

}  // namespace

/// Takes a text apart.
class MarkedText::Parser {
 public:
  Parser(std::string_view text, MarkedText& target) : text_(text), target_(target) {}

  void parse() {
    while (!text_.empty()) {
      if (text_[0] == '<' && is_markup()) {
        take_markup();
      } else if (text_[0] == '&') {
        take_reference();
      } else {
        const std::size_t size = size_of_character(text_);
        append(text_.substr(0, size));
        text_.remove_prefix(size);
      }
    }
    if (!open_.empty()) throw UsageError("{} is not closed", quoted(open_tag().open));
    if (target_.plain_.ends_with(' ')) target_.plain_.pop_back();
    std::erase(target_.line_ends_, target_.plain_.size());
  }

 private:
  bool is_markup() const {
    if (text_.size() < 2) return false;
    const char next = text_[1];
    return std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '/' || next == '!' || next == '?';
  }
  int innermost() const { return open_.empty() ? kNone : open_.back(); }
  Element& open_tag() { return target_.elements_[static_cast<std::size_t>(open_.back())]; }
  bool is_between() const { return target_.plain_.empty() || target_.plain_.back() == ' '; }

  /// A character of the text.
  void append(std::string_view character) {
    if (is_space(character)) {
      end_word();
      return;
    }
    std::vector<int>& words = target_.elements_of_words_;
    if (is_between()) {
      words.push_back(innermost());
    } else if (words.back() != innermost() && depth_of(innermost()) > depth_of(words.back())) {
      words.back() = innermost();
    }
    target_.plain_ += character;
  }
  void end_word() {
    if (!is_between()) target_.plain_ += ' ';
  }
  void end_line() {
    end_word();
    if (!target_.plain_.empty()) target_.line_ends_.push_back(target_.plain_.size() - 1);
  }
  std::size_t depth_of(int element) const { return target_.path_to(element).size(); }

  void put(std::string_view text) {
    target_.points_.push_back({innermost(), std::string(text), target_.words(), !is_between()});
  }

  void take_reference() {
    const std::size_t end = text_.substr(0, kLongestReference).find(';');
    const std::string_view name = end == std::string_view::npos ? "" : text_.substr(1, end - 1);
    const bool is_reference = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '#' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    });
    if (!is_reference) {
      append("&");
      text_.remove_prefix(1);
      return;
    }
    if (const std::optional<std::string> character = referenced_character(name)) {
      append(*character);
    } else {
      // With a space behind it where it is a word of its own.
      const bool is_word = is_between() && text_.substr(end + 1).starts_with(' ');
      put(text_.substr(0, end + (is_word ? 2 : 1)));
    }
    text_.remove_prefix(end + 1);
  }

  /// Takes as much of the text as ends with `end`.
  std::string_view take_through(std::string_view end) {
    const std::size_t found = text_.find(end);
    if (found == std::string_view::npos)
      throw UsageError("{} does not end; close it by {}", quoted(std::string(text_)),
                       quoted(std::string(end)));
    const std::string_view taken = text_.substr(0, found + end.size());
    text_.remove_prefix(taken.size());
    return taken;
  }
  /// A tag, in which ">" may stand in quotes.
  std::string_view take_tag() {
    char quote = 0;
    for (std::size_t i = 1; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && text_[1] != '/') {
        quote = c;
      } else if (c == '>') {
        const std::string_view tag = text_.substr(0, i + 1);
        text_.remove_prefix(tag.size());
        return tag;
      }
    }
    throw UsageError("the tag {} does not end", quoted(std::string(text_)));
  }

  void take_markup() {
    if (text_.starts_with("<!--")) return put(take_through("-->"));
    if (text_.starts_with("<![CDATA[")) return put(take_through("]]>"));
    if (text_.starts_with("<?")) return put(take_through("?>"));
    const std::string_view begin = text_, tag = take_tag();
    const std::string name = name_in(tag);
    if (kBlocks.contains(name)) end_line();
    if (tag.starts_with("</")) return close(tag, name);
    if (tag.starts_with("<!") || tag.ends_with("/>") || kVoid.contains(name)) return put(tag);
    if (kOpaque.contains(name)) {
      const std::size_t content = take_through("</" + std::string(tag.substr(1, name.size()))).size();
      return put(begin.substr(0, tag.size() + content + take_through(">").size()));
    }
    open(tag);
  }
  void open(std::string_view tag) {
    if (open_.size() == kDeepestTags) throw UsageError("tags are nested more than {} times", kDeepestTags);
    target_.elements_.push_back({.open = std::string(tag), .parent = innermost(), .word = target_.words()});
    open_.push_back(static_cast<int>(target_.elements_.size()) - 1);
  }
  void close(std::string_view tag, const std::string& name) {
    if (open_.empty()) throw UsageError("{} closes nothing", quoted(std::string(tag)));
    if (name_in(open_tag().open) != name)
      throw UsageError("{} closes {}", quoted(std::string(tag)), quoted(open_tag().open));
    open_tag().close = tag;
    open_.pop_back();
  }

  std::string_view text_;
  MarkedText& target_;
  std::vector<int> open_;
};

/// Writes words and points, each within the elements that it is in.
class MarkedText::Writer {
 public:
  explicit Writer(const MarkedText& source) : source_(source) {}

  /// `gap`: white space before it.
  void put(int element, std::string_view gap, std::string_view text) {
    const std::vector<int> path = source_.path_to(element);
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(open_, path).in1 - open_.begin());
    close_to(common);
    text_ += gap;
    for (std::size_t i = common; i < path.size(); ++i)
      text_ += source_.elements_[static_cast<std::size_t>(path[i])].open;
    open_ = path;
    text_ += text;
  }
  std::string finish(std::string_view gap) {
    close_to(0);
    text_ += gap;
    return std::move(text_);
  }

 private:
  void close_to(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back())
      text_ += source_.elements_[static_cast<std::size_t>(open_.back())].close;
  }

  const MarkedText& source_;
  std::vector<int> open_;
  std::string text_;
};

MarkedText::MarkedText(std::string_view text) {
  Parser(text, *this).parse();
}

std::string MarkedText::lines() const {
  std::string text = plain_;
  for (const std::size_t end : line_ends_) text[end] = '\n';
  return text;
}

std::vector<int> MarkedText::path_to(int element) const {
  std::vector<int> path;
  for (; element != kNone; element = elements_[static_cast<std::size_t>(element)].parent)
    path.push_back(element);
  std::ranges::reverse(path);
  return path;
}

std::vector<MarkedText::Point> MarkedText::points_besides(const std::vector<int>& elements) const {
  std::vector<bool> is_there(elements_.size());
  const auto add = [&](int element) {
    for (const int each : path_to(element)) is_there[static_cast<std::size_t>(each)] = true;
  };
  std::ranges::for_each(elements, add);
  for (const Point& point : points_) add(point.element);
  std::vector<Point> points;
  for (std::size_t i = elements_.size(); i-- > 0;) {
    if (is_there[i]) continue;
    points.push_back({static_cast<int>(i), "", elements_[i].word, false});
    add(static_cast<int>(i));
  }
  std::ranges::reverse(points);
  points.insert(points.end(), points_.begin(), points_.end());
  std::ranges::stable_sort(points, {}, &Point::word);
  return points;
}

std::size_t MarkedText::place_of(const Point& point, const std::vector<std::int64_t>& source) {
  std::size_t place = source.size();
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] >= point.word && (place == source.size() || source[i] < source[place])) place = i;
  }
  return place;
}

std::string MarkedText::restore(std::string_view translation, const std::vector<std::int64_t>& source) const {
  std::vector<std::string_view> gaps, texts;  // white space before each word and at the end, words
  for (std::string_view rest = translation; gaps.size() == texts.size();) {
    gaps.push_back(rest.substr(0, rest.find_first_not_of(' ')));
    rest.remove_prefix(gaps.back().size());
    if (rest.empty()) break;
    texts.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(texts.back().size());
  }
  std::vector<std::int64_t> aligned = source;
  aligned.resize(texts.size(), kNone);
  std::vector<int> elements;
  for (const std::int64_t word : aligned)
    elements.push_back(word < 0 || word >= words() ? kNone
                                                   : elements_of_words_[static_cast<std::size_t>(word)]);
  // By the word of the translation that they stand before, or close behind.
  std::vector<std::vector<Point>> before(texts.size() + 1), behind(texts.size());
  for (Point& point : points_besides(elements)) {
    const auto last = std::find(aligned.rbegin(), aligned.rend(), point.word - 1);
    if (point.is_behind && last != aligned.rend()) {
      behind[static_cast<std::size_t>(aligned.rend() - last) - 1].push_back(std::move(point));
    } else {
      before[place_of(point, aligned)].push_back(std::move(point));
    }
  }
  Writer writer(*this);
  for (std::size_t word = 0; word <= texts.size(); ++word) {
    std::string_view gap = gaps[word];
    for (const Point& point : before[word]) writer.put(point.element, std::exchange(gap, ""), point.text);
    if (word == texts.size()) return writer.finish(gap);
    writer.put(elements[word], gap, with_references(texts[word]));
    for (const Point& point : behind[word]) writer.put(point.element, "", point.text);
  }
  return {};
}

}  // namespace nmt
