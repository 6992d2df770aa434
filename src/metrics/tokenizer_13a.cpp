#include "metrics/tokenizer_13a.h"

#include <array>

#include "metrics/spacing.h"

// Works on bytes: every character with a meaning here is ASCII, and bytes of longer UTF-8 sequences are not.
namespace nmt {
namespace {

constexpr auto kIsDigit = [](char c) { return c >= '0' && c <= '9'; };
constexpr auto kIsNoDigit = [](char c) { return !kIsDigit(c); };
constexpr auto kIsDash = [](char c) { return c == '-'; };
constexpr auto kIsStop = [](char c) { return c == '.' || c == ','; };

// ASCII punctuation and the space, except ' , - .
constexpr auto kAloneTable = [] {
  std::array<bool, 256> alone{};
  for (const unsigned char c : std::string_view(" !\"#$%&()*+/:;<=>?@[\\]^_`{|}~")) alone[c] = true;
  return alone;
}();

constexpr auto kStandsAlone = [](char c) { return kAloneTable[static_cast<unsigned char>(c)]; };

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  replaced.reserve(text.size());
  for (std::size_t found = text.find(from); found != std::string_view::npos; found = text.find(from)) {
    replaced.append(text.substr(0, found)).append(to);
    text.remove_prefix(found + from.size());
  }
  return replaced.append(text);
}

/// Decodes "&amp;lt;" to "<": the order is part of the definition.
std::string decode_entities(std::string_view text) {
  std::string decoded = replace_all(text, "&quot;", "\"");
  decoded = replace_all(decoded, "&amp;", "&");
  decoded = replace_all(decoded, "&lt;", "<");
  return replace_all(decoded, "&gt;", ">");
}

}  // namespace

std::string space_western(std::string_view line) {
  std::string text = space_each(line, kStandsAlone);
  if (text.find('.') != std::string::npos || text.find(',') != std::string::npos) {
    text = space_pairs<char>(text, kIsNoDigit, kIsStop, Apart::second);
    text = space_pairs<char>(text, kIsStop, kIsNoDigit, Apart::first);
  }
  if (text.find('-') != std::string::npos) text = space_pairs<char>(text, kIsDigit, kIsDash, Apart::second);
  return text;
}

std::string tokenize_13a(std::string_view line) {
  std::string text = replace_all(line, "<skipped>", "");
  if (text.find('\n') != std::string::npos) text = replace_all(replace_all(text, "-\n", ""), "\n", " ");
  if (text.find('&') != std::string::npos) text = decode_entities(text);
  // The spaces let the rules for pairs apply to the first and the last byte.
  return space_western(" " + text + " ");
}

}  // namespace nmt
