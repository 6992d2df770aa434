#include "common/text/utf8.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace nmt {
namespace {

using Byte = unsigned char;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// A well-formed sequence, or the maximal subpart of an ill-formed one.
struct Sequence {
  std::size_t length;
  bool valid;
};

/// Facts from the lead byte: how many bytes follow, and the limits of the first of them.
struct Lead {
  std::size_t trailing;
  Byte least, most;
};

/// Returns no trailing bytes for a byte that cannot begin a sequence.
Lead classify(Byte byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

/// Returns the sequence at the beginning of `text`, which is not empty.
Sequence first_sequence(std::string_view text) {
  const auto lead_byte = static_cast<Byte>(text[0]);
  if (lead_byte < 0x80) return {1, lead_byte != 0};
  Lead lead = classify(lead_byte);
  if (lead.trailing == 0) return {1, false};
  for (std::size_t i = 1; i <= lead.trailing; ++i) {
    if (i == text.size()) return {i, false};
    const auto byte = static_cast<Byte>(text[i]);
    if (byte < lead.least || byte > lead.most) return {i, false};
    lead.least = 0x80;
    lead.most = 0xBF;
  }
  return {lead.trailing + 1, true};
}

/// Returns the length of the leading run of ASCII without zeros, rounded down to whole words; skips most text
/// quickly.
std::size_t ascii_words(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U, kOnes = 0x0101010101010101U;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (((word | (word - kOnes)) & kHighBits) != 0) break;  // a zero byte borrows
  }
  return at;
}

/// Calls visit(bytes, valid) for every sequence of `text`; runs of ASCII count as one.
template <class Visit>
void for_each_sequence(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t ascii = ascii_words(text);
    const Sequence sequence = ascii > 0 ? Sequence{ascii, true} : first_sequence(text);
    visit(text.substr(0, sequence.length), sequence.valid);
    text.remove_prefix(sequence.length);
  }
}

}  // namespace

std::int64_t count_invalid_utf8(std::string_view text) {
  std::int64_t invalid = 0;
  for_each_sequence(text, [&](std::string_view bytes, bool valid) {
    if (!valid) invalid += static_cast<std::int64_t>(bytes.size());
  });
  return invalid;
}

std::size_t characters_in(std::string_view text) {
  const auto begins_character = [](char byte) { return (static_cast<Byte>(byte) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::int64_t repair_utf8(std::string& text, std::span<std::size_t> places) {
  const std::int64_t invalid = count_invalid_utf8(text);
  if (invalid == 0) return 0;
  std::string repaired;
  repaired.reserve(text.size() + 2 * static_cast<std::size_t>(invalid));
  std::vector<std::size_t> moved;  // indexed by byte
  for_each_sequence(text, [&](std::string_view bytes, bool valid) {
    for (std::size_t i = 0; i < bytes.size() && !places.empty(); ++i)
      moved.push_back(repaired.size() + (valid ? i : 0));
    repaired += valid ? bytes : kReplacement;
  });
  for (std::size_t& place : places) {
    if (place < moved.size())
      place = moved[place];
    else if (place == moved.size())
      place = repaired.size();
  }
  text = std::move(repaired);
  return invalid;
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr std::size_t kMostTrailing = 3;
  std::size_t end = most;
  while (end > 0 && most - end < kMostTrailing && (static_cast<Byte>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace nmt
