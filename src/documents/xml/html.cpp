// HTML and XHTML.
#include "data/text/html.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/text/pattern.h"
#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/xml/xml_reader.h"

namespace nmt {
namespace {

// A text of that many bytes ends at the next tag.
constexpr std::size_t kLongText = std::size_t{256} << 10;

bool is_text_attribute(std::string_view tag, const std::string& attribute) {
  static const std::set<std::string, std::less<>> everywhere = {"alt", "title", "placeholder", "aria-label",
                                                                "aria-description"};
  if (everywhere.contains(attribute)) return true;
  const std::string name = name_in_tag(tag);
  if (attribute == "label") return name == "option" || name == "optgroup" || name == "track";
  if (attribute == "value" && name == "input") {
    const std::string type = attribute_in_tag(tag, "type").value_or("");
    return type == "submit" || type == "button" || type == "reset";
  }
  if (attribute != "content" || name != "meta") return false;
  static const std::set<std::string, std::less<>> facts = {"description", "og:title", "og:description",
                                                           "twitter:title", "twitter:description"};
  return facts.contains(attribute_in_tag(tag, "name").value_or("")) ||
         facts.contains(attribute_in_tag(tag, "property").value_or(""));
}

/// The prefixes of elements of XHTML, MathML and SVG: <h:p>. Such a tag is "seen" as one without a prefix,
/// which stands after its name instead: <p h:>.
class XhtmlPrefixes {
 public:
  XhtmlPrefixes() = default;
  explicit XhtmlPrefixes(std::string_view document) {
    static const std::set<std::string_view> namespaces = {
        "http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"};
    constexpr std::string_view kDeclares = "xmlns:";
    for (std::size_t at = document.find(kDeclares); at != document.npos; at = document.find(kDeclares, at)) {
      at += kDeclares.size();
      const std::string_view rest = document.substr(at, kLongest);
      const std::size_t equals = rest.find('='), begin = rest.find_first_of("\"'"),
                        end = begin == rest.npos ? begin : rest.find(rest[begin], begin + 1);
      if (end == rest.npos || equals > begin) continue;
      const std::string_view prefix = without_outer_space(rest.substr(0, equals));
      if (namespaces.contains(rest.substr(begin + 1, end - begin - 1)) && !prefix.empty())
        prefixes_.insert(std::string(prefix) + ":");
    }
  }

  /// Returns markup as it is seen.
  std::string seen(std::string_view markup) const {
    return rewritten(markup, [this](std::string_view name) -> std::string {
      const std::string_view prefix = name.substr(0, name.find(':') + 1);
      if (!prefixes_.contains(prefix)) return std::string(name);
      return std::string(name.substr(prefix.size())) + " " + std::string(prefix);
    });
  }
  /// Returns markup as the document has it.
  std::string written(std::string_view markup) const {
    return rewritten(markup, [](std::string_view name) -> std::string {
      const std::size_t space = name.find(' ');
      if (space == name.npos) return std::string(name);
      return std::string(name.substr(space + 1)) + std::string(name.substr(0, space));
    });
  }

 private:
  static constexpr std::size_t kLongest = 256;  // of a declaration

  /// Calls `rewrite` with the name in each tag, and with the prefix if it follows the name.
  template <class Rewrite>
  std::string rewritten(std::string_view markup, Rewrite rewrite) const {
    if (prefixes_.empty()) return std::string(markup);
    std::string result;
    while (!markup.empty()) {
      const std::size_t tag = std::min(markup.find('<'), markup.size());
      std::size_t begin = std::min(tag + 1, markup.size());
      if (begin < markup.size() && markup[begin] == '/') ++begin;
      result += markup.substr(0, begin);
      markup.remove_prefix(begin);
      std::size_t end = std::min(markup.find_first_of(" \t\r\n/><"), markup.size());
      if (markup.substr(end).starts_with(' ')) {
        const std::string_view next = markup.substr(end + 1);
        const std::string_view prefix = next.substr(0, next.find(':') + 1);
        if (prefixes_.contains(prefix)) end += 1 + prefix.size();
      }
      result += rewrite(markup.substr(0, end));
      markup.remove_prefix(end);
    }
    return result;
  }

