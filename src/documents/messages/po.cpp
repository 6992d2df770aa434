// Catalogs of messages of GNU gettext.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/text/pattern.h"
#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/lines.h"
#include "documents/messages/messages.h"

namespace nmt {
namespace {

// As gettext breaks lines.
constexpr std::size_t kColumns = 79;

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    switch (const char c = text[++i]) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      case '"':
      case '\\':
        result += c;
        break;
      default:
        result += '\\';
        result += c;
    }
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// Returns a text as strings in quotation marks after a keyword, broken as gettext does: after "\n" and at
/// spaces.
std::string as_strings(std::string_view text, std::size_t keyword_columns, std::string_view end) {
  const std::string whole = escaped(text);
  const std::size_t inner = text.find('\n');
  const bool is_one_line = inner == text.npos || inner + 1 == text.size();
  if (is_one_line && columns_of(whole) + keyword_columns + 3 <= kColumns) return "\"" + whole + "\"";
  std::string strings = "\"\"";
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, size);
    text.remove_prefix(size);
    while (!line.empty()) {
      std::size_t taken = 0, columns = 2;
      while (taken < line.size()) {
        const std::size_t space = line.find(' ', taken);
        const std::size_t next =
            space == line.npos ? line.size() : std::min(line.find_first_not_of(' ', space), line.size());
        const std::size_t more = escaped(line.substr(taken, next - taken)).size();
        if (taken > 0 && columns + more > kColumns) break;
        columns += more;
        taken = next;
      }
      strings += std::string(end) + "\"" + escaped(line.substr(0, taken)) + "\"";
      line.remove_prefix(taken);
    }
  }
  return strings;
}

/// A keyword and its strings: msgid, msgid_plural, msgstr, msgstr[0].
struct CatalogField {
  std::string keyword, text;
  std::size_t begin, end;  // the lines
};

/// The lines between empty lines.
class CatalogEntry {
 public:
  /// `marks`: of accelerators.
  CatalogEntry(const std::vector<DocumentLine>& lines, const std::string& name, std::size_t first_line,
               const std::string& marks)
      : lines_(lines), marks_(marks) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string_view text = without_outer_space(lines[i].text);
      if (text.empty() || text.starts_with('#')) {
        if (text.starts_with("#,") && text.find("fuzzy") != text.npos) flags_ = i;
        if (text.starts_with("#,")) any_flags_ = i;
        continue;
      }
      const std::size_t quote = text.find('"');
      if (quote == text.npos || text.size() < quote + 2 || text.back() != '"' ||
          (quote == 0 && fields_.empty()))
        throw Error("cannot translate '{}': line {} is not of a catalog of messages; check it with msgfmt -c",
                    name, first_line + i);
      if (quote > 0) fields_.push_back({std::string(without_outer_space(text.substr(0, quote))), {}, i, i});
      fields_.back().text += unescaped(text.substr(quote + 1, text.size() - quote - 2));
      fields_.back().end = i + 1;
    }
  }

  void write(DocumentOutput& output) const {
    const CatalogField* const id = field("msgid");
    if (id == nullptr || id->text.empty() || is_translated()) return keep(0, lines_.size(), output);
    const CatalogField* const plural = field("msgid_plural");
    // A mark goes before the first field.
    const std::size_t begin = fields_[0].begin;
    bool has_mark = flags_.has_value();
    std::size_t written = 0;
    for (const CatalogField& each : fields_) {
      if (!each.keyword.starts_with("msgstr")) continue;
      const bool is_singular =
          plural == nullptr || (each.keyword == "msgstr[0]" && field("msgstr[1]") != nullptr);
      if (!has_mark) {
        const std::size_t place = any_flags_.value_or(begin);
        keep(written, place, output);
        if (any_flags_) {
          output.keep("#, fuzzy" + std::string(lines_[place].text.substr(2).starts_with(" ") ? "," : ", ") +
                      std::string(lines_[place].text.substr(2)));
          output.keep(lines_[place].end);
          written = place + 1;
        } else {
          output.keep("#, fuzzy");
          output.keep(lines_[begin].end);
          written = begin;
        }
        has_mark = true;
      }
      keep(written, each.begin, output);
      write_field(each, is_singular ? id->text : plural->text, output);
      written = each.end;
    }
    keep(written, lines_.size(), output);
  }

 private:
  const CatalogField* field(std::string_view keyword) const {
    const auto found = std::ranges::find(fields_, keyword, &CatalogField::keyword);
    return found == fields_.end() ? nullptr : &*found;
  }
  bool is_translated() const {
    const auto is_empty = [](const CatalogField& each) {
      return each.keyword.starts_with("msgstr") && each.text.empty();
    };
    const bool is_message = std::ranges::any_of(
        fields_, [](const CatalogField& each) { return each.keyword.starts_with("msgstr"); });
    return !is_message || (!flags_ && std::ranges::none_of(fields_, is_empty));
  }
  void keep(std::size_t begin, std::size_t end, DocumentOutput& output) const {
    for (std::size_t i = begin; i < end; ++i) {
      output.keep(lines_[i].text);
      output.keep(lines_[i].end);
    }
  }
  void write_field(const CatalogField& each, const std::string& text, DocumentOutput& output) const {
    const std::string end(lines_[each.begin].end.empty() ? "\n" : lines_[each.begin].end);
    output.keep(each.keyword + " ");
    const std::size_t columns = each.keyword.size();
    const auto encode = [columns, end](std::string_view translation) {
      return as_strings(translation, columns, end);
    };
    output.put(translated_message(text, encode(text), encode, marks_));
    output.keep(lines_[each.end - 1].end);
  }

  const std::vector<DocumentLine>& lines_;
  const std::string& marks_;
  std::vector<CatalogField> fields_;
  std::optional<std::size_t> flags_, any_flags_;  // the line with the flag fuzzy, and with any
};

/// Returns the mark of accelerators that a catalog declares, or else the usual ones.
std::string accelerator_marks(std::string_view head) {
  static const Pattern declared("X-Accelerator-Marker:[ \t]*([_&~])");
  const std::vector<std::string> found = declared.find(std::string(head));
  return found.empty() ? "_&" : found[1];
}

}  // namespace

std::string charset_of_po(std::string_view head) {
  static const Pattern declared("charset=([A-Za-z0-9_-]+)", Pattern::Case::ignored);
  const std::vector<std::string> found = declared.find(std::string(head));
  return found.empty() || found[1] == "CHARSET" ? "" : found[1];  // which templates have
}

void translate_po(const DocumentInput& source, DocumentOutput& output) {
  std::vector<DocumentLine> lines;
  std::size_t line = 0, first = 1;
  bool has_translation = false;  // in `lines`
  const std::string marks = accelerator_marks(source.bytes.substr(0, kHead));
  const auto write = [&] {
    if (!lines.empty()) CatalogEntry(lines, source.name, first, marks).write(output);
    lines.clear();
  };
  for (std::string_view rest = source.bytes; !rest.empty();) {
    const DocumentLine next = take_document_line(rest);
    ++line;
    const std::string_view text = without_outer_space(next.text);
    // A new entry may follow without an empty line.
    const bool is_comment = text.starts_with('#');
    const bool begins =
        has_translation && (is_comment || text.starts_with("msgid ") || text.starts_with("msgctxt"));
    if (text.empty() || begins) write();
    has_translation = (has_translation && !text.empty() && !begins) || text.starts_with("msgstr");
    if (lines.empty()) first = line;
    if (text.empty()) {
      output.keep(next.text);
      output.keep(next.end);
    } else {
      lines.push_back(next);
    }
  }
  write();
}

}  // namespace nmt
