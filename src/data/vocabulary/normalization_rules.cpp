#include "data/vocabulary/normalization_rules.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

constexpr std::size_t kLabels = 256;
constexpr std::size_t kLongestKey = 1000;          // bytes; the rules of NFKC take less than a hundred
constexpr std::size_t kLongestReplacement = 1000;  // so that a line of text does not grow without bounds
constexpr int kMostPrefixes = 32;  // prefixes of a key that are keys; SentencePiece has space for no more

/// A unit of a double array: an edge and the node it leads to. The node's edges begin at `own index ^
/// offset()`, each at its label from there, and its value is at label 0.
struct Unit {
  std::uint32_t bits;

  bool is_value() const { return bits >> 31 != 0; }
  bool has_value() const { return (bits >> 8 & 1) != 0; }
  std::uint32_t value() const { return bits & 0x7FFF'FFFF; }
  std::uint32_t label() const { return bits & 0xFF; }
  std::uint32_t offset() const { return bits >> 10 << ((bits & 1U << 9) >> 6); }
};

class Trie {
 public:
  Trie(std::string_view bytes, std::string_view replacements) : replacements_(replacements) {
    if (bytes.empty() || bytes.size() % (kLabels * sizeof(Unit)) != 0) throw Error("its rules have no trie");
    units_.resize(bytes.size() / sizeof(Unit));
    std::memcpy(units_.data(), bytes.data(), bytes.size());
    prefixes_.assign(units_.size(), kUnseen);
    first_.assign(units_.size(), kNone);
    next_.assign(units_.size(), kNone);
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      if (units_[i].is_value()) continue;
      std::uint32_t& first = first_[i ^ units_[i].label()];
      next_[i] = std::exchange(first, i);
    }
  }

  void check() { visit(edges(0), 0); }

 private:
  static constexpr int kUnseen = -1, kOnTheWay = -2;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Returns where the edges of the node begin that a unit leads to.
  std::size_t edges(std::size_t unit) const {
    const std::size_t base = unit ^ units_[unit].offset();
    if (base >= units_.size()) throw Error("its rules lead outside");
    return base;
  }

  /// Checks what can be reached from the node with edges at `base`, `depth` bytes down; returns the maximum
  /// number of keys on a path from there.
  int visit(std::size_t base, std::size_t depth) {
    if (prefixes_[base] == kOnTheWay || depth > kLongestKey) throw Error("its rules have no end");
    if (prefixes_[base] != kUnseen) return prefixes_[base];
    prefixes_[base] = kOnTheWay;
    int most = 0;
    for (std::uint32_t edge = first_[base]; edge != kNone; edge = next_[edge]) {
      const bool has_value = units_[edge].has_value();
      const std::size_t next = edges(edge);
      if (has_value) check_replacement(units_[next].value());
      most = std::max(most, visit(next, depth + 1) + (has_value ? 1 : 0));
    }
    if (most >= kMostPrefixes) throw Error("its rules have too many prefixes");
    return prefixes_[base] = most;
  }

  void check_replacement(std::size_t begin) const {
    const std::size_t end = replacements_.find('\0', begin);
    if (end == std::string_view::npos || end - begin > kLongestReplacement) {
      throw Error("its rules lead outside");
    }
    if (count_invalid_utf8(replacements_.substr(begin, end - begin)) > 0) {
      throw Error("its rules make text that is not valid UTF-8");
    }
  }

  std::string_view replacements_;
  std::vector<Unit> units_;
  std::vector<std::uint32_t> first_, next_;  // first edge by base, and the next edge with the same base
  std::vector<int> prefixes_;                // results of visit() by base
};

}  // namespace

void check_normalization_rules(std::string_view rules) {
  std::uint32_t size = 0;
  if (rules.size() < sizeof size) throw Error("its rules are cut off");
  rules.copy(reinterpret_cast<char*>(&size), sizeof size);
  rules.remove_prefix(sizeof size);
  if (size > rules.size()) throw Error("its rules are cut off");
  Trie(rules.substr(0, size), rules.substr(size)).check();
}

}  // namespace nmt
