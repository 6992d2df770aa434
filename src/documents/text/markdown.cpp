// Markdown: CommonMark with tables, footnotes and front matter.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/pattern.h"
#include "data/text/html.h"
#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/lines.h"
#include "documents/text/markdown_inlines.h"

namespace nmt {
namespace {

/// Returns text at the beginning of a paragraph so that it does not begin another block, such as a list.
std::string escaped_begin(std::string text) {
  static const Pattern mark("^([-+*>]|#{1,6}|[0-9]{1,9}[.)])");
  const std::vector<std::string> found = mark.find(text.substr(0, 16));
  if (found.empty()) return text;
  const std::size_t size = found[0].size();
  const bool is_word = size == text.size() || text.find_first_of(" \t\n", size) == size;
  if (!is_word && text[0] != '>') return text;
  const bool is_number = std::isdigit(static_cast<unsigned char>(text[0])) != 0;
  return text.insert(is_number ? size - 1 : 0, "\\");
}

/// Returns the number of cells in a row of a table.
std::size_t cells_in(std::string_view row) {
  row = without_outer_space(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  if (row.ends_with('|') && !row.ends_with("\\|")) row.remove_suffix(1);
  std::size_t cells = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\') {
      ++i;
    } else if (row[i] == '|') {
      ++cells;
    }
  }
  return cells;
}

/// Whether a word at the beginning of a line is text, not a mark of a list or heading.
bool may_begin_line(std::string_view word) {
  static const Pattern mark("([-+*=]+|#{1,6}|[0-9]{1,9}[.)]|[>:|~`].*|<.*)");
  return !mark.matches(std::string(word));
}

/// The mark at the beginning of a list item, with the space after it and the box of a task.
std::size_t size_of_list_mark(std::string_view body, bool interrupts) {
  static const Pattern mark("^([-+*]|[0-9]{1,9}[.)])([ \t]+(\\[[ xX]\\][ \t]+)?|$)");
  const std::vector<std::string> found = mark.find(std::string(body.substr(0, 64)));
  if (found.empty()) return 0;
  const bool is_number = std::isdigit(static_cast<unsigned char>(body[0])) != 0;
  if (interrupts && ((is_number && found[1].substr(0, found[1].size() - 1) != "1") || found[2].empty()))
    return 0;
  return found[0].size();
}

class MarkdownDocument {
 public:
  MarkdownDocument(std::string_view bytes, DocumentOutput& output) : rest_(bytes), output_(output) {
    static const Pattern label("^[ \t>]*\\[([^]^][^]]*)\\]:");
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::string_view line = take_document_line(rest).text;
      if (line.find("]:") == line.npos) continue;
      const std::vector<std::string> found = label.find(std::string(line));
      if (!found.empty()) labels_.insert(folded_words(found[1]));
    }
  }

  void translate() {
    keep_front_matter();
    while (!rest_.empty()) {
      const DocumentLine line = take_document_line(rest_);
      if (!fence_.empty() || !html_end_.empty()) {
        keep_block(line);
      } else {
        take(line);
      }
    }
    end_paragraph();
  }

 private:
  struct ParagraphLine {
    std::string_view prefix, body;
    DocumentLine line;
  };

