#include "data/vocabulary/listed/byte_pairs.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

#include "common/error.h"
#include "common/text/lines.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr int kDifferentBytes = 256;
constexpr char32_t kFirstOther = 0x100;  // the character for the first byte that does not stand for itself

enum class CharacterKind { space, letter, number, other };

CharacterKind kind_of(UChar32 character) {
  if (u_isUWhiteSpace(character) != 0) return CharacterKind::space;
  const std::uint32_t category = U_MASK(u_charType(character));
  if ((category & U_GC_L_MASK) != 0) return CharacterKind::letter;
  return (category & U_GC_N_MASK) != 0 ? CharacterKind::number : CharacterKind::other;
}

/// The kind and the size in bytes of the first character of a nonempty text.
struct FirstCharacter {
  explicit FirstCharacter(std::string_view text) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(bytes, size, text.size(), character);
    kind = kind_of(character);
  }

  CharacterKind kind;
  std::size_t size = 0;
};

/// Bytes of the run of characters of one kind at the beginning of a text; `last`: of the last one of them.
struct Run {
  Run(std::string_view text, CharacterKind kind) {
    while (size < text.size()) {
      const FirstCharacter next(text.substr(size));
      if (next.kind != kind) return;
      last = next.size;
      size += last;
    }
  }

  std::size_t size = 0, last = 0;
};

/// Returns the size of the contraction at the beginning of a text.
std::size_t contraction(std::string_view text) {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

/// Returns the bytes of the first part of a text.
std::size_t first_part(std::string_view text) {
  if (const std::size_t size = contraction(text)) return size;
  const std::size_t blank = text.starts_with(' ') ? 1 : 0;
  if (blank < text.size()) {
    const CharacterKind kind = FirstCharacter(text.substr(blank)).kind;
    if (kind != CharacterKind::space) return blank + Run(text.substr(blank), kind).size;
  }
  const Run spaces(text, CharacterKind::space);
  const bool is_end = spaces.size == text.size() || spaces.size == spaces.last;
  return is_end ? spaces.size : spaces.size - spaces.last;
}

/// Returns the characters as which bytes are written.
const std::array<std::string, kDifferentBytes>& characters_of_bytes() {
  static const auto all = [] {
    std::array<std::string, kDifferentBytes> characters;
    char32_t other = kFirstOther;
    for (int byte = 0; byte < kDifferentBytes; ++byte) {
      const bool is_itself = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
      const auto character = static_cast<UChar32>(is_itself ? static_cast<char32_t>(byte) : other++);
      char sequence[U8_MAX_LENGTH];
      std::size_t length = 0;
      U8_APPEND_UNSAFE(sequence, length, character);
      characters.at(static_cast<std::size_t>(byte)).assign(sequence, length);
    }
    return characters;
  }();
  return all;
}

const std::string& written(char byte) {
  return characters_of_bytes().at(static_cast<unsigned char>(byte));
}

constexpr int kNoWord = -1;  // marks a missing word

}  // namespace

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (; !text.empty(); text.remove_prefix(parts.back().size()))
    parts.push_back(text.substr(0, first_part(text)));
  return parts;
}

std::string written_bytes(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += written(byte);
  return text;
}

std::string read_bytes(std::string_view text) {
  static const auto bytes = [] {
    std::unordered_map<std::string_view, char> all;
    for (int byte = 0; byte < kDifferentBytes; ++byte)
      all[written(static_cast<char>(byte))] = static_cast<char>(byte);
    return all;
  }();
  std::string read;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view character = text.substr(begin, FirstCharacter(text.substr(begin)).size);
    const auto byte = bytes.find(character);
    if (byte == bytes.end()) {
      read += character;
    } else {
      read += byte->second;
    }
    begin += character.size();
  }
  return read;
}

