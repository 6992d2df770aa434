// Divides a text with markup into its text and its markup.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/sentences/characters.h"
#include "data/text/html.h"
#include "data/text/markup.h"
#include "data/text/markup_limits.h"
#include "data/text/white_space.h"

namespace nmt {
namespace {

// The most elements that continue after the end of an element in which they began; further ones end with it.
constexpr std::size_t kMostCrossed = 8;
// Bytes of an end tag that are looked at to count it; longer names are of no element that crosses others.
constexpr std::size_t kLongestName = 64;

/// The bytes of the character that begins here.
std::size_t size_of_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return size;
}

bool is_punctuation(std::string_view character) {
  return sentences::is_punctuation(sentences::character_at(character, 0).value);
}

bool is_all_punctuation(std::string_view text) {
  while (!text.empty() && is_punctuation(text)) text.remove_prefix(size_of_character(text));
  return text.empty();
}

bool begins_with_word(std::string_view text) {
  const UChar32 first = sentences::character_at(text, 0).value;
  return sentences::is_letter(first) || sentences::is_digit(first);
}

bool is_digit(std::string_view character) {
  return sentences::is_digit(sentences::character_at(character, 0).value);
}

/// Whether it is a letter or a digit, as far as bytes tell.
bool is_word_character(std::string_view character) {
  return character.size() > 1 || std::isalnum(static_cast<unsigned char>(character[0])) != 0;
}

/// The white space that a text begins with, also as references.
std::size_t size_of_space(std::string_view text) {
  std::size_t size = 0;
  while (true) {
    const std::string_view rest = text.substr(size);
    std::size_t next = leading_space(rest);
    if (next == 0) {
      const CharacterReference reference = reference_at(rest);
      if (reference.character && leading_space(*reference.character) > 0) next = reference.size;
    }
    if (next == 0) return size;
    size += next;
  }
}

/// The size of a reference that a text begins with and that stands for no known character.
std::size_t size_of_unknown_reference(std::string_view text) {
  const CharacterReference reference = reference_at(text);
  return reference.character ? 0 : reference.size;
}

}  // namespace

/// Takes a text apart.
class MarkedText::Parser {
 public:
  Parser(std::string_view text, const KeepRules* rules, const BlockRules& blocks, MarkedText& target)
      : whole_(text), text_(text), rules_(rules), blocks_(blocks), target_(target) {
    for (std::size_t at = text.find("</"); at != text.npos; at = text.find("</", at + 2))
      ++end_tags_left_[name_in_tag(text.substr(at, kLongestName))];
  }

  void parse() {
    const Mark begin = mark();
    while (!text_.empty()) {
      if (begins_markup(text_)) {
        take_markup();
      } else if (is_translated()) {
        take_text();
      } else {
        keep_text();
      }
    }
    while (!open_.empty()) end_element(whole_.size());
    end_unclosed();
    end_line();
    if (root_.has_parts && folds(root_)) {
      rewind(begin);
      put_block(whole_);
    }
    if (target_.plain_.ends_with(' ')) target_.plain_.pop_back();
  }

 private:
  /// The contents between a begin tag and its end tag.
  struct Content {
    bool has_letters = false, has_digits = false, has_characters = false;  // that are translated
    bool has_parts = false;                                                // that are kept
  };
  /// The sizes of the target's parts at some time.
  struct Mark {
    std::size_t plain, words, elements, points, parts;
    Word last_word;
    bool begins_line, follows_point, follows_part;
    std::vector<Point> space;
  };
  struct Open {
    std::string name;
    std::size_t begin;  // of its tag, in the text
    int element;
    bool is_translated;
    bool is_continued = false;  // from within an element that has ended
    Mark mark;
    Content content = {};
  };

  std::size_t place() const { return whole_.size() - text_.size(); }
  int innermost() const { return open_.empty() ? kNone : open_.back().element; }
  Element& element_of(int element) { return target_.elements_[static_cast<std::size_t>(element)]; }
  Element& original_of(int element) { return element_of(element_of(element).original); }
  Content& content() { return open_.empty() ? root_ : open_.back().content; }
  bool is_translated() const { return open_.empty() || open_.back().is_translated; }
  bool is_between() const { return target_.plain_.empty() || target_.plain_.back() == ' '; }
  std::size_t depth_of(int element) const { return target_.path_to(element).size(); }

  // White space is collected in space_ until what comes after it is known. At the ends of lines it is put as
  // it is, elsewhere a single space takes its place.