  void keep(const DocumentLine& line) {
    output_.keep(line.text);
    output_.keep(line.end);
  }
  void keep_front_matter() {
    std::string_view rest = rest_;
    if (rest.empty()) return;
    const std::string_view mark = without_outer_space(take_document_line(rest).text);
    if (mark != "---" && mark != "+++") return;
    while (!rest.empty()) {
      const std::string_view line = without_outer_space(take_document_line(rest).text);
      if (line != mark && !(mark == "---" && line == "...")) continue;
      output_.keep(rest_.substr(0, rest_.size() - rest.size()));
      rest_ = rest;
      return;
    }
  }
  /// Keeps a line of program text or HTML.
  void keep_block(const DocumentLine& line) {
    const std::string_view body = body_of(line.text);
    if (!html_end_.empty()) {
      end_html(line);
    } else if (body.starts_with(fence_) &&
               without_outer_space(body).find_first_not_of(fence_[0]) == body.npos) {
      fence_.clear();
    }
    keep(line);
  }
  /// Ends a block of HTML if this line, which is in it, is the last one.
  void end_html(const DocumentLine& line) {
    const bool ends =
        html_end_ == kEmptyLine
            ? body_of(line.text).empty()
            : !Pattern(html_end_.c_str(), Pattern::Case::ignored).find(std::string(line.text)).empty();
    if (ends) html_end_.clear();
  }
  /// Returns an expression for the end of the block of HTML that begins with a tag.
  static std::string end_of_html(const std::string& body) {
    constexpr std::string_view kProgramText[] = {"pre", "script", "style", "textarea"};
    if (body.starts_with("<!--")) return "-->";
    if (body.starts_with("<?")) return "[?]>";
    if (body.starts_with("<![CDATA[")) return "]]>";
    if (body.starts_with("<!")) return ">";
    const bool is_program_text = !body.starts_with("</") &&
                                 std::ranges::find(kProgramText, name_in_tag(body)) != std::end(kProgramText);
    return is_program_text ? "</(pre|script|style|textarea)>" : kEmptyLine;
  }
  /// Returns the number of marks of quotations.
  static std::ptrdiff_t quotations(std::string_view prefix) { return std::ranges::count(prefix, '>'); }
  /// Returns the columns of a prefix after the last mark of a quotation.
  static std::size_t indent_of(std::string_view prefix) {
    const std::size_t quote = prefix.rfind('>');
    return quote == prefix.npos ? prefix.size() : prefix.size() - quote - 1;
  }
  /// Returns a line without the space and the marks of quotations before it.
  static std::string_view body_of(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t>");
    return begin == line.npos ? std::string_view() : line.substr(begin);
  }

