// Markdown: CommonMark with tables, footnotes and front matter.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/pattern.h"
#include "data/text/html.h"
#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/lines.h"

namespace nmt {
namespace {

using Labels = std::set<std::string, std::less<>>;

bool is_ascii_punctuation(char c) {
  return std::ispunct(static_cast<unsigned char>(c)) != 0;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80U;
}

/// Returns a text with marks of Markdown as text. `is_cell`: of a table.
std::string escaped_markdown(std::string_view text, bool is_cell) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_within = i > 0 && i + 1 < text.size() && is_of_word(text[i - 1]) && is_of_word(text[i + 1]);
    const bool is_alone = i + 1 < text.size() && is_space(text[i + 1]) && (i == 0 || is_space(text[i - 1]));
    const bool is_mark = c == '\\' || c == '`' || c == '[' || c == ']' || (c == '*' && !is_alone) ||
                         (c == '_' && !is_within && !is_alone) ||
                         (c == '<' && begins_markup(text.substr(i))) || (c == '|' && is_cell);
    if (is_mark) result += '\\';
    result += c;
  }
  return result;
}

/// Whether a word at the beginning of a line is text, not a mark of a list or heading.
bool may_begin_line(std::string_view word) {
  static const Pattern mark("([-+*=]+|#{1,6}|[0-9]{1,9}[.)]|[>:|~`].*|<.*)");
  return !mark.matches(std::string(word));
}

/// Reads text with its formatting. Line ends in it are spaces, or with two spaces or "\" before them breaks,
/// after which a line begins with `prefix`.
class InlineParser {
 public:
  InlineParser(std::string_view text, const Labels& labels, const std::string& prefix, const Encode& encode)
      : text_(text), labels_(labels), prefix_(prefix), encode_(encode) {}

  std::vector<Inline> parts(std::size_t begin, std::size_t end, int depth = 0) const {
    std::vector<Inline> parts;
    std::string text;
    const auto add = [&](Inline part) {
      if (!text.empty()) parts.push_back(Inline::of_text(std::move(text)));
      text.clear();
      parts.push_back(std::move(part));
    };
    for (std::size_t i = begin; i < end;) {
      const std::string_view rest = text_.substr(i, end - i);
      if (const std::size_t size = size_of_break(rest); size > 0) {
        add(Inline::object(Content(std::string(rest.substr(0, size)) + prefix_), true));
        i += size;
      } else if (rest[0] == '\\' && rest.size() > 1 && is_ascii_punctuation(rest[1])) {
        text += rest[1];
        i += 2;
      } else if (const std::size_t code = size_of_code(rest); code > 0) {
        add(kept(rest.substr(0, code)));
        i += code;
      } else if (const std::size_t tag = size_of_tag(rest); tag > 0) {
        const bool is_address = rest[1] != '/' && rest[1] != '!' &&
                                rest.substr(0, tag).find_first_of(":@") != rest.npos &&
                                rest.substr(0, tag).find_first_of(" =") == rest.npos;
        add(is_address ? kept(rest.substr(0, tag)) : Inline::object(Content(rest.substr(0, tag))));
        i += tag;
      } else if (take_link(i, end, depth, add) || take_emphasis(i, end, depth, add)) {
        continue;
      } else {
        text += rest[0] == '\n' ? ' ' : rest[0];
        ++i;
      }
    }
    if (!text.empty()) parts.push_back(Inline::of_text(std::move(text)));
    return parts;
  }

 private:
  static constexpr int kDeepest = 16;

