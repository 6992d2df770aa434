// Plain text.
#include <string>
#include <vector>

#include "data/text/white_space.h"
#include "documents/formats.h"
#include "documents/lines.h"
#include "documents/messages/messages.h"

namespace nmt {
namespace {

// Shorter lines are lists and verses, and paragraphs with longer lines are not broken by hand.
constexpr std::size_t kLeastColumns = 40, kMostColumns = 120, kMostLines = 10'000;

std::string_view indent_of(std::string_view line) {
  return line.substr(0, leading_space(line));
}

std::string unchanged(std::string_view text) {
  return std::string(text);
}

/// Writes a block: lines without an empty one between them.
void write_block(const std::vector<DocumentLine>& block, DocumentOutput& output) {
  std::vector<std::string_view> texts;
  bool is_even = true;  // all lines but the first have the same indent
  for (const DocumentLine& line : block) {
    texts.push_back(without_outer_space(line.text));
    is_even = is_even && (&line == &block[0] || indent_of(line.text) == indent_of(block[1].text));
  }
  const std::size_t columns = columns_of(texts);
  if (!is_even || columns < kLeastColumns || columns > kMostColumns || !is_broken(texts)) {
    for (const DocumentLine& line : block) {
      output.put(translated_with_tags(line.text, line.text, unchanged));
      output.keep(line.end);
    }
    return;
  }
  const std::string_view first = block.front().text, last = block.back().text;
  const char* const begin = texts.front().data();
  const std::string_view original(
      begin, static_cast<std::size_t>(texts.back().data() + texts.back().size() - begin));
  const std::string between = std::string(block.front().end) + std::string(indent_of(block[1].text));
  output.keep(indent_of(first));
  output.put(translated_with_tags(joined(texts), original,
                                  TextEncoding(unchanged, [columns, between](std::string_view text) {
                                    return broken(text, columns, between);
                                  })));
  output.keep(last.substr(static_cast<std::size_t>(texts.back().data() + texts.back().size() - last.data())));
  output.keep(block.back().end);
}

}  // namespace

void translate_text(const DocumentInput& source, DocumentOutput& output) {
  std::vector<DocumentLine> block;
  for (std::string_view rest = source.bytes; !rest.empty();) {
    const DocumentLine line = take_document_line(rest);
    const bool is_empty = without_outer_space(line.text).empty();
    if (!is_empty) block.push_back(line);
    if (!is_empty && block.size() < kMostLines && !rest.empty()) continue;
    if (!block.empty()) write_block(block, output);
    block.clear();
    if (!is_empty) continue;
    output.keep(line.text);
    output.keep(line.end);
  }
}

}  // namespace nmt