  std::string_view take_space() {
    const std::string_view space = text_.substr(0, size_of_space(text_));
    text_.remove_prefix(space.size());
    return space;
  }
  void add_space(std::string_view space) {
    if (space.empty()) return;
    space_.push_back({.kind = Point::Kind::white_space, .element = innermost(), .text = std::string(space)});
    if (begins_line_) put_space();
  }
  void put_space() {
    if (!space_.empty()) follows_point_ = false;
    for (Point& space : space_) {
      space.word = target_.words();
      target_.points_.push_back(std::move(space));
    }
    space_.clear();
  }
  /// The white space that was collected, for something that is put next to it.
  std::string joined_space() {
    std::string joined;
    for (const Point& space : space_) joined += space.text;
    space_.clear();
    return joined;
  }
  void end_word() {
    if (!is_between()) target_.plain_ += ' ';
  }
  void end_line() {
    put_space();
    end_word();
    begins_line_ = true;
    follows_point_ = follows_part_ = false;
  }
  /// Tells what of the last word is outside its element, before a character of it that is within others.
  void note_outside(bool is_punctuation, std::size_t size) {
    Word& word = target_.words_.back();
    if (innermost() == word.element) return;
    if (depth_of(innermost()) > depth_of(word.element)) {
      const std::string_view begun = std::string_view(target_.plain_).substr(target_.plain_.rfind(' ') + 1);
      word.before = is_all_punctuation(begun) ? begun.size() : 0;
      word.after = 0;
      word.element_before = std::exchange(word.element, innermost());
    } else if (is_punctuation) {
      if (word.after == 0) word.element_after = innermost();
      word.after += size;
    } else {
      word.after = 0;
    }
  }
  /// Gets ready for something that is neither white space nor a point, of `size` bytes.
  void begin_character(bool is_punctuation, std::size_t size) {
    if (!space_.empty()) end_word();
    if (std::exchange(follows_point_, false)) {
      target_.points_.back().is_ahead = space_.empty();
      target_.points_.back().space_after = joined_space();
    }
    space_.clear();
    std::vector<Word>& words = target_.words_;
    if (is_between()) {
      words.push_back({.element = innermost(), .begins_line = std::exchange(begins_line_, false)});
    } else {
      note_outside(is_punctuation, size);
    }
  }

  // Text between tags.

