#include "data/text/markup.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/text/entities.h"
#include "data/text/html_tags.h"
#include "data/text/white_space.h"

namespace nmt {
namespace {

constexpr std::size_t kDeepestTags = 256;
constexpr std::size_t kLongestReference = 32;

/// The bytes of the character that begins here.
std::size_t size_of_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return size;
}

/// Whether it is a letter or a digit, as far as bytes tell.
bool is_word_character(std::string_view character) {
  return character.size() > 1 || std::isalnum(static_cast<unsigned char>(character[0])) != 0;
}

bool begins_markup(std::string_view text) {
  if (text.size() < 2 || text[0] != '<') return false;
  return std::isalpha(static_cast<unsigned char>(text[1])) != 0 || text[1] == '/' || text[1] == '!' ||
         text[1] == '?';
}

/// The name of a character reference that a text begins with; empty where it begins with none.
std::string_view reference_at(std::string_view text) {
  const std::size_t end = text.substr(0, kLongestReference).find(';');
  if (!text.starts_with('&') || end == std::string_view::npos) return {};
  const std::string_view name = text.substr(1, end - 1);
  const bool is_name = std::ranges::all_of(
      name, [](char c) { return c == '#' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return is_name ? name : std::string_view();
}

}  // namespace

/// Takes a text apart.
class MarkedText::Parser {
 public:
  Parser(std::string_view text, const KeepRules* rules, MarkedText& target)
      : whole_(text), text_(text), rules_(rules), target_(target) {}

  void parse() {
    target_.leading_ = take_space();
    while (!text_.empty()) {
      if (begins_markup(text_)) {
        take_markup();
      } else if (is_translated()) {
        take_text();
      } else {
        keep_text();
      }
    }
    while (!open_.empty() && may_omit_end_tag(open_.back().name)) end_element(whole_.size());
    if (!open_.empty()) throw UsageError("{} is not closed", quoted(element().open));
    target_.trailing_ = space_;
    if (folds(root_)) fold_all();
    if (target_.plain_.ends_with(' ')) target_.plain_.pop_back();
    std::erase(target_.line_ends_, target_.plain_.size());
  }

 private:
  /// What there is between a begin tag and its end tag.
  struct Content {
    bool has_letters = false, has_characters = false;  // that are translated
    bool has_parts = false;                            // that are kept
  };
  /// How much there was of the target at some time.
  struct Mark {
    std::size_t plain, words, line_ends, elements, points, parts;
    int last_word;  // the element of it
    bool follows_point, follows_part;
    std::string space;
  };
  struct Open {
    std::string name;
    std::size_t begin;  // of its tag, in the text
    int element;
    bool is_translated;
    Mark mark;
    Content content = {};
  };

  std::size_t place() const { return whole_.size() - text_.size(); }
  int innermost() const { return open_.empty() ? kNone : open_.back().element; }
  Element& element() { return target_.elements_[static_cast<std::size_t>(open_.back().element)]; }
  Content& content() { return open_.empty() ? root_ : open_.back().content; }
  bool is_translated() const { return open_.empty() || open_.back().is_translated; }
  bool is_between() const { return target_.plain_.empty() || target_.plain_.back() == ' '; }
  std::size_t depth_of(int element) const { return target_.path_to(element).size(); }

  // White space is collected in space_ until what comes after it is known.

  std::string take_space() {
    const std::string_view space = text_.substr(0, leading_space(text_));
    text_.remove_prefix(space.size());
    return std::string(space);
  }
  void end_word() {
    if (!is_between()) target_.plain_ += ' ';
  }
  void end_line() {
    end_word();
    if (!target_.plain_.empty()) target_.line_ends_.push_back(target_.plain_.size() - 1);
  }
  /// Gets ready for something that is neither white space nor a point.
  void begin_character() {
    if (!space_.empty()) end_word();
    if (std::exchange(follows_point_, false)) target_.points_.back().space_after = space_;
    space_.clear();
    std::vector<int>& words = target_.elements_of_words_;
    if (is_between()) {
      words.push_back(innermost());
    } else if (words.back() != innermost() && depth_of(innermost()) > depth_of(words.back())) {
      words.back() = innermost();
    }
  }

  // Text between tags.

  /// Appends decoded text.
  void append(std::string_view text) {
    while (!text.empty()) {
      if (const std::size_t space = leading_space(text); space > 0) {
        space_ += text.substr(0, space);
        text.remove_prefix(space);
        continue;
      }
      const std::string_view character = text.substr(0, size_of_character(text));
      text.remove_prefix(character.size());
      if (std::exchange(follows_part_, false) && space_.empty() && target_.parts_.separate(character))
        end_word();
      begin_character();
      target_.plain_ += character;
      content().has_characters = true;
      if (is_word_character(character)) content().has_letters = true;
    }
  }
  void append_part(std::string part) {
    const bool is_attached = space_.empty() && !is_between();
    const std::string stand_in = target_.parts_.add(std::move(part), is_attached ? target_.plain_ : "");
    if (stand_in.starts_with(' ')) end_word();
    begin_character();
    target_.plain_ += stand_in.substr(stand_in.starts_with(' ') ? 1 : 0);
    content().has_parts = follows_part_ = true;
  }
  void append_with_rules(std::string_view text) {
    std::size_t taken = 0;
    if (rules_ != nullptr) {
      for (const auto& [begin, end] : (*rules_)(text)) {
        append(text.substr(taken, begin - taken));
        append_part(with_references(text.substr(begin, end - begin)));
        taken = end;
      }
    }
    append(text.substr(taken));
  }
  /// Takes text up to the next tag.
  void take_text() {
    std::string decoded;
    while (!text_.empty() && !begins_markup(text_)) {
      const std::string_view name = reference_at(text_);
      const std::optional<std::string> character = name.empty() ? std::nullopt : referenced_character(name);
      if (character) {
        decoded += *character;
        text_.remove_prefix(name.size() + 2);
      } else if (!name.empty()) {
        append_with_rules(std::exchange(decoded, ""));
        put(text_.substr(0, name.size() + 2));
        text_.remove_prefix(name.size() + 2);
      } else {
        const std::size_t size = size_of_character(text_);
        decoded += text_.substr(0, size);
        text_.remove_prefix(size);
      }
    }
    append_with_rules(decoded);
  }
  /// Takes text up to the next tag as a part.
  void keep_text() {
    std::size_t size = 1;
    while (size < text_.size() && !begins_markup(text_.substr(size))) ++size;
    std::string_view kept = text_.substr(0, size);
    const std::string_view part = without_outer_space(kept);
    text_.remove_prefix(size);
    if (part.empty()) {
      space_ += kept;
      return;
    }
    const auto begin = static_cast<std::size_t>(part.data() - kept.data());
    space_ += kept.substr(0, begin);
    append_part(std::string(part));
    space_ += kept.substr(begin + part.size());
  }

  // Markup.

  /// Puts something that has no words within a line.
  void put(std::string_view text) {
    const bool is_behind = space_.empty() && !is_between();
    if (!space_.empty()) end_word();
    follows_point_ = true;
    target_.points_.push_back({.element = innermost(),
                               .text = std::string(text),
                               .word = target_.words(),
                               .is_behind = is_behind,
                               .space_before = std::exchange(space_, "")});
  }
  /// Puts something that has no words between lines. `is_apart`: it is not what was taken last.
  void put_block(std::string_view text, bool is_apart = false) {
    end_line();
    follows_point_ = follows_part_ = false;
    std::string whole = std::exchange(space_, "").append(text);
    if (!is_apart) whole += take_space();
    target_.points_.push_back(
        {.element = innermost(), .text = std::move(whole), .word = target_.words(), .is_block = true});
  }
  void put(std::string_view text, const std::string& name) {
    if (is_block_element(name)) {
      put_block(text);
    } else {
      put(text);
    }
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
  /// The end tag of a raw element, in any case.
  std::string_view take_through_end_tag(const std::string& name) {
    const std::string_view whole = text_;
    std::size_t begin = text_.find("</");
    while (begin != text_.npos && name_in_tag(text_.substr(begin, name.size() + 3)) != name)
      begin = text_.find("</", begin + 2);
    if (begin == text_.npos)
      throw UsageError("{} does not end; close it by {}", quoted('<' + name + '>'),
                       quoted("</" + name + '>'));
    text_.remove_prefix(begin);
    take_through(">");
    return whole.substr(0, whole.size() - text_.size());
  }

  void take_markup() {
    if (text_.starts_with("<!--")) return put(take_through("-->"));
    if (text_.starts_with("<![CDATA[")) return put(take_through("]]>"));
    if (text_.starts_with("<?")) return put(take_through("?>"));
    const std::string_view begin = text_, tag = take_tag();
    const std::string name = name_in_tag(tag);
    if (tag.starts_with("</")) return close(tag, name);
    while (!open_.empty() && ends_element(name, open_.back().name)) end_element(place() - tag.size());
    if (tag.starts_with("<!") || tag.ends_with("/>") || is_void_element(name)) return put(tag, name);
    if (is_raw_element(name))
      return put(begin.substr(0, tag.size() + take_through_end_tag(name).size()), name);
    open(tag, name);
  }

  Mark mark() const {
    const std::vector<int>& words = target_.elements_of_words_;
    return {.plain = target_.plain_.size(),
            .words = words.size(),
            .line_ends = target_.line_ends_.size(),
            .elements = target_.elements_.size(),
            .points = target_.points_.size(),
            .parts = target_.parts_.size(),
            .last_word = words.empty() ? kNone : words.back(),
            .follows_point = follows_point_,
            .follows_part = follows_part_,
            .space = space_};
  }
  void open(std::string_view tag, const std::string& name) {
    if (open_.size() == kDeepestTags) throw UsageError("tags are nested more than {} times", kDeepestTags);
    const std::size_t begin = place() - tag.size();
    const Mark before = mark();
    Element added{.open = std::string(tag), .parent = innermost(), .is_block = is_block_element(name)};
    if (added.is_block) {
      end_line();
      follows_point_ = follows_part_ = false;
      added.open = std::exchange(space_, "") + added.open + take_space();
    }
    added.word = target_.words();
    const bool is_translated_here = translates(tag).value_or(is_translated());
    target_.elements_.push_back(std::move(added));
    open_.push_back({.name = name,
                     .begin = begin,
                     .element = static_cast<int>(target_.elements_.size()) - 1,
                     .is_translated = is_translated_here,
                     .mark = before});
  }
  void close(std::string_view tag, const std::string& name) {
    std::size_t depth = open_.size();
    while (depth > 0 && open_[depth - 1].name != name && may_omit_end_tag(open_[depth - 1].name)) --depth;
    if (depth > 0 && open_[depth - 1].name == name) {
      while (open_.size() > depth) end_element(place() - tag.size());
      return end_element(place(), tag);
    }
    if (may_omit_end_tag(name) || is_void_element(name)) return put(tag, name);
    if (open_.empty()) throw UsageError("{} closes nothing", quoted(std::string(tag)));
    throw UsageError("{} closes {}", quoted(std::string(tag)), quoted(element().open));
  }
  /// Ends the innermost element, whose end tag may be omitted, at a place of the text.
  void end_element(std::size_t end, std::string_view tag = "") {
    Element& ended = element();
    if (ended.is_block) {
      end_line();
      follows_point_ = follows_part_ = false;
    }
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (is_translated() && folds(closed.content)) return fold(closed, end, tag.empty());
    ended.close = tag;
    if (ended.is_block && !tag.empty()) ended.close = std::exchange(space_, "").append(tag) + take_space();
    Content& around = content();
    around.has_letters |= closed.content.has_letters;
    around.has_characters |= closed.content.has_characters;
    around.has_parts |= closed.content.has_parts;
  }

  // What has no text that is translated is kept as it is.

  static bool folds(const Content& content) {
    return !content.has_letters && (content.has_parts || !content.has_characters);
  }
  /// Puts an element in one piece. `is_implied`: it has no end tag, and the next tag has been taken.
  void fold(const Open& closed, std::size_t end, bool is_implied) {
    const bool is_block = is_block_element(closed.name);
    const bool ends_word = target_.plain_.size() > closed.mark.plain && is_between();
    rewind(closed.mark);
    const std::string_view text = whole_.substr(closed.begin, end - closed.begin);
    if (is_block) {
      put_block(text, is_implied);
    } else if (closed.content.has_parts) {
      append_part(std::string(text));
    } else {
      put(text);
      if (ends_word) end_word();
    }
  }
  void rewind(const Mark& mark) {
    target_.plain_.resize(mark.plain);
    target_.elements_of_words_.resize(mark.words);
    if (mark.words > 0) target_.elements_of_words_.back() = mark.last_word;
    target_.line_ends_.resize(mark.line_ends);
    target_.elements_.resize(mark.elements);
    target_.points_.resize(mark.points);
    target_.parts_.resize(mark.parts);
    follows_point_ = mark.follows_point;
    follows_part_ = mark.follows_part;
    space_ = mark.space;
  }
  void fold_all() {
    if (!root_.has_parts) return;
    rewind({});
    const std::string_view text = whole_.substr(target_.leading_.size());
    put_block(text.substr(0, text.size() - target_.trailing_.size()));
  }

  std::string_view whole_, text_;
  const KeepRules* rules_;
  MarkedText& target_;
  std::vector<Open> open_;
  Content root_;
  std::string space_;           // after what came last
  bool follows_point_ = false;  // nothing but white space and tags came since a point
  bool follows_part_ = false;   // a stand-in came last
};

/// Writes words and points, each within the elements that it is in.
class MarkedText::Writer {
 public:
  explicit Writer(const MarkedText& source) : source_(source), text_(source.leading_) {}

  /// `gap`: white space before it. `follows`: it comes after what was put last in the source, too, so that
  /// the tags of blocks between them have the white space.
  void put(int element, std::string_view gap, std::string_view text, bool follows = true) {
    const std::vector<int> path = source_.path_to(element);
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(open_, path).in1 - open_.begin());
    const auto is_block = [this](int each) { return element_of(each).is_block; };
    const bool crosses_block =
        std::any_of(open_.begin() + static_cast<std::ptrdiff_t>(common), open_.end(), is_block) ||
        std::any_of(path.begin() + static_cast<std::ptrdiff_t>(common), path.end(), is_block);
    close_to(common);
    if (!follows || !crosses_block) text_ += gap;
    for (std::size_t i = common; i < path.size(); ++i) text_ += element_of(path[i]).open;
    open_ = path;
    text_ += text;
  }
  std::string finish(std::string_view gap) {
    close_to(0);
    text_ += gap;
    text_ += source_.trailing_;
    return std::move(text_);
  }

 private:
  const Element& element_of(int element) const {
    return source_.elements_[static_cast<std::size_t>(element)];
  }
  void close_to(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) text_ += element_of(open_.back()).close;
  }

  const MarkedText& source_;
  std::vector<int> open_;
  std::string text_;
};

/// Points by the word of a translation that they stand before, or attached behind.
struct MarkedText::Placement {
  std::vector<std::vector<Point>> before, behind;
};

MarkedText::MarkedText(std::string_view text, const KeepRules* rules) : parts_(text) {
  Parser(text, rules, *this).parse();
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
    while (element != kNone && !is_there[static_cast<std::size_t>(element)]) {
      is_there[static_cast<std::size_t>(element)] = true;
      element = elements_[static_cast<std::size_t>(element)].parent;
    }
  };
  std::ranges::for_each(elements, add);
  for (const Point& point : points_) add(point.element);
  std::vector<Point> points;
  for (std::size_t i = elements_.size(); i-- > 0;) {
    if (is_there[i]) continue;
    points.push_back(
        {.element = static_cast<int>(i), .word = elements_[i].word, .is_block = elements_[i].is_block});
    add(static_cast<int>(i));
  }
  std::ranges::reverse(points);
  points.insert(points.end(), points_.begin(), points_.end());
  std::ranges::stable_sort(points, {}, &Point::word);
  return points;
}