BytePairs::BytePairs(std::string_view merges, const WordIndex& words) {
  for (int byte = 0; byte < kDifferentBytes; ++byte)
    bytes_.push_back(words.find(written(static_cast<char>(byte))).value_or(kNoWord));
  for (int number = 1; !merges.empty(); ++number) {
    std::string_view line = take_line(merges);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::string_view left = line.substr(0, line.find(' '));
    const std::string_view right = line.substr(std::min(left.size() + 1, line.size()));
    const auto a = words.find(left), b = words.find(right),
               result = words.find(std::string(left).append(right));
    if (!a || !b || !result) {
      throw Error("line {} of its merges is not a pair of words that make a word, {}", number,
                  quoted(std::string(line)));
    }
    merges_.add(*a, *b, *result);
  }
}

std::vector<MergedSymbol> BytePairs::encode(std::string_view part, int unknown) const {
  std::vector<int> bytes;
  for (const char byte : part) bytes.push_back(bytes_[static_cast<unsigned char>(byte)]);
  std::vector<MergedSymbol> merged = merges_.merge(bytes);
  for (MergedSymbol& each : merged) {
    if (each.id == kNoWord) each.id = unknown;
  }
  return merged;
}

/// The symbols of a word in a linked list while they are merged.
class MergingSymbols {
 public:
  MergingSymbols(const PairMerges& merges, const std::vector<int>& symbols) : merges_(merges) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
      symbols_.push_back({symbols[i], 1, i - 1, i + 1 == symbols.size() ? kNone : i + 1});
    for (std::size_t i = 0; i < symbols.size(); ++i) add_pair(i);
  }

  std::vector<MergedSymbol> merge_all() {
    while (!pairs_.empty()) merge_best();
    std::vector<MergedSymbol> merged;
    for (std::size_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next)
      merged.push_back({symbols_[i].id, symbols_[i].count});
    return merged;
  }

 private:
  struct Symbol {
    int id = 0;
    std::size_t count = 1, previous = 0, next = 0;
    bool is_gone = false;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const PairMerges::Merge* merge_at(std::size_t left) const {
    if (left == kNone || symbols_[left].is_gone || symbols_[left].next == kNone) return nullptr;
    return merges_.find(symbols_[left].id, symbols_[symbols_[left].next].id);
  }
  void add_pair(std::size_t left) {
    if (const PairMerges::Merge* merge = merge_at(left)) pairs_.emplace(merge->rank, left);
  }

  /// Merges all occurrences of the first pair before the pairs that result.
  void merge_best() {
    const int rank = pairs_.top().first;
    std::vector<std::size_t> merged;
    for (; !pairs_.empty() && pairs_.top().first == rank; pairs_.pop()) {
      const std::size_t left = pairs_.top().second;
      const PairMerges::Merge* merge = merge_at(left);
      // Another merge has taken one of the two since, or the entry is a duplicate.
      if (merge == nullptr || merge->rank != rank) continue;
      merge_with_next(left, merge->result);
      merged.push_back(left);
    }
    for (const std::size_t left : merged) {
      if (symbols_[left].is_gone) continue;
      add_pair(symbols_[left].previous);
      add_pair(left);
    }
  }

  void merge_with_next(std::size_t left, int result) {
    const std::size_t right = symbols_[left].next;
    symbols_[left].id = result;
    symbols_[left].count += symbols_[right].count;
    symbols_[left].next = symbols_[right].next;
    symbols_[right].is_gone = true;
    if (symbols_[left].next != kNone) symbols_[symbols_[left].next].previous = left;
  }

  const PairMerges& merges_;
  std::vector<Symbol> symbols_;
  // Pairs by rank, then place. Outdated entries stay in it.
  std::priority_queue<std::pair<int, std::size_t>, std::vector<std::pair<int, std::size_t>>, std::greater<>>
      pairs_;
};

void PairMerges::add(int left, int right, int result) {
  merges_.try_emplace(key(left, right), Merge{static_cast<int>(merges_.size()), result});
}

const PairMerges::Merge* PairMerges::find(int left, int right) const {
  const auto found = left < 0 || right < 0 ? merges_.end() : merges_.find(key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<MergedSymbol> PairMerges::merge(const std::vector<int>& symbols) const {
  return MergingSymbols(*this, symbols).merge_all();
}

}  // namespace nmt
