#include "data/vocabulary/sentencepiece.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/process/resources.h"
#include "common/text/pattern.h"
#include "common/text/utf8.h"
#include "common/text/words.h"

namespace nmt {

std::string reason(const sentencepiece::util::Status& status) {
  static const Pattern place("^[^[:space:]]*\\.(cc|h)\\([0-9]+\\) \\[[^\n]*\\] ?");
  const std::string message = status.error_message();
  const std::vector<std::string> found = place.find(message);
  std::string reason = found.empty() ? message : message.substr(found[0].size());
  return reason.empty() ? "an internal check failed" : reason;
}

namespace {

class SentencePieceModel final : public VocabularyModel {
 public:
  /// Throws Error with the reason alone.
  explicit SentencePieceModel(std::string bytes)
      : bytes_(std::move(bytes)), pieces_(bytes_), languages_(languages_among(pieces_)) {}

  const std::string& bytes() const override { return bytes_; }

  std::vector<int> encode(std::string_view text) const override { return pieces_.encode<int>(text); }
  std::vector<TextPiece> divide(std::string_view text, double alpha) const override {
    return pieces_.divide(text, alpha);
  }
  bool samples() const override { return pieces_.samples(); }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    return pieces_.sample<int>(text, alpha);
  }
  DecodedText decode(const std::vector<int>& ids) const override { return pieces_.decode(ids); }

  int size() const override { return pieces_.size(); }
  std::optional<int> find(std::string_view piece) const override { return pieces_.find(piece); }
  std::string piece(int id) const override { return pieces_.piece(id); }
  int unknown() const override { return pieces_.unknown(); }
  std::optional<int> begin() const override { return pieces_.begin(); }
  int end() const override { return pieces_.end().value_or(-1); }
  bool is_special(int id) const override { return pieces_.is_control(id); }

  const LanguageUse& language_use() const override { return languages_; }

 private:
  static LanguageUse languages_among(const SentencePiece& pieces);

  std::string bytes_;
  SentencePiece pieces_;
  LanguageUse languages_;
};

LanguageUse SentencePieceModel::languages_among(const SentencePiece& pieces) {
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(pieces.size()));
  // A piece that begins no word has another piece for the space before it at the beginning of a text.
  for (int id = 0; id < pieces.size(); ++id)
    words.push_back(pieces.piece(id).starts_with(kSpaceMark) ? pieces.piece(id) : "");
  return bracketed_languages(words);
}

/// Whether bytes have none of the control characters that a serialized model begins with.
bool looks_like_text(std::string_view bytes) {
  constexpr std::size_t kMost = 1 << 12;
  const auto is_control = [](char c) {
    const bool is_space = c == '\n' || c == '\r' || c == '\t';
    return !is_space && static_cast<unsigned char>(c) < ' ';
  };
  return !bytes.empty() && std::ranges::none_of(bytes.substr(0, kMost), is_control);
}

}  // namespace

std::shared_ptr<const VocabularyModel> read_sentencepiece_model(std::string bytes, const std::string& name) {
  const bool is_text = looks_like_text(bytes);
  std::shared_ptr<const VocabularyModel> model;
  try {
    model = std::make_shared<SentencePieceModel>(std::move(bytes));
  } catch (const Error& error) {
    if (is_text)
      throw Error("'{}' is text, not a vocabulary; make one from it: nmt vocab -i {} -o vocab.spm", name,
                  name);
    throw DamagedFile(
        "'{}' is damaged or not a SentencePiece model: {}; copy it again or make one with nmt vocab", name,
        error.what());
  }
  if (model->end() < 0) {
    throw Error("the vocabulary '{}' has no piece that ends a sentence (</s>); make one with nmt vocab",
                name);
  }
  return model;
}

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

