#include "documents/xml/xml_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text/pattern.h"
#include "data/text/html.h"
#include "data/text/markup_limits.h"
#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/lines.h"
#include "documents/messages/messages.h"

namespace nmt {
namespace {

// Tags of a paragraph. Nobody writes as many, and placing them takes memory for each.
constexpr std::size_t kMostParts = 20'000;
constexpr std::string_view kXmlSpace = " \t\r\n";

/// Makes fields, which begin, separate and end in objects, groups around their results.
std::vector<Inline> with_fields(std::vector<Inline> parts, const Encode& encode) {
  std::vector<Inline> result;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (part->field != Inline::Field::begin) {
      result.push_back(std::move(*part));
      continue;
    }
    int depth = 0;
    auto separator = parts.end(), end = parts.end();
    for (auto each = part; each != parts.end() && end == parts.end(); ++each) {
      if (each->field == Inline::Field::begin) ++depth;
      if (each->field == Inline::Field::separate && depth == 1) separator = each;
      if (each->field == Inline::Field::end && --depth == 0) end = each;
    }
    if (separator == parts.end() && end == parts.end()) {
      result.push_back(std::move(*part));
      continue;
    }
    Content open;
    const auto last = separator != parts.end() ? separator : end;
    append_original(std::vector<Inline>(part, last + 1), encode, open);
    if (end == parts.end() || separator == parts.end()) {
      result.push_back(Inline::object(std::move(open)));
      part = last;
      continue;
    }
    std::vector<Inline> inner(std::make_move_iterator(separator + 1), std::make_move_iterator(end));
    result.push_back(Inline::group(std::move(open), with_fields(std::move(inner), encode), end->open));
    part = end;
  }
  return result;
}

/// Makes white space in texts single spaces, and objects of what stands next to dividers and, unless the
/// parts are those of a group, at the ends.
std::vector<Inline> with_joined_lines(std::vector<Inline> parts, bool are_of_group) {
  std::vector<Inline> joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Inline& part = parts[i];
    if (part.kind != Inline::Kind::text) {
      if (part.kind == Inline::Kind::group && !part.is_kept)
        part.parts = with_joined_lines(std::move(part.parts), true);
      joined.push_back(std::move(part));
      continue;
    }
    std::string text = std::move(part.text);
    for (; i + 1 < parts.size() && parts[i + 1].kind == Inline::Kind::text; ++i) text += parts[i + 1].text;
    const bool is_first = joined.empty() ? !are_of_group : joined.back().divides;
    const bool is_last = i + 1 == parts.size() ? !are_of_group : parts[i + 1].divides;
    const std::size_t begin = is_first ? std::min(text.find_first_not_of(kXmlSpace), text.size()) : 0;
    const std::size_t end = is_last ? std::max(text.find_last_not_of(kXmlSpace) + 1, begin) : text.size();
    const std::string_view all = text;
    std::string inner;
    for (const char c : all.substr(begin, end - begin)) {
      const bool is_space = kXmlSpace.find(c) != kXmlSpace.npos;
      if (!is_space || !inner.ends_with(' ')) inner += is_space ? ' ' : c;
    }
    if (begin > 0) joined.push_back(Inline::object(Content(all.substr(0, begin))));
    if (!inner.empty()) joined.push_back(Inline::of_text(std::move(inner)));
    if (end < all.size()) joined.push_back(Inline::object(Content(all.substr(end))));
  }
  return joined;
}

/// Returns the function that breaks a translation into lines like those of `original`, the text and the end
/// tag of a paragraph. It leaves text with lines or spaces of its own, such as program text, as it is. Null:
/// the original has one line.
Encode lines_like(const Content& original, std::string_view end_tag) {
  std::string bytes;
  original.append_to(bytes);
  bytes.resize(bytes.size() - end_tag.size());
  std::vector<std::string_view> lines;
  std::string end;
  for (std::string_view rest = without_outer_space(bytes); !rest.empty();) {
    const DocumentLine line = take_document_line(rest);
    lines.push_back(line.text);
    if (end.empty()) end = line.end;
  }
  if (lines.size() < 2) return nullptr;
  const std::size_t columns = columns_of(lines);
  end += lines[1].substr(0, leading_space(lines[1]));
  return [columns, end, end_tag = end_tag.size()](std::string_view whole) {
    const std::string_view text = without_outer_space(whole.substr(0, whole.size() - end_tag));
    if (broken(text, text.size(), " ") != text) return std::string(whole);
    const auto begin = static_cast<std::size_t>(text.data() - whole.data());
    return std::string(whole.substr(0, begin)) + broken(text, columns, end) +
           std::string(whole.substr(begin + text.size()));
  };
}