  std::set<std::string, std::less<>> prefixes_;
};

/// Returns a tag with its attributes that are texts. `seen`: the tag as it is seen.
Content content_of(std::string_view tag, std::string_view seen) {
  Content content;
  if (translates(seen) == false) return Content(tag);
  std::size_t taken = 0;
  for (const AttributeValue& value : attribute_values(tag)) {
    const std::string_view bytes = tag.substr(value.begin, value.end - value.begin);
    const std::string text = without_references(bytes);
    if (!has_letters(text) || !is_text_attribute(seen, boost::algorithm::to_lower_copy(value.name))) continue;
    content.keep(tag.substr(taken, value.begin - taken));
    content.add(translated(text, bytes, xml_attribute));
    taken = value.end;
  }
  content.keep(tag.substr(taken));
  return content;
}

bool has_segments(const Content& content) {
  bool has = false;
  content.for_each_segment([&has](const TextSegment&) { has = true; });
  return has;
}

class HtmlDocument {
 public:
  HtmlDocument(const DocumentInput& source, DocumentOutput& output)
      : name_(source.name), rest_(source.bytes), output_(output) {
    const std::string_view head = source.bytes.substr(0, 1024);
    is_xhtml_ = head.starts_with("<?xml") || head.find("http://www.w3.org/1999/xhtml") != head.npos;
    if (is_xhtml_) prefixes_ = XhtmlPrefixes(source.bytes);
  }

  void translate() {
    while (!rest_.empty()) {
      if (begins_markup(rest_)) {
        take_markup();
      } else {
        take_text();
      }
    }
    flush();
  }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Adds markup within a text.
  void add(std::string_view bytes) {
    original_.keep(bytes);
    html_ += prefixes_.seen(bytes);
  }
  void take_text() {
    std::size_t size = 1;
    while (size < rest_.size() && !begins_markup(rest_.substr(size)))
      size = std::min(rest_.find('<', size + 1), rest_.size());
    if (html_.size() + size > kLongestText)
      throw Error("cannot translate '{}': it has a text of more than {} MiB", name_, kLongestText >> 20);
    const std::string_view text = take(size);
    divide_at_seam(text);
    has_letters_ = has_letters_ || has_letters(without_references(text));
    add(text);
    end_of_text_ = html_.size();
  }
  /// Divides the text between adjacent elements, such as <b>File</b><i>Open</i>, if a new word begins with
  /// `text`, the text after them. Adjacent links are never one word.
  void divide_at_seam(std::string_view text) {
    const std::string_view before = std::string_view(html_).substr(0, end_of_text_);
    const bool has_space = before.empty() || without_outer_space(text).data() != text.data() ||
                           without_outer_space(before).size() < before.size();
    if (seam_ && (seam_->is_of_links ? !has_space : begins_word(before, text))) {
      objects_.emplace_back();
      html_.insert(seam_->place, "<br" + std::string(kHtmlObject) + std::to_string(objects_.size()) + "\">");
    }
    seam_.reset();
    last_end_.clear();
  }
  /// Notes a tag within a text.
  void note_seam(const std::string& name, bool is_end, bool is_empty) {
    if (is_end || is_empty) {
      seam_.reset();
      last_end_ = is_end ? name : "";
    } else if (!last_end_.empty() && !seam_) {
      seam_ = {html_.size(), name == "a" && last_end_ == "a"};
    }
  }
  void take_markup() {
    if (const std::string_view ending = ending_of_section(rest_); !ending.empty()) {
      const std::size_t end = rest_.find(ending, 2);
      const std::string_view section = take(end == rest_.npos ? end : end + ending.size());
      if (is_block_element(name_in_tag(section)) || section.starts_with("<![")) return put_block(section);
      return add(section);
    }
    char quote = 0;
    const std::size_t end = rest_.starts_with("</") ? rest_.find('>') : find_unquoted(rest_, ">", quote);
    if (end == rest_.npos) return put_block(take(rest_.size()));
    const std::string_view whole = rest_, tag = take(end + 1);
    const std::string seen = prefixes_.seen(tag), name = name_in_tag(seen);
    const bool is_end = tag.starts_with("</");
    const bool is_empty = is_void_element(name) || (is_xhtml_ && tag.ends_with("/>"));
    if (!is_end && !is_empty && is_raw_element(name)) {
      rest_.remove_prefix(std::min(find_end_tag(rest_, name_in_tag(tag)), rest_.size()));
      return put_block(whole.substr(0, whole.size() - rest_.size()));
    }
    const bool is_block = name != "br" && (is_block_element(name) || tag.starts_with("<!"));
    if (!is_end && !is_empty && translates(seen) == false) {
      skip_element(name_in_tag(tag));
      const std::string_view element = whole.substr(0, whole.size() - rest_.size());
      return is_block || name == "svg" || name == "math" ? put_block(element) : add(element);
    }
    if (is_block || html_.size() > kLongText) {
      flush();
      output_.put(is_end ? Content(tag) : content_of(tag, seen));
    } else {
      note_seam(name, is_end, is_empty);
      add_tag(tag, seen, is_end);
    }
  }
  /// Adds a tag within a text, or one in its place if it has texts of its own.
  void add_tag(std::string_view tag, const std::string& seen, bool is_end) {
    const Content content = is_end ? Content(tag) : content_of(tag, seen);
    original_.add(content);
    const bool is_like_object = tag.find(kHtmlObject) != tag.npos;
    if (!has_segments(content) && !is_like_object) {
      html_ += seen;
      return;
    }
    objects_.push_back(content);
    html_ += "<" + name_in_tag(seen) + std::string(kHtmlObject) + std::to_string(objects_.size()) +
             (tag.ends_with("/>") ? "\"/>" : "\">");
  }
  /// Passes over the contents of an element, whose tag was taken, and its end tag.
  void skip_element(const std::string& name) {
    for (int depth = 1; depth > 0 && !rest_.empty();) {
      const std::size_t at = std::min(rest_.find('<'), rest_.size());
      rest_.remove_prefix(at);
      if (rest_.empty()) return;
      const bool is_end = rest_.starts_with("</");
      if (!begins_markup(rest_)) {
        rest_.remove_prefix(1);
        continue;
      }
      if (const std::string_view ending = ending_of_section(rest_); !ending.empty()) {
        const std::size_t end = rest_.find(ending, 2);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + ending.size());
        continue;
      }
      char quote = 0;
      const std::size_t end = is_end ? rest_.find('>') : find_unquoted(rest_, ">", quote);
      const std::string_view tag = take(end == rest_.npos ? end : end + 1);
      if (name_in_tag(tag) != name || tag.ends_with("/>")) continue;
      depth += is_end ? -1 : 1;
    }
  }
  void put_block(std::string_view bytes) {
    flush();
    output_.keep(bytes);
  }
  /// Ends the text.
  void flush() {
    if (html_.empty()) return;
    if (has_letters_) {
      Content content;
      content.add(std::make_shared<TextSegment>(
          std::move(html_), std::move(objects_), std::move(original_),
          [prefixes = prefixes_](std::string_view html) { return prefixes.written(html); }));
      output_.put(std::move(content));
    } else {
      output_.put(std::move(original_));
    }
    html_.clear();
    objects_.clear();
    original_ = {};
    has_letters_ = false;
    end_of_text_ = 0;
    seam_.reset();
    last_end_.clear();
  }