namespace {

/// Silences SentencePiece's messages. Only its trainer has an option for that; this training ends at once, as
/// it has no text.
void silence_sentencepiece() {
  static const bool told = !sentencepiece::SentencePieceTrainer::Train({{"minloglevel", "3"}}).ok();
  (void)told;
}

/// Returns where the text of a piece begins. SentencePiece gives only the bytes [begin, end) of `text` that
/// were normalized to the piece. They may contain earlier words, since the space of the piece can stand for
/// several characters: for "a", U+200B and "b" as three words, the second piece, "▁b", has both.
std::size_t place_of(std::string_view piece, std::string_view text, std::size_t begin, std::size_t end) {
  if (!piece.starts_with(kSpaceMark)) return begin;
  while (piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
  if (piece.empty()) return end;                           // the space before the next piece
  if (piece.find(kSpaceMark) != piece.npos) return begin;  // for several words, the first counts
  const auto separates = [text](std::size_t i) { return separates_words(text[i]); };
  // A piece ends where it began if it has only the first of the characters that one was normalized to.
  if (begin < end && end < text.size() && separates(end - 1) && !separates(end)) return end;
  for (std::size_t last = end; last-- > begin;) {
    if (!separates(last)) return last;
  }
  return end;
}

VocabularyType checked(std::string_view bytes) {
  try {
    return check_vocabulary(bytes);
  } catch (const Error& error) {
    throw DamagedSentencePiece("{}", error.what());
  }
}

}  // namespace

SentencePiece::SentencePiece(std::string_view bytes) : type_(checked(bytes)) {
  silence_sentencepiece();
  const auto status = processor_.LoadFromSerializedProto({bytes.data(), bytes.size()});
  if (!status.ok()) throw DamagedSentencePiece("{}", reason(status));
  if (processor_.unk_id() < 0) throw DamagedSentencePiece("its unknown piece is not called <unk>");
}

void SentencePiece::require_memory(std::string_view text) {
  // Usual text takes 80 bytes per byte, but 230 if each byte is a piece. glibc takes 128 MiB of address space
  // at a time for threads other than the first.
  constexpr std::size_t kLongText = std::size_t{1} << 16, kMemoryPerByte = 128;
  constexpr std::size_t kTakenAtOnce = std::size_t{128} << 20;
  if (text.size() >= kLongText) require_address_space(text.size() * kMemoryPerByte + kTakenAtOnce);
}

std::vector<TextPiece> SentencePiece::divide(std::string_view text, double alpha) const {
  require_memory(text);
  sentencepiece::ImmutableSentencePieceText divided;
  const absl::string_view input(text.data(), text.size());
  check(alpha > 0 ? processor_.SampleEncode(input, kAllSegmentations, static_cast<float>(alpha),
                                            divided.mutable_proto())
                  : processor_.Encode(input, divided.mutable_proto()),
        "encode");
  std::vector<TextPiece> pieces;
  pieces.reserve(divided.pieces_size());
  for (int i = 0; i < static_cast<int>(divided.pieces_size()); ++i) {
    const auto piece = divided.pieces(i);
    pieces.push_back({piece.piece(), static_cast<int>(piece.id()),
                      place_of(piece.piece(), text, piece.begin(), piece.end()), piece.begin(), piece.end()});
  }
  return pieces;
}

DecodedText SentencePiece::decoded_text(const sentencepiece::ImmutableSentencePieceText& decoded) {
  DecodedText text{.text = decoded.text(), .places = {}};
  text.places.reserve(decoded.pieces_size());
  for (int i = 0; i < static_cast<int>(decoded.pieces_size()); ++i)
    text.places.push_back(decoded.pieces(i).begin());
  return text;
}

std::optional<int> SentencePiece::find(std::string_view piece) const {
  const int id = processor_.PieceToId({piece.data(), piece.size()});  // <unk> for an unknown piece
  return processor_.IdToPiece(id) == piece ? std::optional(id) : std::nullopt;
}

void SentencePiece::check(const sentencepiece::util::Status& status, const char* what) {
  if (!status.ok()) throw Error("SentencePiece cannot {} text: {}", what, reason(status));
}

void seed_sentencepiece(std::uint32_t seed) {
  sentencepiece::SetRandomGeneratorSeed(seed);
}

}  // namespace nmt