  void take(const DocumentLine& line) {
    const std::string_view body = body_of(line.text);
    const std::size_t prefix = line.text.size() - body.size();
    if (body.empty()) {
      end_paragraph();
      return keep(line);
    }
    const std::size_t indent = indent_of(line.text.substr(0, prefix));
    const bool begins_quotation =
        !paragraph_.empty() && quotations(line.text.substr(0, prefix)) > quotations_;
    if (begins_quotation) end_paragraph();
    if (paragraph_.empty() && indent < list_indent_) list_indent_ = 0;
    if (paragraph_.empty() &&
        (indent >= list_indent_ + 4 || line.text.substr(0, prefix).find('\t') != line.text.npos) &&
        size_of_list_mark(body, false) == 0)
      return keep(line);
    take_body(line, prefix);
  }
  /// `depth`: the number of marks, such as those of lists, in the prefix.
  void take_body(const DocumentLine& line, std::size_t prefix, int depth = 0) {
    static const Pattern heading("^#{1,6}([ \t]+|$)"), underline("^(=+|-+)[ \t]*$"),
        rule("^(([-][ \t]*){3,}|([*][ \t]*){3,}|([_][ \t]*){3,})$"), definition("^\\[[^]^][^]]*\\]:"),
        note("^\\[\\^[^]]+\\]:[ \t]*"), alert("^\\[![A-Za-z]+\\][-+]?([ \t]+|$)"),
        fence("^(`{3,}[^`]*|~{3,}.*)$");
    const std::string body(line.text.substr(prefix));
    if (!paragraph_.empty() && underline.matches(body)) {
      end_paragraph();
      return keep(line);
    }
    if (rule.matches(body)) {
      end_paragraph();
      return keep(line);
    }
    if (fence.matches(body)) {
      end_paragraph();
      fence_ = body.substr(0, std::min(body.find_first_not_of(body[0]), body.size()));
      return keep(line);
    }
    if (begins_html(body)) {
      end_paragraph();
      html_end_ = end_of_html(body);
      end_html(line);
      return keep(line);
    }
    if (!definition.find(body).empty()) {
      end_paragraph();
      return keep(line);
    }
    if (const auto found = heading.find(body); !found.empty()) {
      end_paragraph();
      return write_heading(line, prefix + found[0].size());
    }
    if (const auto found = alert.find(body);
        !found.empty() && paragraph_.empty() && quotations(line.text.substr(0, prefix)) > 0) {
      return write_heading(line, prefix + found[0].size());
    }
    if (const auto found = note.find(body); !found.empty()) {
      end_paragraph();
      return take_inner(line, prefix + found[0].size(), depth);
    }
    if (begins_table(body)) {
      end_paragraph();
      return take_table(line, prefix);
    }
    // The item after a paragraph of the same list need not have the number 1.
    const std::size_t indent = indent_of(line.text.substr(0, prefix));
    const bool interrupts = !paragraph_.empty() && indent >= list_indent_;
    if (const std::size_t mark = size_of_list_mark(body, interrupts); mark > 0 && depth < kDeepestMarks) {
      end_paragraph();
      list_indent_ = indent + mark;
      return take_inner(line, prefix + mark, depth);
    }
    if (paragraph_.empty()) quotations_ = quotations(line.text.substr(0, prefix));
    paragraph_.push_back({line.text.substr(0, prefix), line.text.substr(prefix), line});
    if (paragraph_.size() >= kMostLines) end_paragraph();
  }
  /// Takes what follows a mark at the beginning of a line.
  void take_inner(const DocumentLine& line, std::size_t prefix, int depth) {
    prefix = line.text.size() - body_of(line.text.substr(prefix)).size();
    if (prefix >= line.text.size()) return keep(line);
    take_body(line, prefix, depth + 1);
  }
  /// Writes a line whose text is all of a block.
  void write_heading(const DocumentLine& line, std::size_t prefix) {
    output_.keep(line.text.substr(0, prefix));
    const auto encode = [](std::string_view text) { return escaped_markdown(text, false); };
    write(line.text.substr(prefix), encode);
    output_.keep(line.end);
  }
  bool begins_html(const std::string& body) const {
    if (!begins_markup(body)) return false;
    if (body.starts_with("<!") || body.starts_with("<?")) return true;
    const std::string name = name_in_tag(body);
    const bool is_alone = paragraph_.empty() && body.find('>') + 1 == without_outer_space(body).size();
    const bool is_address = name.find_first_of(":@") != name.npos;
    return !is_address && (is_block_element(name) || is_raw_element(name) || is_alone);
  }
  bool begins_table(std::string_view body) const {
    static const Pattern delimiter("^[ \t>]*\\|?[ \t]*:?-+:?[ \t]*(\\|[ \t]*:?-+:?[ \t]*)*\\|?[ \t]*$");
    if (body.find('|') == body.npos || rest_.empty()) return false;
    std::string_view rest = rest_;
    const std::string_view next = take_document_line(rest).text;
    return next.find('|') != next.npos && delimiter.matches(std::string(next)) &&
           cells_in(body_of(next)) == cells_in(body);
  }
  void take_table(const DocumentLine& first, std::size_t prefix) {
    write_row(first, prefix);
    keep(take_document_line(rest_));
    while (!rest_.empty()) {
      std::string_view rest = rest_;
      const DocumentLine line = take_document_line(rest);
      if (line.text.find('|') == line.text.npos) return;
      rest_ = rest;
      write_row(line, line.text.size() - body_of(line.text).size());
    }
  }
  void write_row(const DocumentLine& line, std::size_t prefix) {
    const auto encode = [](std::string_view text) { return escaped_markdown(text, true); };
    output_.keep(line.text.substr(0, prefix));
    std::size_t begin = prefix;
    const auto write_cell = [&](std::size_t end) {
      const std::string_view cell = line.text.substr(begin, end - begin), inner = without_outer_space(cell);
      const std::size_t at = inner.empty() ? 0 : static_cast<std::size_t>(inner.data() - cell.data());
      output_.keep(cell.substr(0, at));
      write(inner, encode);
      output_.keep(cell.substr(at + inner.size()));
    };
    for (std::size_t i = prefix; i < line.text.size(); ++i) {
      if (line.text[i] == '\\') {
        ++i;
      } else if (line.text[i] == '|') {
        write_cell(i);
        output_.keep("|");
        begin = i + 1;
      }
    }
    write_cell(line.text.size());
    output_.keep(line.end);
  }
  /// Writes a text on one line.
  void write(std::string_view text, const TextEncoding& encoding) {
    write(
        text, text, [](std::size_t place) { return place; }, "", encoding);
  }
  /// Writes a text. `place_of`: returns the place in `original`, its bytes, of one in the text.
  template <class PlaceOf>
  void write(std::string_view text, std::string_view original, const PlaceOf& place_of,
             const std::string& prefix, const TextEncoding& encoding) {
    MarkdownInlines parser(text, labels_, prefix, encoding.text);
    std::vector<Inline> parts = parser.parts();
    // Alternative texts are translated where the text around them stays.
    Content stays;
    std::size_t taken = 0;
    for (const auto& picture : parser.pictures()) {
      const std::size_t begin = place_of(picture.begin);
      stays.keep(original.substr(taken, begin - taken));
      stays.add(picture.content);
      taken = place_of(picture.end - 1) + 1;
    }
    stays.keep(original.substr(taken));
    output_.put(translated(std::move(parts), stays, encoding));
  }
  void end_paragraph() {
    if (paragraph_.empty()) return;
    const std::vector<ParagraphLine> lines = std::exchange(paragraph_, {});
    std::string text;
    std::vector<std::string_view> bodies;
    for (const ParagraphLine& each : lines) {
      if (!text.empty()) text += '\n';
      text += each.body;
      bodies.push_back(each.body);
    }
    const char* const begin = lines.front().body.data();
    const std::string_view last = lines.back().body;
    const std::string_view original(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
    std::string prefix, between = std::string(lines[0].line.end);
    if (lines.size() > 1) prefix = lines[1].prefix;
    between += prefix;
    const std::size_t columns = columns_of(bodies);
    const bool is_one = lines.size() == 1;
    const auto encode = [](std::string_view each) { return escaped_markdown(each, false); };
    const auto place_of = [&lines, begin](std::size_t place) {
      auto line = lines.begin();
      for (; place > line->body.size(); ++line) place -= line->body.size() + 1;
      return static_cast<std::size_t>(line->body.data() - begin) + place;
    };
    const auto break_lines = [=](std::string_view whole) {
      if (is_one) return escaped_begin(std::string(whole));
      // Breaks of the author stay.
      std::string result;
      while (true) {
        const std::size_t end = std::min(whole.find('\n'), whole.size());
        const std::string_view part = whole.substr(0, end);
        std::string_view inner = part;
        if (end < whole.size())
          inner = inner.ends_with('\\') ? inner.substr(0, end - 1) : without_outer_space(inner);
        result += escaped_begin(broken(inner.starts_with(prefix) ? inner.substr(prefix.size()) : inner,
                                       columns, between, may_begin_line));
        if (end == whole.size()) return result;
        result += part.substr(static_cast<std::size_t>(inner.data() + inner.size() - part.data()));
        result += between;
        whole.remove_prefix(end + 1);
      }
    };
    output_.keep(lines.front().prefix);
    write(text, original, place_of, prefix, TextEncoding(encode, break_lines));
    output_.keep(lines.back().line.end);
  }

  static constexpr std::size_t kMostLines = 10'000;
  static constexpr int kDeepestMarks = 100;
  static constexpr const char* kEmptyLine = "empty";  // see html_end_

  std::string_view rest_;
  DocumentOutput& output_;
  LinkLabels labels_;
  std::vector<ParagraphLine> paragraph_;
  std::ptrdiff_t quotations_ = 0;  // of its first line
  std::size_t list_indent_ = 0;
  std::string fence_;  // of the program text that is read
  // Of the block of HTML that is read, an expression for its end, or kEmptyLine; empty: none is read.
  std::string html_end_;
};

}  // namespace

void translate_markdown(const DocumentInput& source, DocumentOutput& output) {
  MarkdownDocument(source.bytes, output).translate();
}

}  // namespace nmt