class XmlDocument {
 public:
  XmlDocument(std::string_view document, const std::string& name, const XmlRules& rules,
              DocumentOutput& output)
      : reader_(document, name, rules.namespaces, rules.has_entities),
        name_(name),
        rules_(rules),
        output_(output) {}

  void run() {
    while (is_read_ || reader_.next(event_)) {
      is_read_ = false;
      if (event_.kind != XmlEvent::Kind::begin) {
        if (event_.kind == XmlEvent::Kind::end) put_pair_tag(false);
        keep(event_.bytes);
        continue;
      }
      const XmlRole role = rules_.role(event_);
      if (role != XmlRole::source) put_pair_tag(false);
      switch (role) {
        case XmlRole::paragraph:
          output_.put(paragraph());
          break;
        case XmlRole::untouched:
          keep_element();
          break;
        case XmlRole::source:
          take_pair();
          break;
        case XmlRole::pair:
          pair_tag_ = event_.bytes;
          break;
        default:
          output_.put(tag());
      }
    }
  }

 private:
  /// Keeps bytes outside of texts.
  void keep(std::string_view bytes) {
    if (pair_tag_.empty()) return output_.keep(bytes);
    after_pair_tag_ += bytes;
  }
  /// Puts the tag of a pair, and what follows it, if they have waited for the source. `is_translated`:
  /// whether a translation is put into the pair, which is then no longer in its initial state.
  void put_pair_tag(bool is_translated) {
    if (pair_tag_.empty()) return;
    const bool is_initial = attribute_of(pair_tag_, "state") == "initial";
    const bool has_own_state = !attribute_of(pair_tag_, "subState").empty();
    if (is_translated && is_initial && !has_own_state) set_attribute(pair_tag_, "state", "translated");
    output_.keep(std::exchange(pair_tag_, {}));
    output_.keep(std::exchange(after_pair_tag_, {}));
  }
  /// Returns the value of an attribute of a tag as it is written; empty if there is none.
  static std::string attribute_of(const std::string& tag, std::string_view name) {
    const std::vector<AttributeValue> values = attribute_values(tag);
    const auto place = std::ranges::find(values, name, &AttributeValue::name);
    return place == values.end() ? "" : tag.substr(place->begin, place->end - place->begin);
  }
  /// Changes the value of an attribute of a tag, if it has this attribute.
  static void set_attribute(std::string& tag, std::string_view name, std::string_view value) {
    const std::vector<AttributeValue> values = attribute_values(tag);
    const auto place = std::ranges::find(values, name, &AttributeValue::name);
    if (place != values.end()) tag.replace(place->begin, place->end - place->begin, value);
  }
  /// Reads a source, whose tag was read, and writes its translation as the target after it, unless there is
  /// one.
  void take_pair() {
    const std::string name = event_.written, tag(event_.bytes);
    const std::string target = name.substr(0, name.size() - std::string_view("source").size()) + "target";
    parts_ = 0;
    recorded_.emplace_back();
    std::vector<Inline> parts = contents(0);
    std::string bytes;
    recorded_.back().append_to(bytes);
    recorded_.pop_back();
    keep(tag + bytes);
    // The end tag of the source is not part of the text.
    bytes.resize(bytes.size() - event_.bytes.size());
    const std::optional<Content> translation = translation_of_source(std::move(parts), bytes);
    std::string space;  // before the next element
    while (reader_.next(event_)) {
      const bool is_tag = event_.kind == XmlEvent::Kind::begin || event_.kind == XmlEvent::Kind::end;
      if (!is_tag) {
        space += event_.bytes;
      } else if (event_.kind == XmlEvent::Kind::begin && event_.written.ends_with("seg-source")) {
        keep(space);
        space.clear();
        put_pair_tag(false);
        keep_element();
      } else if (event_.kind == XmlEvent::Kind::begin && event_.written == target) {
        keep(space);
        return take_target(translation);
      } else {
        put_pair_tag(translation.has_value());
        if (translation) {
          output_.keep("<" + target + ">");
          output_.put(*translation);
          output_.keep("</" + target + ">");
        }
        output_.keep(space);
        is_read_ = true;
        return;
      }
    }
    throw Error("cannot translate '{}': it is truncated", name_);
  }
  /// Returns the translation of a source, if it has text that can be translated; `original`: its bytes.
  std::optional<Content> translation_of_source(std::vector<Inline> parts, std::string_view original) const {
    if (without_outer_space(original).empty() || has_icu_arguments(text_of(parts))) return std::nullopt;
    return translated_message(std::move(parts), Content(original), xml_text, rules_.marks);
  }
  /// Reads a target, whose tag was read. It stays if it has text, unless it is marked as new. The translation
  /// is to be reviewed.
  void take_target(const std::optional<Content>& translation) {
    const std::string_view state = event_.attribute("state");
    const bool is_new = state == "new" || state == "needs-translation";
    const std::string name = event_.written;
    std::string tag(event_.bytes), inner, end;
    bool has_text = false;
    for (int depth = 1; depth > 0;) {
      if (!reader_.next(event_)) throw Error("cannot translate '{}': it is truncated", name_);
      if (event_.kind == XmlEvent::Kind::begin) ++depth;
      if (event_.kind == XmlEvent::Kind::end) --depth;
      has_text = has_text || event_.text.find_first_not_of(" \t\r\n") != event_.text.npos;
      (depth > 0 ? inner : end) += event_.bytes;
    }
    const bool is_translated = translation && (!has_text || is_new);
    put_pair_tag(is_translated);
    if (!is_translated) return output_.keep(tag + inner + end);
    if (is_new) set_attribute(tag, "state", "needs-review-translation");
    if (tag.ends_with("/>")) {
      tag.replace(tag.size() - 2, 2, ">");
      end = "</" + name + ">";
    }
    output_.keep(tag);
    output_.put(*translation);
    output_.keep(end);
  }
  /// Keeps an element outside of paragraphs, whose tag was read.
  void keep_element() {
    output_.keep(event_.bytes);
    for (int depth = 1; depth > 0 && reader_.next(event_);) {
      output_.keep(event_.bytes);
      if (event_.kind == XmlEvent::Kind::begin) ++depth;
      if (event_.kind == XmlEvent::Kind::end) --depth;
    }
  }
  /// Returns the tag of the event, with its attributes that are texts.
  Content tag() const {
    Content content;
    std::size_t taken = 0;
    for (const auto& [name, written, value] : event_.attributes) {
      if (!rules_.is_text || !has_letters(value) || !rules_.is_text(event_, name)) continue;
      const std::vector<AttributeValue> values = attribute_values(event_.bytes);
      const auto place = std::ranges::find(values, written, &AttributeValue::name);
      if (place == values.end() || place->begin < taken) continue;
      content.keep(event_.bytes.substr(taken, place->begin - taken));
      const std::string_view original = event_.bytes.substr(place->begin, place->end - place->begin);
      content.add(translated(value, original, xml_attribute));
      taken = place->end;
    }
    content.keep(event_.bytes.substr(taken));
    return content;
  }
  /// Reads the next event, which is in a paragraph, and records its bytes.
  void next() {
    if (!reader_.next(event_)) throw Error("cannot translate '{}': it is truncated", name_);
    if (event_.kind == XmlEvent::Kind::begin) {
      recorded_.back().add(tag());
    } else {
      recorded_.back().keep(event_.bytes);
    }
  }
  Content::Mark mark() const { return recorded_.back().mark(); }

