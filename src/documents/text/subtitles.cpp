// Subtitles: SubRip (srt) and WebVTT (vtt).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/html.h"
#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/lines.h"

namespace nmt {
namespace {

// What subtitles of most broadcasters have in a line.
constexpr std::size_t kUsualColumns = 42;
constexpr std::string_view kArrow = "-->";

/// Reads the text of a cue with its tags; `is_web`: with references, as in WebVTT.
class CueParser {
 public:
  CueParser(std::string_view text, bool is_web) : rest_(text), is_web_(is_web) {}

  std::vector<Inline> parts(std::string_view end_tag = "") {
    std::vector<Inline> parts;
    std::string text;
    const auto add_text = [&] {
      if (!text.empty()) parts.push_back(Inline::of_text(is_web_ ? without_references(text) : text));
      text.clear();
    };
    while (!rest_.empty()) {
      const std::string_view mark = mark_ahead();
      if (mark.empty()) {
        text += rest_[0];
        rest_.remove_prefix(1);
        continue;
      }
      add_text();
      if (!end_tag.empty() && mark == end_tag) return parts;
      rest_.remove_prefix(mark.size());
      const std::string end = "</" + name_in_tag(mark) + ">";
      const bool is_begin = mark[0] == '<' && mark[1] != '/' && depth_ < kDeepest;
      if (is_begin && rest_.find(end) != rest_.npos) {
        ++depth_;
        std::vector<Inline> inner = this->parts(end);
        --depth_;
        if (rest_.starts_with(end)) {
          rest_.remove_prefix(end.size());
          parts.push_back(Inline::group(Content(mark), std::move(inner), Content(end)));
          continue;
        }
        parts.push_back(Inline::object(Content(mark)));
        std::ranges::move(inner, std::back_inserter(parts));
      } else {
        parts.push_back(Inline::object(Content(mark)));
      }
    }
    add_text();
    return parts;
  }

 private:
  static constexpr int kDeepest = 16;

  /// Returns the tag at the beginning, or a code of other players such as {\an8}.
  std::string_view mark_ahead() const {
    const bool is_code = rest_.starts_with("{\\");
    const bool is_time = is_web_ && rest_.size() > 1 && rest_[0] == '<' && rest_[1] >= '0' && rest_[1] <= '9';
    if (!is_code && !is_time && !begins_markup(rest_)) return {};
    const std::size_t end = rest_.find(is_code ? '}' : '>');
    return end == rest_.npos ? std::string_view() : rest_.substr(0, end + 1);
  }

  std::string_view rest_;
  bool is_web_;
  int depth_ = 0;
};

bool begins_speech(std::string_view line) {
  line = without_outer_space(line);
  if (line.starts_with("{\\")) line.remove_prefix(std::min(line.find('}'), line.size() - 1) + 1);
  return line.starts_with("- ") || line.starts_with("– ") || line.starts_with("— ");
}

/// Writes the lines of a cue: one text, or with two speakers one text per line.
void write_cue(const std::vector<DocumentLine>& lines, bool is_web, DocumentOutput& output) {
  const auto count = std::ranges::count_if(lines, begins_speech, &DocumentLine::text);
  const std::size_t per_text = count > 1 ? 1 : lines.size();
  for (std::size_t i = 0; i < lines.size(); i += per_text) {
    std::vector<std::string_view> texts;
    std::string original;
    for (std::size_t line = i; line < i + per_text; ++line) {
      texts.push_back(lines[line].text);
      original += lines[line].text;
      if (line + 1 < i + per_text) original += lines[line].end;
    }
    const std::size_t columns = std::max(columns_of(texts), kUsualColumns);
    const std::string end(lines[i].end.empty() ? "\n" : lines[i].end);
    const Encode text =
        is_web ? Encode(with_references) : Encode([](std::string_view each) { return std::string(each); });
    const Encode whole = [columns, end](std::string_view each) { return broken(each, columns, end); };
    output.put(
        translated(CueParser(joined(texts), is_web).parts(), Content(original), TextEncoding(text, whole)));
    output.keep(lines[i + per_text - 1].end);
  }
}

void translate_cues(const DocumentInput& source, bool is_web, DocumentOutput& output) {
  std::vector<DocumentLine> cue;
  bool is_in_cue = false;
  const auto end_cue = [&] {
    if (!cue.empty()) write_cue(cue, is_web, output);
    cue.clear();
    is_in_cue = false;
  };
  for (std::string_view rest = source.bytes; !rest.empty();) {
    const DocumentLine line = take_document_line(rest);
    const bool is_empty = without_outer_space(line.text).empty();
    if (is_in_cue && !is_empty) {
      cue.push_back(line);
      continue;
    }
    end_cue();
    is_in_cue = line.text.find(kArrow) != line.text.npos;
    output.keep(line.text);
    output.keep(line.end);
  }
  end_cue();
}

}  // namespace

void translate_srt(const DocumentInput& source, DocumentOutput& output) {
  translate_cues(source, false, output);
}

void translate_vtt(const DocumentInput& source, DocumentOutput& output) {
  translate_cues(source, true, output);
}

}  // namespace nmt