  /// Appends decoded text.
  void append(std::string_view text) {
    while (!text.empty()) {
      if (const std::size_t space = leading_space(text); space > 0) {
        add_space(text.substr(0, space));
        text.remove_prefix(space);
        continue;
      }
      const std::string_view character = text.substr(0, size_of_character(text));
      text.remove_prefix(character.size());
      if (std::exchange(follows_part_, false) && space_.empty() && target_.parts_.separate(character))
        end_word();
      begin_character(is_punctuation(character), character.size());
      target_.plain_ += character;
      content().has_characters = true;
      if (is_digit(character)) {
        content().has_digits = true;
      } else if (is_word_character(character)) {
        content().has_letters = true;
      }
    }
  }
  void append_part(std::string part) {
    const bool is_attached = space_.empty() && !is_between();
    const std::string stand_in = target_.parts_.add(std::move(part), is_attached ? target_.plain_ : "");
    if (stand_in.starts_with(' ')) end_word();
    begin_character(false, 0);
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
  /// Takes text up to the next tag, or through an unknown reference.
  void take_text() {
    add_space(take_space());
    const std::string_view text = text_;
    std::size_t size = 0;    // without
    std::string_view space;  // at the end
    while (!text_.empty() && !begins_markup(text_) && size_of_unknown_reference(text_) == 0) {
      text_.remove_prefix(size_of_character(text_));
      size = text.size() - text_.size();
      space = take_space();
    }
    append_with_rules(without_references(text.substr(0, size)));
    add_space(space);
    if (const std::size_t unknown = size_of_unknown_reference(text_); unknown > 0) {
      put(text_.substr(0, unknown));
      text_.remove_prefix(unknown);
    }
  }
  /// Takes text up to the next tag as a part.
  void keep_text() {
    std::size_t size = 1;
    while (size < text_.size() && !begins_markup(text_.substr(size))) ++size;
    std::string_view kept = text_.substr(0, size);
    const std::string_view part = without_outer_space(kept);
    text_.remove_prefix(size);
    if (part.empty()) return add_space(kept);
    const auto begin = static_cast<std::size_t>(part.data() - kept.data());
    add_space(kept.substr(0, begin));
    append_part(std::string(part));
    add_space(kept.substr(begin + part.size()));
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
                               .space_before = joined_space()});
  }
  /// Puts something that has no words between lines.
  void put_block(std::string_view text) {
    end_line();
    target_.points_.push_back({.kind = Point::Kind::block,
                               .element = innermost(),
                               .text = std::string(text),
                               .word = target_.words()});
  }
  void put(std::string_view text, const std::string& name) {
    if (blocks_.divides(name)) {
      put_block(text);
    } else {
      put(text);
    }
  }

  /// Takes as much of the text as ends with `end`.
  std::string_view take_through(std::string_view end) {
    const std::size_t found = text_.find(end);
    if (found == std::string_view::npos)
      throw UsageError("{} is not closed; end it with {}", quoted(std::string(text_)),
                       quoted(std::string(end)));
    const std::string_view taken = text_.substr(0, found + end.size());
    text_.remove_prefix(taken.size());
    return taken;
  }
  /// A tag, in which ">" may stand in quotes.
  std::string_view take_tag() {
    char quote = 0;
    const std::size_t end = text_.starts_with("</") ? text_.find('>') : find_unquoted(text_, ">", quote);
    if (end == std::string_view::npos)
      throw UsageError("the tag {} does not end", quoted(std::string(text_)));
    const std::string_view tag = text_.substr(0, end + 1);
    text_.remove_prefix(tag.size());
    return tag;
  }
  /// The end tag of a raw element, in any case, or all that is left where it has none.
  std::string_view take_through_end_tag(const std::string& name) {
    const std::string_view whole = text_;
    text_.remove_prefix(std::min(find_end_tag(text_, name), text_.size()));
    if (!text_.empty()) take_through(">");
    return whole.substr(0, whole.size() - text_.size());
  }

  void take_markup() {
    if (const std::string_view ending = ending_of_section(text_); !ending.empty()) {
      const std::string_view section = take_through(ending);
      return put(section, name_in_tag(section));
    }
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
    return {.plain = target_.plain_.size(),
            .words = target_.words_.size(),
            .elements = target_.elements_.size(),
            .points = target_.points_.size(),
            .parts = target_.parts_.size(),
            .last_word = target_.words_.empty() ? Word() : target_.words_.back(),
            .begins_line = begins_line_,
            .follows_point = follows_point_,
            .follows_part = follows_part_,
            .space = space_};
  }
  void open(std::string_view tag, const std::string& name) {
    if (open_.size() == kDeepestTags) throw UsageError("tags are nested more than {} times", kDeepestTags);
    Mark before = mark();
    const bool is_block = blocks_.divides(name);
    if (is_block) end_line();
    const auto number = static_cast<int>(target_.elements_.size());
    target_.elements_.push_back({.open = std::string(tag),
                                 .parent = innermost(),
                                 .original = number,
                                 .word = target_.words(),
                                 .point = target_.points_.size(),
                                 .is_block = is_block});
    open_.push_back({.name = name,
                     .begin = place() - tag.size(),
                     .element = number,
                     .is_translated = translates(tag).value_or(is_translated()),
                     .mark = std::move(before)});
  }
  /// Continues an element after the end of the one in which it began.
  void go_on(const Open& crossed) {
    const Element& part = element_of(crossed.element);
    const auto number = static_cast<int>(target_.elements_.size());
    target_.elements_.push_back(
        {.parent = innermost(), .original = part.original, .is_block = part.is_block});
    open_.push_back({.name = crossed.name,
                     .begin = place(),
                     .element = number,
                     .is_translated = crossed.is_translated,
                     .is_continued = true,
                     .mark = mark()});
  }
  /// Whether an element that crosses the end of its parent can still be ended: an end tag is left for it.
  bool may_go_on(const Open& crossed) const {
    const auto same = std::ranges::count(open_, crossed.name, &Open::name);
    const auto left = end_tags_left_.find(crossed.name);
    return left != end_tags_left_.end() && left->second > same;
  }
  /// Returns the depth of the element that an end tag of this name ends; 0: there is none. End tags that may
  /// be omitted end nothing beyond other blocks.
  std::size_t depth_ended_by(const std::string& name) const {
    for (std::size_t depth = open_.size(); depth > 0; --depth) {
      const std::string& open = open_[depth - 1].name;
      if (open == name) return depth;
      if (may_omit_end_tag(name) && is_block_element(open) && !may_omit_end_tag(open)) return 0;
    }
    return 0;
  }
  void close(std::string_view tag, const std::string& name) {
    --end_tags_left_[name];
    const std::size_t depth = depth_ended_by(name);
    if (depth == 0) return put(tag, name);
    std::vector<Open> crossed;  // the innermost first
    while (open_.size() > depth) {
      if (!may_omit_end_tag(open_.back().name) && crossed.size() < kMostCrossed)
        crossed.push_back(open_.back());
      end_element(place() - tag.size());
    }
    end_element(place(), tag);
    const auto left = static_cast<int>(target_.elements_.size());
    std::erase_if(crossed, [left](const Open& each) { return each.element >= left; });  // were folded
    std::ranges::reverse(crossed);
    for (const Open& each : crossed) {
      if (may_go_on(each)) go_on(each);
    }
  }
  /// Elements that no end tag has ended after all extend to the end of their parent alone: takes back how
  /// they went on.
  void end_unclosed() {
    std::vector<int> instead;  // what an element number becomes
    instead.reserve(target_.elements_.size());
    const auto replace = [&instead](int& element) {
      if (element != kNone) element = instead[static_cast<std::size_t>(element)];
    };
    for (Element& element : target_.elements_) {
      const auto number = static_cast<int>(instead.size());
      replace(element.parent);  // which has a lower number
      const bool is_part = element.original != number && original_of(number).is_unclosed();
      instead.push_back(is_part ? element.parent : number);
    }
    for (Word& word : target_.words_) {
      replace(word.element);
      replace(word.element_before);
      replace(word.element_after);
    }
    for (Point& point : target_.points_) replace(point.element);
    for (Point& space : space_) replace(space.element);
  }
  /// Ends the innermost element at a place of the text. `tag`: empty where there is none, or not here.
  void end_element(std::size_t end, std::string_view tag = "") {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (is_translated() && !closed.is_continued && (folds(closed.content) || is_note(closed, end)))
      return fold(closed, end);
    Element& ended = original_of(closed.element);
    if (ended.is_block && (!tag.empty() || may_omit_end_tag(closed.name))) end_line();
    ended.close = tag;
    ended.end = ++ends_;
    Content& around = content();
    around.has_letters |= closed.content.has_letters;
    around.has_digits |= closed.content.has_digits;
    around.has_characters |= closed.content.has_characters;
    around.has_parts |= closed.content.has_parts;
  }

  // Elements without text to translate are kept unchanged.

  static bool folds(const Content& content) {
    return !content.has_letters && !content.has_digits && (content.has_parts || !content.has_characters);
  }
  /// Whether an element is a number that is attached to the end of a word: word<sup>1</sup>.
  bool is_note(const Open& closed, std::size_t end) const {
    const Content& content = closed.content;
    const bool is_number = content.has_digits && !content.has_letters && !content.has_parts;
    const std::string_view before = std::string_view(target_.plain_).substr(0, closed.mark.plain);
    const bool is_attached = closed.mark.space.empty() && !before.empty() && !before.ends_with(' ') &&
                             !closed.mark.begins_line && !begins_with_word(whole_.substr(end));
    return is_number && is_attached && (closed.name == "sup" || closed.name == "sub");
  }
  /// Puts an element in one piece.
  void fold(const Open& closed, std::size_t end) {
    const bool ends_word =
        !is_between() ? space_.size() > closed.mark.space.size() : target_.plain_.size() > closed.mark.plain;
    rewind(closed.mark);
    const std::string_view text = whole_.substr(closed.begin, end - closed.begin);
    if (blocks_.divides(closed.name)) {
      put_block(text);
    } else if (closed.content.has_parts) {
      append_part(std::string(text));
    } else {
      put(text);
      Point& point = target_.points_.back();
      if (!ends_word || !point.is_behind) return;
      point.is_behind = false;
      point.kind = Point::Kind::spaced;
      end_word();
    }
  }
  void rewind(const Mark& mark) {
    target_.plain_.resize(mark.plain);
    target_.words_.resize(mark.words);
    if (mark.words > 0) target_.words_.back() = mark.last_word;
    target_.elements_.resize(mark.elements);
    target_.points_.resize(mark.points);
    target_.parts_.resize(mark.parts);
    begins_line_ = mark.begins_line;
    follows_point_ = mark.follows_point;
    follows_part_ = mark.follows_part;
    space_ = mark.space;
  }

  std::string_view whole_, text_;
  const KeepRules* rules_;
  const BlockRules& blocks_;
  MarkedText& target_;
  std::vector<Open> open_;
  Content root_;
  std::map<std::string, std::ptrdiff_t> end_tags_left_;  // by name, in text_ and perhaps in its comments
  std::size_t ends_ = 0;                                 // of elements
  std::vector<Point> space_;                             // after what came last
  bool begins_line_ = true;                              // nothing but points came since a line has ended
  bool follows_point_ = false;  // nothing but white space and tags came since a point
  bool follows_part_ = false;   // a stand-in came last
};

MarkedText::MarkedText(std::string_view text, const KeepRules* rules, MarkupLines::Ends ends,
                       const BlockRules& blocks)
    : before_(text.substr(0, ends.before)), after_(text.substr(text.size() - ends.after)), parts_(text) {
  text.remove_suffix(ends.after);
  text.remove_prefix(ends.before);
  Parser(text, rules, blocks, *this).parse();
}

}  // namespace nmt
