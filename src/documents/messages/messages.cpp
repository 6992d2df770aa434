#include "documents/messages/messages.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "data/text/html.h"
#include "documents/messages/accelerator.h"

namespace nmt {
namespace {

constexpr std::size_t kLongestTag = 1000, kMostOpenTags = 32;

/// Returns the size of the tag that a text begins with; 0: it begins with none.
std::size_t size_of_tag(std::string_view text) {
  if (!begins_markup(text) || text.size() < 3) return 0;
  if (text[1] == '/' && std::isalpha(static_cast<unsigned char>(text[2])) == 0) return 0;
  const std::size_t end = text.substr(0, kLongestTag).find_first_of("<>", 1);
  return end == text.npos || text[end] == '<' ? 0 : end + 1;
}

/// Returns the size of the placeholder of a template that a text begins with, {{ name }} or {% if name %}; 0:
/// it begins with none.
std::size_t size_of_template(std::string_view text) {
  if (!text.starts_with("{{") && !text.starts_with("{%")) return 0;
  const std::size_t end = text.substr(0, kLongestTag).find(text[1] == '{' ? "}}" : "%}", 2);
  return end == text.npos ? 0 : end + 2;
}

/// Returns the size of the white space that a text begins with, if it ends a line or has a tab; otherwise 0.
std::size_t size_of_break(std::string_view text) {
  const std::string_view space = text.substr(0, text.find_first_not_of(" \t\r\n\f"));
  return space.find_first_of("\t\r\n\f") == space.npos ? 0 : space.size();
}

Inline kept_text(std::string_view bytes) {
  Inline part = Inline::group({}, {Inline::of_text(std::string(bytes))}, {});
  part.is_kept = true;
  return part;
}

/// The parts of a message that a parser finds, besides tags.
struct MessageParts {
  bool templates = true, breaks = true;  // white space that divides a text
};

/// Finds tags and their end tags, templates, and white space that divides a text.
class TagParser {
 public:
  /// `encode`: turns a tag into bytes of the document. `depth`: the number of groups around the parts.
  TagParser(const Encode& encode, MessageParts found, std::size_t depth = 0)
      : encode_(encode), found_(found), depth_(depth), elements_(1) {}

  /// Divides the texts among parts.
  std::vector<Inline> parsed(std::vector<Inline> parts) && {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Inline& part = parts[i];
      if (part.kind == Inline::Kind::text) {
        std::string text = std::move(part.text);
        for (; i + 1 < parts.size() && parts[i + 1].kind == Inline::Kind::text; ++i)
          text += parts[i + 1].text;
        take_text(text);
        continue;
      }
      if (part.kind == Inline::Kind::group && !part.is_kept)
        part.parts = TagParser(encode_, found_, depth()).parsed(std::move(part.parts));
      add(std::move(part));
    }
    while (elements_.size() > 1) give_up();
    return std::move(elements_[0].parts);
  }

 private:
  /// An element whose end tag was not read; the first one is the text.
  struct Element {
    std::string name, tag;
    std::vector<Inline> parts;
  };

  void add(Inline part) { elements_.back().parts.push_back(std::move(part)); }
  std::size_t depth() const { return depth_ + elements_.size(); }
  void take_text(std::string_view text) {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view rest = text.substr(i);
      const std::size_t tag = size_of_tag(rest), gap = found_.breaks ? size_of_break(rest) : 0;
      const std::size_t size = std::max({tag, gap, found_.templates ? size_of_template(rest) : 0});
      if (size == 0) {
        i += std::max<std::size_t>(std::min(rest.find_first_not_of(' '), rest.size()), 1);
        continue;
      }
      if (i > taken) add(Inline::of_text(std::string(text.substr(taken, i - taken))));
      if (tag > 0) {
        take(rest.substr(0, tag));
      } else if (gap > 0) {
        add(Inline::object(Content(encode_(rest.substr(0, gap))), true));
      } else {
        add(kept_text(rest.substr(0, size)));
      }
      i += size;
      taken = i;
    }
    if (taken < text.size()) add(Inline::of_text(std::string(text.substr(taken))));
  }
  void take(std::string_view tag) {
    std::string name = name_in_tag(tag);
    if (tag[1] == '/') {
      const auto begin = std::find_if(elements_.rbegin(), elements_.rend() - 1,
                                      [&](const Element& each) { return each.name == name; });
      if (begin == elements_.rend() - 1) return add(kept_text(tag));
      const std::size_t left = static_cast<std::size_t>(elements_.rend() - begin);
      while (elements_.size() > left) give_up();
      Element element = std::move(elements_.back());
      elements_.pop_back();
      add(Inline::group(Content(encode_(element.tag)), std::move(element.parts), Content(encode_(tag))));
    } else if (is_void_element(name) || tag.ends_with("/>")) {
      add(Inline::object(Content(encode_(tag)), name == "br"));
    } else if (tag[1] == '!' || tag[1] == '?' || depth() > kMostOpenTags) {
      add(kept_text(tag));
    } else {
      elements_.push_back({std::move(name), std::string(tag), {}});
    }
  }
  /// Makes the tag of the innermost element a part of the text, such as <file>.
  void give_up() {
    Element element = std::move(elements_.back());
    elements_.pop_back();
    add(kept_text(element.tag));
    std::ranges::move(element.parts, std::back_inserter(elements_.back().parts));
  }

