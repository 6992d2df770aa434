// YAML: texts by their keys, as in catalogs of Ruby on Rails.
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <istream>
#include <iterator>
#include <limits>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/pattern.h"
#include "documents/formats.h"
#include "documents/lines.h"
#include "documents/messages/keys.h"
#include "documents/messages/messages.h"

namespace nmt {
namespace {

constexpr std::string_view kYamlSpace = " \t\r\n";

bool is_yaml_space(char c) {
  return kYamlSpace.find(c) != kYamlSpace.npos;
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  return std::min(text.find_first_of("\r\n", at), text.size());
}

/// A scalar as it is written.
struct YamlScalar {
  char style = 0;     // its first character if that is a quotation mark, "|" or ">"; otherwise 0
  std::size_t begin;  // of all that stands for the text
  std::size_t inner;  // the place of the first character of the text
  std::size_t end;    // after the text and its quotation marks; line ends after a block do not belong to it
};

/// Returns the place after an anchor and a tag that stand before a scalar.
std::size_t after_properties(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    at = std::min(text.find_first_not_of(kYamlSpace, at), text.size());
    if (at == text.size()) break;
    if (text[at] == '#') {
      at = end_of_line(text, at);
    } else if (text[at] == '&' || text[at] == '!') {
      at = std::min(text.find_first_of(kYamlSpace, at), text.size());
    } else {
      break;
    }
  }
  return at;
}

/// Returns the end of a text without escapes that begins at a place; nothing if another text is there. Any
/// white space may stand for white space, as lines are broken and indented.
std::optional<std::size_t> end_of_value(std::string_view text, std::size_t at, std::string_view value) {
  for (std::size_t i = 0; i < value.size();) {
    if (at == text.size() || is_yaml_space(text[at]) != is_yaml_space(value[i])) return std::nullopt;
    if (!is_yaml_space(value[i])) {
      if (text[at++] != value[i++]) return std::nullopt;
      continue;
    }
    at = std::min(text.find_first_not_of(kYamlSpace, at), text.size());
    i = std::min(value.find_first_not_of(kYamlSpace, i), value.size());
  }
  return at;
}

/// Finds a scalar with this value. `at`: the place of its anchor, its tag or itself. `value` has no white
/// space at its ends.
std::optional<YamlScalar> find_scalar(std::string_view text, std::size_t at, std::string_view value) {
  const std::size_t begin = after_properties(text, at);
  if (begin == text.size()) return std::nullopt;
  const char first = text[begin];
  if (first == '"' || first == '\'') {
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
      if (first == '"' && text[i] == '\\') {
        ++i;
      } else if (text[i] == first) {
        if (first == '"' || i + 1 == text.size() || text[i + 1] != first)
          return YamlScalar{first, begin, begin + 1, i + 1};
        ++i;
      }
    }
    return std::nullopt;
  }
  const bool is_block = first == '|' || first == '>';
  const std::size_t line = is_block ? end_of_line(text, begin) : begin;
  const std::size_t inner = std::min(text.find_first_not_of(kYamlSpace, line), text.size());
  const std::optional<std::size_t> end = end_of_value(text, inner, value);
  if (!end) return std::nullopt;
  return YamlScalar{is_block ? first : '\0', begin, inner, *end};
}

// What versions of YAML take for line ends, and byte order marks.
constexpr std::pair<std::string_view, std::string_view> kLineEnds[] = {
    {"\xc2\x85", "\\N"}, {"\xe2\x80\xa8", "\\L"}, {"\xe2\x80\xa9", "\\P"}, {"\xef\xbb\xbf", "\\uFEFF"}};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

/// Whether only double quotation marks can be around a text on one line.
bool needs_escapes(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_control(c) && c != '\t'; }) ||
         std::ranges::any_of(kLineEnds,
                             [text](const auto& each) { return text.find(each.first) != text.npos; });
}

/// Returns a text in double quotation marks.
std::string double_quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const auto end =
        std::ranges::find_if(kLineEnds, [text](const auto& each) { return text.starts_with(each.first); });
    const char c = text[0];
    if (end != std::end(kLineEnds)) {
      quoted += end->second;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (is_control(c)) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
    text.remove_prefix(end != std::end(kLineEnds) ? end->first.size() : 1);
  }
  return quoted + '"';
}

/// Whether a scalar without quotation marks is a number, a date, a symbol of Ruby, a truth value or nothing.
bool is_plain_value(std::string_view text) {
  static const Pattern value(
      "~|null|true|false|yes|no|on|off|y|n|[-+]?[.0-9][-+.:_0-9a-z]*|:[-a-z0-9_.?!]+|=|<<",
      Pattern::Case::ignored);
  return value.matches(std::string(text));
}