  /// Returns a paragraph, whose tag was read, through its end tag.
  Content paragraph() {
    const std::size_t before = std::exchange(parts_, 0);
    const bool was_code = std::exchange(is_code_, false);
    Content begin = tag();
    recorded_.emplace_back();
    std::vector<Inline> parts = contents(0);
    // The end tag was recorded with the contents.
    Content original = std::move(recorded_.back());
    recorded_.pop_back();
    if (rules_.has_broken_lines) parts = with_joined_lines(std::move(parts), false);
    parts.push_back(Inline::object(Content(event_.bytes)));
    parts_ = before;
    if (rules_.has_runs) parts = with_fields(std::move(parts), xml_text);
    const bool stays = (rules_.stays && rules_.stays(parts)) || is_code_;
    is_code_ = was_code;
    const Encode finish = rules_.has_broken_lines ? lines_like(original, event_.bytes) : rules_.finish;
    begin.add(stays ? original : translated(std::move(parts), original, TextEncoding(xml_text, finish)));
    return begin;
  }
  /// Reads a paragraph within another one, whose tag was recorded after `begin`.
  void take_paragraph(const Content::Mark& begin) {
    recorded_.back().truncate(begin);
    Content inner = paragraph();
    recorded_.back().add(inner);
  }
  /// Reads an element within a paragraph, whose tag was recorded after `begin`, through its end tag. Returns
  /// all of it.
  Content whole(const Content::Mark& begin) {
    for (int depth = 1; depth > 0;) {
      const Content::Mark place = mark();
      next();
      if (event_.kind == XmlEvent::Kind::begin) {
        if (rules_.role(event_) == XmlRole::paragraph) {
          take_paragraph(place);
        } else {
          ++depth;
        }
      } else if (event_.kind == XmlEvent::Kind::end) {
        --depth;
      }
    }
    return recorded_.back().since(begin);
  }
  void count() {
    if (++parts_ > kMostParts)
      throw Error("cannot translate '{}': a paragraph has more than {} parts; remove its formatting", name_,
                  kMostParts);
  }