  const Encode& encode_;
  MessageParts found_;
  std::size_t depth_;
  std::vector<Element> elements_;
};

/// The texts among parts that are translated, and what they make together.
struct JoinedTexts {
  struct Place {
    Inline* part;
    std::size_t begin;
  };
  std::string text;
  std::vector<Place> places;

  void add(std::vector<Inline>& parts) {
    for (Inline& part : parts) {
      if (part.is_kept) {
        text += '%';  // stands for a word
        continue;
      }
      if (part.kind == Inline::Kind::text) places.push_back({&part, text.size()});
      text += part.text;
      if (part.divides) text += '\n';
      add(part.parts);
    }
  }
};

/// Takes the mark of an accelerator out of parts.
std::optional<Accelerator> take_accelerator(std::vector<Inline>& parts, std::string_view marks) {
  JoinedTexts texts;
  texts.add(parts);
  std::optional<Accelerator> accelerator = Accelerator::in(texts.text, marks);
  if (!accelerator) return accelerator;
  const auto after =
      std::ranges::upper_bound(texts.places, accelerator->place(), {}, &JoinedTexts::Place::begin);
  const auto [part, begin] = *(after - 1);
  part->text.erase(accelerator->place() - begin, 1);
  return accelerator;
}

/// Makes words with marks, such as R&D, parts that are kept.
std::vector<Inline> with_kept_words(std::vector<Inline> parts, std::string_view marks) {
  std::vector<Inline> result;
  for (Inline& part : parts) {
    if (part.kind == Inline::Kind::text) {
      const std::string_view text = part.text;
      std::size_t taken = 0;
      for (const auto& [begin, end] : words_with_marks(text, marks)) {
        if (begin > taken) result.push_back(Inline::of_text(std::string(text.substr(taken, begin - taken))));
        result.push_back(kept_text(text.substr(begin, end - begin)));
        taken = end;
      }
      if (taken < text.size()) result.push_back(Inline::of_text(std::string(text.substr(taken))));
      continue;
    }
    if (!part.is_kept) part.parts = with_kept_words(std::move(part.parts), marks);
    result.push_back(std::move(part));
  }
  return result;
}

Content translated_parts(std::vector<Inline> parts, const Content& original, TextEncoding encoding,
                         MessageParts found, std::string_view marks) {
  if (has_icu_arguments(text_of(parts))) return original;
  parts = TagParser(encoding.text, found).parsed(std::move(parts));
  if (const std::optional<Accelerator> accelerator = take_accelerator(parts, marks)) {
    encoding.change = [accelerator](std::string_view translation, bool has_markup) {
      return accelerator->marked(translation, has_markup);
    };
  }
  return translated(with_kept_words(std::move(parts), marks), original, encoding);
}

}  // namespace

bool has_icu_arguments(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0) {
      if (const std::size_t size = size_of_template(text.substr(i)); size > 0) {
        i += size - 1;
        continue;
      }
    }
    if (text[i] == '{' && ++depth > 1) return true;
    if (text[i] == '}' && depth > 0) --depth;
    if (text[i] == ',' && depth > 0) return true;
  }
  return false;
}

Content translated_with_tags(std::string_view text, std::string_view original, const TextEncoding& encoding) {
  return translated(
      TagParser(encoding.text, {.templates = false}).parsed({Inline::of_text(std::string(text))}),
      Content(original), encoding);
}

Content translated_message(std::string_view text, std::string_view original, const Encode& encode,
                           std::string_view marks) {
  const auto unchanged = [](std::string_view each) { return std::string(each); };
  return translated_parts({Inline::of_text(std::string(text))}, Content(original),
                          TextEncoding(unchanged, encode), {}, marks);
}

Content translated_message(std::vector<Inline> parts, const Content& original, const TextEncoding& encoding,
                           std::string_view marks) {
  return translated_parts(std::move(parts), original, encoding, {.breaks = false}, marks);
}

}  // namespace nmt