MarkedText::Placement MarkedText::placed(const std::vector<int>& elements, const SourceWords& sources) const {
  Placement placement{.before = std::vector<std::vector<Point>>(sources.size() + 1),
                      .behind = std::vector<std::vector<Point>>(sources.size())};
  const auto count = static_cast<std::size_t>(words());
  const std::vector<std::size_t> first = targets_from(sources, count);
  std::vector<std::size_t> last(count, sources.size());  // none
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0 && sources[i] < words()) last[static_cast<std::size_t>(sources[i])] = i;
  }
  for (Point& point : points_besides(elements)) {
    const auto word = static_cast<std::size_t>(point.word);
    if (point.is_behind && word > 0 && last[word - 1] < sources.size()) {
      placement.behind[last[word - 1]].push_back(std::move(point));
    } else {
      placement.before[first[word]].push_back(std::move(point));
    }
  }
  return placement;
}

std::string MarkedText::restore(std::string_view translation, const SourceWords& sources) const {
  std::vector<std::string_view> gaps, texts;  // white space before each word and at the end, words
  for (std::string_view rest = translation; gaps.size() == texts.size();) {
    gaps.push_back(rest.substr(0, rest.find_first_not_of(' ')));
    rest.remove_prefix(gaps.back().size());
    if (rest.empty()) break;
    texts.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(texts.back().size());
  }
  SourceWords aligned = sources;
  aligned.resize(texts.size(), kNone);
  std::vector<int> elements;
  for (const std::int64_t word : aligned)
    elements.push_back(word < 0 || word >= words() ? kNone
                                                   : elements_of_words_[static_cast<std::size_t>(word)]);
  const Placement points = placed(elements, aligned);
  Writer writer(*this);
  for (std::size_t word = 0; word <= texts.size(); ++word) {
    const std::vector<Point>& before = points.before[word];
    std::string_view gap = gaps[word];
    const bool follows = word == 0 || word == texts.size() || aligned[word] > aligned[word - 1];
    // The white space of the source takes its place, unless words would run into each other.
    const bool has_space = std::ranges::any_of(before, [](const Point& point) {
      return point.is_block || !point.space_before.empty() || !point.space_after.empty();
    });
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Point& point = before[i];
      const std::string_view own = word == 0 && i == 0 ? "" : std::string_view(point.space_before);
      writer.put(point.element, has_space ? own : std::exchange(gap, ""), point.text, follows);
      if (has_space) gap = point.space_after;
    }
    if (word == texts.size()) return parts_.restored(writer.finish(before.empty() ? gap : ""));
    writer.put(elements[word], gap, with_references(texts[word]), follows);
    for (const Point& point : points.behind[word]) writer.put(point.element, "", point.text);
  }
  return {};
}

}  // namespace nmt