  /// Returns the character that a reference stands for in HTML, too, or else the reference as a word.
  static Inline entity(std::string_view reference) {
    const CharacterReference known = reference_at(reference);
    if (known.character && known.size == reference.size()) return Inline::of_text(*known.character);
    Inline part = Inline::group(Content(reference), {}, {});
    part.is_kept = true;
    part.seen = reference;
    return part;
  }
  /// Reads the contents of an element through its end tag.
  std::vector<Inline> contents(int depth) {
    if (std::cmp_greater(depth, kDeepestTags))
      throw Error("cannot translate '{}': the formatting of a paragraph is nested more than {} times", name_,
                  kDeepestTags);
    std::vector<Inline> parts;
    while (true) {
      const Content::Mark begin = mark();
      next();
      if (event_.kind == XmlEvent::Kind::end) return parts;
      count();
      if (event_.kind == XmlEvent::Kind::text) {
        if (rules_.has_runs) {
          parts.push_back(Inline::object(Content(event_.bytes)));
        } else {
          parts.push_back(Inline::of_text(event_.text));
        }
      } else if (event_.kind == XmlEvent::Kind::other) {
        parts.push_back(rules_.has_entities && event_.bytes.starts_with('&')
                            ? entity(event_.bytes)
                            : Inline::object(Content(event_.bytes)));
      } else {
        take_element(begin, depth, parts);
      }
    }
  }
  void take_element(const Content::Mark& begin, int depth, std::vector<Inline>& parts) {
    switch (rules_.role(event_)) {
      case XmlRole::paragraph:
        take_paragraph(begin);
        parts.push_back(Inline::object(recorded_.back().since(begin), true));
        break;
      case XmlRole::group:
      case XmlRole::code: {
        const bool is_kept = rules_.role(event_) == XmlRole::code;
        Content open = recorded_.back().since(begin);
        std::vector<Inline> inner = contents(depth + 1);
        if (rules_.has_runs) inner = with_fields(std::move(inner), xml_text);
        parts.push_back(Inline::group(std::move(open), std::move(inner), Content(event_.bytes)));
        parts.back().is_kept = is_kept;
        break;
      }
      case XmlRole::divider:
        parts.push_back(Inline::object(whole(begin), true));
        break;
      case XmlRole::run:
        take_run(begin, parts);
        break;
      case XmlRole::ignored:
        whole(begin);
        break;
      case XmlRole::run_text:
        if (event_.bytes.ends_with("/>")) {
          parts.push_back(Inline::object(whole(begin)));
          break;
        }
        {
          const Content open = recorded_.back().since(begin);
          std::string inner = text();
          parts.push_back(run_of(open, std::move(inner), Content(event_.bytes), ""));
        }
        break;
      case XmlRole::untouched:
        for (int level = 1; level > 0;) {
          next();
          if (event_.kind == XmlEvent::Kind::begin) ++level;
          if (event_.kind == XmlEvent::Kind::end) --level;
        }
        parts.push_back(Inline::object(recorded_.back().since(begin)));
        break;
      case XmlRole::source:
      case XmlRole::pair:
      case XmlRole::kept:
      case XmlRole::properties:
      case XmlRole::field: {
        const bool is_style = event_.name.ends_with(":pPr");
        parts.push_back(Inline::object(whole(begin)));
        if (is_style && is_code(parts.back().open)) is_code_ = true;
        break;
      }
    }
  }
  bool is_code(const Content& properties) const {
    if (!rules_.is_code) return false;
    std::string bytes;
    properties.append_to(bytes);
    return rules_.is_code(bytes);
  }
  static Inline run_of(const Content& open, std::string text, Content close, std::string format) {
    Inline run = Inline::group(open, {Inline::of_text(std::move(text))}, std::move(close));
    run.holds_text = true;
    run.needs_text = true;
    run.format = std::move(format);
    return run;
  }
  /// Reads the text of an element through its end tag.
  std::string text() {
    std::string text;
    while (true) {
      next();
      if (event_.kind == XmlEvent::Kind::end) return text;
      if (event_.kind == XmlEvent::Kind::begin)
        throw Error("cannot translate '{}': it has a tag {} within the text of a run", name_, event_.bytes);
      text += event_.text;
    }
  }
  /// Reads a run and puts its texts and objects, each in a run of its own, into `parts`.
  void take_run(const Content::Mark& begin, std::vector<Inline>& parts) {
    const Content::Mark run_begin = begin;
    Content head = recorded_.back().since(run_begin);
    const std::string end = "</" + event_.written + ">";
    std::string format;
    bool is_kept = false;
    if (event_.bytes.ends_with("/>")) {
      next();
      parts.push_back(Inline::object(std::move(head)));
      return;
    }
    while (true) {
      const Content::Mark place = mark();
      next();
      if (event_.kind == XmlEvent::Kind::end) return;
      if (event_.kind != XmlEvent::Kind::begin) continue;
      count();
      const XmlRole role = rules_.role(event_);
      const std::string field(event_.attribute("w:fldCharType"));
      if (role == XmlRole::properties) {
        const Content properties = whole(place);
        properties.append_to(format);
        is_kept = is_code(properties);
        if (rules_.format) format = rules_.format(std::move(format));
        head.add(properties);
        continue;
      }
      if (role == XmlRole::ignored) {
        whole(place);
        continue;
      }
      Content open = head;
      if (role == XmlRole::run_text && !event_.bytes.ends_with("/>")) {
        open.add(recorded_.back().since(place));
        std::string inner = text();
        parts.push_back(
            run_of(open, std::move(inner), Content(std::string(event_.bytes) + end), "=" + format));
        parts.back().is_kept = is_kept;
        continue;
      }
      open.add(whole(place));
      open.keep(end);
      Inline object = Inline::object(std::move(open), role == XmlRole::divider);
      if (role == XmlRole::field) {
        object.field = field == "begin"      ? Inline::Field::begin
                       : field == "separate" ? Inline::Field::separate
                                             : Inline::Field::end;
      }
      parts.push_back(std::move(object));
    }
  }

  XmlReader reader_;
  const std::string& name_;
  const XmlRules& rules_;
  DocumentOutput& output_;
  XmlEvent event_;
  std::vector<Content> recorded_;  // of the paragraphs that are being read
  std::size_t parts_ = 0;          // of the innermost one
  bool is_code_ = false;           // likewise
  bool is_read_ = false;           // the event is the next one
  // A tag of a pair that waits for its source, and what follows the tag.
  std::string pair_tag_, after_pair_tag_;
};

}  // namespace

std::string charset_of_xml(std::string_view head) {
  static const Pattern declared("^<[?]xml[^>]*encoding[[:space:]]*=[[:space:]]*[\"']([A-Za-z0-9_.:-]+)");
  const std::vector<std::string> found = declared.find(std::string(head));
  return found.empty() ? "" : found[1];
}

void translate_xml(std::string_view document, const std::string& name, const XmlRules& rules,
                   DocumentOutput& output) {
  XmlDocument(document, name, rules, output).run();
}

}  // namespace nmt