  static Inline kept(std::string_view bytes) {
    // The text is what a translator sees; the bytes are written.
    Inline part = Inline::group(Content(bytes), {}, {});
    part.is_kept = true;
    part.seen = std::string(bytes);
    return part;
  }
  static std::size_t size_of_break(std::string_view rest) {
    if (rest.starts_with("\\\n")) return 2;
    const std::size_t spaces = std::min(rest.find_first_not_of(' '), rest.size());
    return spaces >= 2 && spaces < rest.size() && rest[spaces] == '\n' ? spaces + 1 : 0;
  }
  static std::size_t size_of_code(std::string_view rest) {
    const std::size_t marks = std::min(rest.find_first_not_of('`'), rest.size());
    if (marks == 0) return 0;
    for (std::size_t at = rest.find('`', marks); at < rest.size(); at = rest.find('`', at)) {
      const std::size_t end = std::min(rest.find_first_not_of('`', at), rest.size());
      if (end - at == marks) return end;
      at = end;
    }
    return 0;
  }
  static std::size_t size_of_tag(std::string_view rest) {
    if (!begins_markup(rest)) return 0;
    if (rest.starts_with("<!--")) {
      const std::size_t end = rest.find("-->");
      return end == rest.npos ? 0 : end + 3;
    }
    char quote = 0;
    const std::size_t end = find_unquoted(rest, ">", quote);
    return end == rest.npos ? 0 : end + 1;
  }
  /// Returns the place of the bracket that closes one at a place; npos: none.
  std::size_t closing(std::size_t open, std::size_t end, char begin_mark, char end_mark) const {
    int depth = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (const std::size_t code = size_of_code(text_.substr(i, end - i)); code > 0) {
        i += code - 1;
      } else if (text_[i] == begin_mark) {
        ++depth;
      } else if (text_[i] == end_mark && --depth == 0) {
        return i;
      }
    }
    return text_.npos;
  }
  template <class Add>
  bool take_link(std::size_t& i, std::size_t end, int depth, const Add& add) const {
    const bool is_image = text_[i] == '!' && i + 1 < end && text_[i + 1] == '[';
    const std::size_t open = is_image ? i + 1 : i;
    if (text_[open] != '[' || depth >= kDeepest) return false;
    const std::size_t close = closing(open, end, '[', ']');
    if (close == text_.npos) return false;
    const std::string_view inner = text_.substr(open + 1, close - open - 1);
    if (inner.starts_with('^')) {
      add(Inline::object(Content(text_.substr(i, close + 1 - i))));
      i = close + 1;
      return true;
    }
    std::size_t last = close;  // of all
    std::string target;
    if (close + 1 < end && text_[close + 1] == '(') {
      last = closing(close + 1, end, '(', ')');
      if (last == text_.npos) return false;
      target = text_.substr(close + 1, last - close);
    } else if (close + 2 < end && text_[close + 1] == '[' && text_[close + 2] != ']') {
      last = closing(close + 1, end, '[', ']');
      if (last == text_.npos) return false;
      target = text_.substr(close + 1, last - close);
    } else if (labels_.contains(inner)) {
      if (text_.substr(close + 1, std::min<std::size_t>(2, end - close - 1)) == "[]") last = close + 2;
      target = "[" + std::string(inner) + "]";
    } else {
      return false;
    }
    std::vector<Inline> parts = this->parts(open + 1, close, depth + 1);
    if (is_image) {
      Content image("![");
      image.add(translated(std::move(parts), Content(inner), encode_));
      image.keep("]" + target);
      add(Inline::object(std::move(image)));
    } else {
      add(Inline::group(Content("["), std::move(parts), Content("]" + target)));
    }
    i = last + 1;
    return true;
  }
  template <class Add>
  bool take_emphasis(std::size_t& i, std::size_t end, int depth, const Add& add) const {
    const char mark = text_[i];
    if ((mark != '*' && mark != '_' && mark != '~') || depth >= kDeepest) return false;
    std::size_t size = 1;
    while (i + size < end && text_[i + size] == mark) ++size;
    const bool is_usual = mark == '~' ? size == 2 : size <= 3;
    if (!is_usual || i + size >= end || is_space(text_[i + size])) return false;
    if (mark == '_' && i > 0 && is_of_word(text_[i - 1])) return false;
    for (std::size_t at = i + size; at < end; ++at) {
      if (text_[at] == '\\') {
        ++at;
        continue;
      }
      if (const std::size_t code = size_of_code(text_.substr(at, end - at)); code > 0) {
        at += code - 1;
        continue;
      }
      if (text_[at] != mark) continue;
      std::size_t count = 1;
      while (at + count < end && text_[at + count] == mark) ++count;
      const bool closes = count == size && !is_space(text_[at - 1]) &&
                          (mark != '_' || at + count == end || !is_of_word(text_[at + count]));
      if (closes) {
        const std::string_view marks = text_.substr(i, size);
        add(Inline::group(Content(marks), parts(i + size, at, depth + 1), Content(marks)));
        i = at + count;
        return true;
      }
      at += count - 1;
    }
    return false;
  }

  std::string_view text_;
  const Labels& labels_;
  const std::string& prefix_;
  const Encode& encode_;
};

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
    static const Pattern label("^ {0,3}\\[([^]^][^]]*)\\]:");
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::string_view line = take_document_line(rest).text;
      if (line.find("]:") == line.npos) continue;
      const std::vector<std::string> found = label.find(std::string(line));
      if (!found.empty()) labels_.insert(found[1]);
    }
  }

  void translate() {
    keep_front_matter();
    while (!rest_.empty()) {
      const DocumentLine line = take_document_line(rest_);
      if (!fence_.empty() || is_in_html_) {
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
    if (is_in_html_) {
      if (body.empty()) is_in_html_ = false;
    } else if (body.starts_with(fence_) &&
               without_outer_space(body).find_first_not_of(fence_[0]) == body.npos) {
      fence_.clear();
    }
    keep(line);
  }
  /// Returns a line without the space and the marks of quotations before it.
  static std::string_view body_of(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t>");
    return begin == line.npos ? std::string_view() : line.substr(begin);
  }

  void take(const DocumentLine& line) {
    const std::string_view body = body_of(line.text);
    std::size_t prefix = line.text.size() - body.size();
    if (body.empty()) {
      end_paragraph();
      return keep(line);
    }
    const std::size_t quote = line.text.substr(0, prefix).rfind('>');
    const std::size_t indent = quote == line.text.npos ? prefix : prefix - quote - 1;
    if (paragraph_.empty() && indent < list_indent_) list_indent_ = 0;
    if (paragraph_.empty() &&
        (indent >= list_indent_ + 4 || line.text.substr(0, prefix).find('\t') != line.text.npos) &&
        size_of_list_mark(body, false) == 0)
      return keep(line);
    take_body(line, prefix);
  }
  void take_body(const DocumentLine& line, std::size_t prefix) {
    static const Pattern heading("^#{1,6}([ \t]+|$)"), underline("^(=+|-+)[ \t]*$"),
        rule("^(([-][ \t]*){3,}|([*][ \t]*){3,}|([_][ \t]*){3,})$"), definition("^\\[[^]^][^]]*\\]:"),
        note("^\\[\\^[^]]+\\]:[ \t]*"), fence("^(`{3,}[^`]*|~{3,}.*)$");
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
      is_in_html_ = true;
      return keep(line);
    }
    if (!definition.find(body).empty()) {
      end_paragraph();
      return keep(line);
    }
    if (const auto found = heading.find(body); !found.empty()) {
      end_paragraph();
      paragraph_.push_back(
          {line.text.substr(0, prefix + found[0].size()), line.text.substr(prefix + found[0].size()), line});
      return end_paragraph();
    }
    if (const auto found = note.find(body); !found.empty()) {
      end_paragraph();
      paragraph_.push_back(
          {line.text.substr(0, prefix + found[0].size()), line.text.substr(prefix + found[0].size()), line});
      return;
    }
    if (paragraph_.empty() && begins_table(body)) return take_table(line);
    if (const std::size_t mark = size_of_list_mark(body, !paragraph_.empty()); mark > 0) {
      end_paragraph();
      list_indent_ = prefix + mark;
      if (prefix + mark >= line.text.size()) return keep(line);
      return take_body(line, prefix + mark);
    }
    paragraph_.push_back({line.text.substr(0, prefix), line.text.substr(prefix), line});
    if (paragraph_.size() >= kMostLines) end_paragraph();
  }
  bool begins_html(const std::string& body) const {
    if (!begins_markup(body)) return false;
    if (body.starts_with("<!--") || body.starts_with("<?")) return true;
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
    return next.find('|') != next.npos && delimiter.matches(std::string(next));
  }
  void take_table(const DocumentLine& first) {
    write_row(first);
    keep(take_document_line(rest_));
    while (!rest_.empty()) {
      std::string_view rest = rest_;
      const DocumentLine line = take_document_line(rest);
      if (line.text.find('|') == line.text.npos) return;
      rest_ = rest;
      write_row(line);
    }
  }
  void write_row(const DocumentLine& line) {
    const auto encode = [](std::string_view text) { return escaped_markdown(text, true); };
    std::size_t begin = 0;
    const auto write_cell = [&](std::size_t end) {
      const std::string_view cell = line.text.substr(begin, end - begin), inner = without_outer_space(cell);
      const std::size_t at = inner.empty() ? 0 : static_cast<std::size_t>(inner.data() - cell.data());
      output_.keep(cell.substr(0, at));
      write(inner, inner, "", encode);
      output_.keep(cell.substr(at + inner.size()));
    };
    for (std::size_t i = 0; i < line.text.size(); ++i) {
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
  void write(std::string_view text, std::string_view original, const std::string& prefix,
             const TextEncoding& encoding) {
    const InlineParser parser(text, labels_, prefix, encoding.text);
    output_.put(translated(parser.parts(0, text.size()), Content(original), encoding));
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
    const auto break_lines = [=](std::string_view whole) {
      if (is_one) return std::string(whole);
      // Breaks of the author stay.
      std::string result;
      while (true) {
        const std::size_t end = std::min(whole.find('\n'), whole.size());
        const std::string_view part = whole.substr(0, end);
        std::string_view inner = part;
        if (end < whole.size())
          inner = inner.ends_with('\\') ? inner.substr(0, end - 1) : without_outer_space(inner);
        result += broken(inner.starts_with(prefix) ? inner.substr(prefix.size()) : inner, columns, between,
                         may_begin_line);
        if (end == whole.size()) return result;
        result += part.substr(static_cast<std::size_t>(inner.data() + inner.size() - part.data()));
        result += between;
        whole.remove_prefix(end + 1);
      }
    };
    output_.keep(lines.front().prefix);
    write(text, original, prefix, TextEncoding(encode, break_lines));
    output_.keep(lines.back().line.end);
  }

  static constexpr std::size_t kMostLines = 10'000;

  std::string_view rest_;
  DocumentOutput& output_;
  Labels labels_;  // of links
  std::vector<ParagraphLine> paragraph_;
  std::size_t list_indent_ = 0;
  std::string fence_;  // of the program text that is read
  bool is_in_html_ = false;
};

}  // namespace

void translate_markdown(const DocumentInput& source, DocumentOutput& output) {
  MarkdownDocument(source.bytes, output).translate();
}

}  // namespace nmt
