// The content of a document: bytes that stay as they are, and texts to translate, in order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nmt {

class TextSegment;

/// Bytes and segments in order. Copies share their segments.
class Content {
 public:
  /// A place in a content; see since().
  struct Mark {
    std::size_t parts = 0, bytes = 0;
  };

  Content() = default;
  explicit Content(std::string_view bytes) { keep(bytes); }

  /// Appends bytes that stay as they are.
  void keep(std::string_view bytes);
  void add(std::shared_ptr<TextSegment> segment) { parts_.push_back({{}, std::move(segment)}); }
  void add(const Content& other);

  bool empty() const { return parts_.empty(); }
  Mark mark() const { return {parts_.size(), parts_.empty() ? 0 : parts_.back().bytes.size()}; }
  /// Returns everything that was appended after a mark.
  Content since(const Mark& mark) const;

  /// Removes everything that was appended after a mark.
  void truncate(const Mark& mark);

  /// Calls `take` with each segment, those inside of segments included, in the order of the document.
  void for_each_segment(const std::function<void(TextSegment&)>& take) const;
  /// Appends the bytes, with translations in place of segments, to `to`.
  void append_to(std::string& to) const;
  /// Returns the number of bytes that stay as they are, without those inside of segments.
  std::size_t kept_bytes() const;

 private:
  /// Bytes, or a segment.
  struct Part {
    std::string bytes;
    std::shared_ptr<TextSegment> segment;
  };

  void add(const Part& part);

  std::vector<Part> parts_;
};

/// A part of a text with formatting.
struct Inline {
  enum class Kind { text, object, group };

  Kind kind = Kind::text;
  std::string text = {};           // of a text, without escapes
  Content open = {};               // of an object: all of it; of a group: what precedes its parts
  Content close = {};              // of a group: what follows its parts
  std::vector<Inline> parts = {};  // of a group
  bool is_kept = false;            // a group is not translated, and a word for the translator
  std::string seen = {};           // what such a group means to the translator, if it has no text
  bool divides = false;            // an object ends a sentence, as a line break does
  bool holds_text = false;         // a group is a run, outside of which a document cannot have text
  bool needs_text = false;         // a group is left out where a translation has no text for it
  std::string format = {};         // adjacent runs of the same format are one
  /// The part of a field in an Office document that an object begins or ends.
  enum class Field { none, begin, separate, end } field = Field::none;

  static Inline of_text(std::string text) { return {.text = std::move(text)}; }
  static Inline object(Content bytes, bool divides = false) {
    return {.kind = Kind::object, .open = std::move(bytes), .divides = divides};
  }
  static Inline group(Content open, std::vector<Inline> parts, Content close) {
    return {
        .kind = Kind::group, .open = std::move(open), .close = std::move(close), .parts = std::move(parts)};
  }
};

/// Returns the text of parts without formatting.
std::string text_of(const std::vector<Inline>& parts);

/// Whether a new word begins between two texts without a space between them: a small letter precedes a
/// capital one.
bool begins_word(std::string_view before, std::string_view after);

/// Whether parts have a letter that can be translated.
bool has_letters(const std::vector<Inline>& parts);
bool has_letters(std::string_view text);

/// The function that turns a translated text into bytes of the document, for example by escaping.
using Encode = std::function<std::string(std::string_view text)>;
/// The function that changes a translation in the form of TextSegment::text(). `has_markup`: whether it has
/// tags and references.
using Change = std::function<std::string(std::string_view translation, bool has_markup)>;
/// The functions that turn a translation into bytes: first `change`, if not null; then `text` each text
/// between tags, and `whole`, if not null, the result, for example by breaking lines.
struct TextEncoding {
  Encode text, whole = nullptr;
  Change change = nullptr;

  TextEncoding(Encode of_text, Encode of_whole = nullptr)
      : text(std::move(of_text)), whole(std::move(of_whole)) {}
  template <class Function>
  requires std::is_invocable_r_v<std::string, Function, std::string_view> TextEncoding(Function function)
      : text(std::move(function)) {}
};

inline constexpr std::string_view kHtmlObject = " x-nmt=\"";

/// A text to translate.
class TextSegment {
 public:
  /// `original`: the bytes for a translation that equals the source. Parts without text at the ends stay
  /// there, adjacent runs of the same format become one, and adjacent groups such as <b>File</b><i>Open</i>
  /// are translated on their own.
  TextSegment(std::vector<Inline> parts, Content original, TextEncoding encoding);

  /// A text of HTML, in which tags with the attribute kHtmlObject, a number from 1, stand for objects.
  /// `encode`: turns a translation, in which they still stand for them, into bytes of the document.
  TextSegment(std::string html, std::vector<Content> objects, Content original, Encode encode);

  /// The text, in which groups are tags <g id="1">, objects <x id="2"/>, and objects that divide <br
  /// id="3"/>, if it has any; then "&", "<" and ">" are references. Otherwise the text is plain.
  const std::string& text() const { return text_; }
  bool has_markup() const { return is_html_ || !inlines_.empty(); }
  /// Sets the translation, which has the form of the text.
  void translate(std::string translation) { translation_ = std::move(translation); }
  const std::string& translation() const { return translation_; }

  /// Appends the bytes of the translation to `to`.
  void append_to(std::string& to) const;
  /// Calls `take` with the segments inside of objects and tags.
  void for_each_inner(const std::function<void(TextSegment&)>& take) const;

 private:
  /// A group or an object of the text.
  struct Numbered {
    Content open, close;
    bool holds_text, needs_text;
  };

  /// Moves what surrounds the text out of `parts`. Returns true if a run surrounds all of it.
  bool take_surroundings(std::vector<Inline>& parts);
  /// Takes the text of the most frequent format out of its runs.
  void choose_run(std::vector<Inline>& parts);
  void serialize(std::vector<Inline> parts);
  void append_with_markup(std::string_view translation, std::string& to) const;
  void append_html(std::string& to) const;
  void append_leaf(std::string_view text, bool is_in_run, std::string& to) const;

  std::string text_, translation_;
  std::vector<Numbered> inlines_;  // by id, from 1
  Content original_;
  Content before_, after_;        // around the text
  Content run_open_, run_close_;  // for text outside of groups, if a document cannot have it there
  bool needs_runs_ = false;
  TextEncoding encoding_;
  bool is_html_ = false;
};

/// Returns the content for parts with formatting: a segment, or without letters `original`, the bytes of all
/// parts.
Content translated(std::vector<Inline> parts, const Content& original, const TextEncoding& encoding);

/// Returns the content for a plain text; `original`: its bytes.
Content translated(std::string_view text, std::string_view original, const TextEncoding& encoding);

/// Appends the bytes of parts as they are in the document to `to`.
void append_original(const std::vector<Inline>& parts, const Encode& encode, Content& to);

}  // namespace nmt