  const std::string& name_;
  std::string_view rest_;
  DocumentOutput& output_;
  bool is_xhtml_ = false;
  XhtmlPrefixes prefixes_;
  // The text that is read.
  std::string html_;
  std::vector<Content> objects_;
  Content original_;
  bool has_letters_ = false;
  std::size_t end_of_text_ = 0;  // the end of the last text in html_
  /// The place in html_ of a begin tag that follows an end tag.
  struct Seam {
    std::size_t place;
    bool is_of_links;
  };
  std::optional<Seam> seam_;
  std::string last_end_;  // the name in the end tag before, if no text and no begin tag follows it
};

}  // namespace

std::string charset_of_html(std::string_view head) {
  static const Pattern declared(
      "<meta[[:space:]][^>]*charset[[:space:]]*=[[:space:]]*[\"']?([A-Za-z0-9_.:-]+)",
      Pattern::Case::ignored);
  const std::vector<std::string> found = declared.find(std::string(head));
  const std::string charset =
      boost::algorithm::to_lower_copy(found.empty() ? charset_of_xml(head) : found[1]);
  // What browsers take these names for.
  if (charset == "iso-8859-1" || charset == "latin1") return "windows-1252";
  return charset.starts_with("utf-16") ? "UTF-8" : charset;
}

void translate_html(const DocumentInput& source, DocumentOutput& output) {
  HtmlDocument(source, output).translate();
}

}  // namespace nmt