/// Whether a text needs no quotation marks. `is_in_flow`: it is in brackets.
bool may_be_plain(std::string_view text, bool is_in_flow) {
  // In brackets, some parsers take "?" and ":" for marks of a key wherever they are.
  static const Pattern marks("^[]?:,[{}#&*!|>'\"%@`[:space:]-]|^[.]{3}|:([[:space:]]|$)|[[:space:]](#|$)"),
      brackets("[][,{}?:]");
  const std::string whole(text);
  return !text.empty() && marks.find(whole).empty() && (!is_in_flow || brackets.find(whole).empty()) &&
         !needs_escapes(text) && !is_plain_value(text);
}

/// Whether a word may begin a line of a scalar without quotation marks.
bool may_begin_plain_line(std::string_view word) {
  constexpr std::string_view kMarks = "-?:#.%&*!|>'\"@`";
  return kMarks.find(word[0]) == kMarks.npos;
}

/// Writes translations in the style of their scalar as far as it can express them.
class YamlEncoding {
 public:
  /// `value`: the text, with white space at its ends; `is_in_flow`: the scalar is in brackets.
  YamlEncoding(std::string_view document, const YamlScalar& scalar, std::string_view value, bool is_in_flow)
      : style_(scalar.style), is_in_flow_(is_in_flow) {
    begin_ = value.substr(0, std::min(value.find_first_not_of(kYamlSpace), value.size()));
    rest_ = value.substr(value.find_last_not_of(kYamlSpace) + 1);
    const std::string_view text = document.substr(scalar.begin, scalar.end - scalar.begin);
    const std::size_t inner = scalar.inner - scalar.begin;
    std::vector<std::string_view> lines;
    for (std::string_view rest = text.substr(inner); !rest.empty();) {
      const DocumentLine line = take_document_line(rest);
      lines.push_back(line.text);
      if (end_.empty()) end_ = line.end;
    }
    columns_ = columns_of(lines);
    is_one_line_ = lines.size() == 1;
    if (is_block()) {
      const std::size_t first = text.find_last_of("\r\n", inner) + 1;
      head_ = text.substr(0, first);
      lead_ = begin_.substr(begin_.find_last_of('\n') + 1);
      indent_ = text.substr(first, inner - first - std::min(lead_.size(), inner - first));
      end_ = head_.ends_with("\r\n") ? "\r\n" : head_.substr(head_.size() - 1);
      const std::size_t comment = head_.find(" #");
      if (comment != head_.npos) comment_ = head_.substr(comment, end_of_line(head_, comment) - comment);
    } else if (!is_one_line_) {
      const std::size_t last = text.find_last_of("\r\n") + 1;
      indent_ = text.substr(last, std::min(text.find_first_not_of(" \t", last), text.size()) - last);
    }
  }

  std::string operator()(std::string_view text) const {
    const std::string whole = begin_ + std::string(text) + rest_;
    if (is_block())
      return may_be_block(text) ? block(lead_ + std::string(text)) : double_quoted(whole) + comment_;
    if (style_ == 0 && may_be_plain(text, is_in_flow_)) return broken_again(whole, may_begin_plain_line);
    if (style_ == '"' || needs_escapes(whole)) return broken_again(double_quoted(whole), nullptr);
    return broken_again("'" + boost::algorithm::replace_all_copy(whole, "'", "''") + "'", nullptr);
  }

 private:
  bool is_block() const { return style_ == '|' || style_ == '>'; }
  /// Returns a text in several lines if it had several.
  std::string broken_again(std::string_view text, bool (*may_begin)(std::string_view word)) const {
    const bool may_be_broken = !is_one_line_ && broken(text, text.size(), " ") == text &&
                               text.find("\" ") != 0 && text.find("' ") != 0 && !text.ends_with(" \"") &&
                               !text.ends_with(" '");
    return may_be_broken ? broken(text, columns_, end_ + indent_, may_begin) : std::string(text);
  }
  bool may_be_block(std::string_view text) const {
    static const Pattern empty("\n[ \t]+(\n|$)");
    const bool has_indent = (!lead_.empty() && style_ == '>') || text.empty() || is_yaml_space(text[0]);
    const bool has_inner_indent = style_ == '>' && !empty.find(std::string(text)).empty();
    return !has_indent && !has_inner_indent &&
           !needs_escapes(boost::algorithm::erase_all_copy(std::string(text), "\n"));
  }
  std::string block(std::string_view text) const {
    std::string result = head_;
    std::size_t ends = 0;
    bool was_indented = false;  // the line before
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (!line.empty()) {
        const bool is_indented = is_yaml_space(line[0]), is_folded = style_ == '>' && !is_indented;
        // Where lines are folded, one line end is a space.
        if (ends > 0 && is_folded && !was_indented) result += end_;
        for (; ends > 0; --ends) result += end_;
        result += indent_;
        result += is_folded ? broken_again(line, nullptr) : std::string(line);
        was_indented = is_indented;
      }
      ++ends;
    }
    return result;
  }

  char style_;
  bool is_in_flow_, is_one_line_ = true;
  std::size_t columns_ = 0;
  std::string begin_, rest_;    // white space around the text
  std::string lead_;            // of a block: that on the first line that is not empty
  std::string end_, indent_;    // of lines
  std::string head_, comment_;  // of a block: what precedes its first line that is not empty
};

