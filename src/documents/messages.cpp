#include "documents/messages.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "data/text/html.h"
#include "documents/accelerator.h"

namespace nmt {
namespace {

constexpr std::size_t kLongestTag = 1000, kDeepestTags = 32;

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

/// Whether a text has arguments in the format of ICU that are nested or have commas.
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

Inline kept_tag(std::string_view bytes) {
  Inline part = Inline::group({}, {Inline::of_text(std::string(bytes))}, {});
  part.is_kept = true;
  return part;
}

/// Finds tags, their end tags, and white space that divides a text.
class TagParser {
 public:
  TagParser() : elements_(1) {}

  std::vector<Inline> parts(std::string_view text, bool has_templates) && {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view rest = text.substr(i);
      const std::size_t tag = size_of_tag(rest), gap = size_of_break(rest);
      const std::size_t size = std::max({tag, gap, has_templates ? size_of_template(rest) : 0});
      if (size == 0) {
        i += std::max<std::size_t>(std::min(rest.find_first_not_of(' '), rest.size()), 1);
        continue;
      }
      if (i > taken) add(Inline::of_text(std::string(text.substr(taken, i - taken))));
      if (tag > 0) {
        take(rest.substr(0, tag));
      } else if (gap > 0) {
        add(Inline::object(Content(rest.substr(0, gap)), true));
      } else {
        add(kept_tag(rest.substr(0, size)));
      }
      i += size;
      taken = i;
    }
    if (taken < text.size()) add(Inline::of_text(std::string(text.substr(taken))));
    while (elements_.size() > 1) give_up();
    return std::move(elements_[0].parts);
  }

 private:
  /// An element whose end tag was not read; the first one is the text.
  struct Element {
    std::string name;
    std::string_view tag;
    std::vector<Inline> parts;
  };

  void add(Inline part) { elements_.back().parts.push_back(std::move(part)); }
  void take(std::string_view tag) {
    std::string name = name_in_tag(tag);
    if (tag[1] == '/') {
      const auto begin = std::find_if(elements_.rbegin(), elements_.rend() - 1,
                                      [&](const Element& each) { return each.name == name; });
      if (begin == elements_.rend() - 1) return add(kept_tag(tag));
      const std::size_t left = static_cast<std::size_t>(elements_.rend() - begin);
      while (elements_.size() > left) give_up();
      Element element = std::move(elements_.back());
      elements_.pop_back();
      add(Inline::group(Content(element.tag), std::move(element.parts), Content(tag)));
    } else if (is_void_element(name) || tag.ends_with("/>")) {
      add(Inline::object(Content(tag), name == "br"));
    } else if (tag[1] == '!' || tag[1] == '?' || elements_.size() > kDeepestTags) {
      add(kept_tag(tag));
    } else {
      elements_.push_back({std::move(name), tag, {}});
    }
  }
  /// Makes the tag of the innermost element a part of the text, such as <file>.
  void give_up() {
    Element element = std::move(elements_.back());
    elements_.pop_back();
    add(kept_tag(element.tag));
    std::ranges::move(element.parts, std::back_inserter(elements_.back().parts));
  }

  std::vector<Element> elements_;
};

}  // namespace

Content translated_with_tags(std::string_view text, std::string_view original, const TextEncoding& encoding) {
  return translated(TagParser().parts(text, false), Content(original), encoding);
}

Content translated_message(std::string_view text, std::string_view original, const Encode& encode,
                           std::string_view marks) {
  if (has_icu_arguments(text)) return Content(original);
  if (const std::optional<Accelerator> accelerator = Accelerator::in(text, marks)) {
    return translated_message(accelerator->text(), original,
                              [accelerator, encode](std::string_view translation) {
                                return encode(accelerator->marked(translation));
                              });
  }
  const auto unchanged = [](std::string_view each) { return std::string(each); };
  return translated(TagParser().parts(text, true), Content(original), TextEncoding(unchanged, encode));
}

}  // namespace nmt
