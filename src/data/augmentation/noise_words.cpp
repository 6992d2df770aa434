#include "data/augmentation/noise_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <array>

namespace nmt {
namespace {

constexpr std::int64_t kShortest = 2, kLongest = 5;  // characters of a word
constexpr std::int64_t kMostWords = 6;               // of a pair

/// Characters of one kind, some of which may be unassigned.
struct Block {
  UChar32 first, last;
};

constexpr auto kBlocks = std::to_array<Block>({
    {'!', '~'},          // ASCII
    {0xA1, 0xFF},        // Latin-1
    {0x100, 0x17F},      // Latin Extended-A
    {0x370, 0x3FF},      // Greek
    {0x400, 0x45F},      // Cyrillic
    {0x531, 0x58A},      // Armenian
    {0x5D0, 0x5EA},      // Hebrew
    {0x620, 0x64A},      // Arabic
    {0x904, 0x939},      // Devanagari
    {0x985, 0x9B9},      // Bengali
    {0xA85, 0xAB9},      // Gujarati
    {0xB85, 0xBB9},      // Tamil
    {0xE01, 0xE2E},      // Thai
    {0x1000, 0x102A},    // Myanmar
    {0x10D0, 0x10FF},    // Georgian
    {0x1780, 0x17A2},    // Khmer
    {0x3041, 0x3096},    // Hiragana
    {0x30A1, 0x30FA},    // Katakana
    {0x4E00, 0x9FA5},    // Han
    {0xAC00, 0xD7A3},    // Hangul
    {0x2190, 0x21FF},    // arrows
    {0x2200, 0x22FF},    // mathematics
    {0x1F300, 0x1F5FF},  // pictures
    {0x1F600, 0x1F64F},  // emoji
});

/// Appends an assigned character that is not white space, and that no normalization joins with its neighbors.
void append_character(const Block& block, std::string& word, Draws& draws) {
  UChar32 character = block.first;
  do {
    character = block.first + static_cast<UChar32>(draws.below(block.last - block.first + 1));
  } while (u_isgraph(character) == 0 || u_getCombiningClass(character) != 0);
  char bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, character);
  word.append(bytes, size);
}

}  // namespace

std::vector<std::string> noise_words(std::int64_t most, Draws& draws) {
  const Block& block = kBlocks[static_cast<std::size_t>(draws.below(std::ssize(kBlocks)))];
  std::vector<std::string> words(static_cast<std::size_t>(1 + draws.below(most)));
  for (std::string& word : words) {
    const std::int64_t size = kShortest + draws.below(kLongest - kShortest + 1);
    for (std::int64_t i = 0; i < size; ++i) append_character(block, word, draws);
  }
  return words;
}

AlignedWords noise_pair(const std::vector<float>& weight, Draws& draws) {
  AlignedWords pair{.source = noise_words(kMostWords, draws), .target = {}, .links = {}, .weights = weight};
  pair.target = pair.source;
  for (std::int64_t i = 0; i < std::ssize(pair.source); ++i) pair.links.emplace_back(i, i);
  return pair;
}

}  // namespace nmt