class YamlDocument : public YAML::EventHandler {
 public:
  YamlDocument(const DocumentInput& source, DocumentOutput& output) : source_(source), output_(output) {}

  void translate() {
    if (source_.bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error("cannot translate '{}': it is of 2 GiB or more; divide it", source_.name);
    Buffer buffer(source_.bytes);
    std::istream stream(&buffer);
    try {
      YAML::Parser parser(stream);
      while (parser.HandleNextDocument(*this)) {
      }
    } catch (const YAML::DeepRecursion& error) {
      throw Error("cannot translate '{}': line {}: its values are nested in {} levels or more", source_.name,
                  error.mark.line + 1, error.depth());
    } catch (const YAML::Exception& error) {
      throw Error("cannot translate '{}': line {}: {}", source_.name, error.mark.line + 1,
                  problem(error.msg));
    }
    output_.keep(source_.bytes.substr(kept_));
  }

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::string_view text) {
      char* const begin = const_cast<char*>(text.data());
      setg(begin, begin, begin + text.size());
    }
  };
  /// Says what is wrong with a document and what to do, from a message of the parser.
  std::string problem(std::string_view message) const {
    if (message.starts_with(YAML::ErrorMsg::INVALID_UNICODE))
      return "an escape is no character, such as \\ud83d, which is half of one; write the character itself";
    if (source_.bytes.find("{{") != std::string_view::npos)
      return fmt::format("it is not valid YAML ({}); templates with {{{{ }}}} must be filled in first",
                         message);
    return fmt::format("it is not valid YAML ({}); repair it first", message);
  }
  /// A list or a mapping that was begun.
  struct Level {
    bool is_mapping, is_at_key, is_in_flow, is_key;
  };

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { take_value(""); }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { take_value(""); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    const bool is_text = tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!take_value(value) || !is_text || !matches_key(source_.settings.keys, keys_)) return;
    translate(static_cast<std::size_t>(mark.pos), value);
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value style) override {
    begin(false, style);
  }
  void OnSequenceEnd() override { levels_.pop_back(); }
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value style) override {
    begin(true, style);
    keys_.emplace_back();
  }
  void OnMapEnd() override {
    levels_.pop_back();
    keys_.pop_back();
  }

  /// Takes a value, which may be a key. Returns false for a key and what is in one.
  bool take_value(const std::string& value) {
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    const bool is_key = level.is_at_key;
    if (is_key) keys_.back() = value;
    level.is_at_key = level.is_mapping && !is_key;
    return !is_key && !level.is_key;
  }
  void begin(bool is_mapping, YAML::EmitterStyle::value style) {
    const bool is_in_flow =
        style == YAML::EmitterStyle::Flow || (!levels_.empty() && levels_.back().is_in_flow);
    const bool is_key = !take_value("");
    levels_.push_back({is_mapping, is_mapping, is_in_flow, is_key});
  }
  void translate(std::size_t at, std::string_view value) {
    const std::size_t begin = std::min(value.find_first_not_of(kYamlSpace), value.size());
    const std::string_view text = value.substr(begin, value.find_last_not_of(kYamlSpace) + 1 - begin);
    if (!has_letters(text)) return;
    const std::optional<YamlScalar> scalar = find_scalar(source_.bytes, at, text);
    if (!scalar || scalar->begin < kept_ || (scalar->style == 0 && is_plain_value(text))) return;
    const bool is_in_flow = !levels_.empty() && levels_.back().is_in_flow;
    output_.keep(source_.bytes.substr(kept_, scalar->begin - kept_));
    output_.put(translated_message(text, source_.bytes.substr(scalar->begin, scalar->end - scalar->begin),
                                   YamlEncoding(source_.bytes, *scalar, value, is_in_flow)));
    kept_ = scalar->end;
  }

  const DocumentInput& source_;
  DocumentOutput& output_;
  std::vector<Level> levels_;
  std::vector<std::string> keys_;  // of the mappings around a value
  std::size_t kept_ = 0;           // the bytes that were written
};

}  // namespace

void translate_yaml(const DocumentInput& source, DocumentOutput& output) {
  YamlDocument(source, output).translate();
}

}  // namespace nmt
