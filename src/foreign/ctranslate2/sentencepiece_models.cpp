#include "foreign/ctranslate2/sentencepiece_models.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/text/spelling.h"
#include "foreign/huggingface/tokenizer_json.h"

namespace nmt {
namespace {

constexpr std::array<std::string_view, 2> kPieceEndings = {".spm", ".model"};
constexpr std::array<std::string_view, 2> kSourceWords = {"source", "src"};
constexpr std::array<std::string_view, 3> kTargetWords = {"target", "tgt", "trg"};

/// Usual names of a model for both sides.
constexpr const char* kOfTransformers = "sentencepiece.bpe.model";
constexpr std::array<std::string_view, 7> kOfBoth = {
    "sentencepiece.model", "spiece.model",    "spm.model", "sp.model",
    "bpe.model",           "tokenizer.model", "vocab.spm"};

bool is_codes_of_bpe(const Package& package, const std::string& name) {
  return package.map(name).text().starts_with("#version");
}

/// Whether one of these words is in a name, between characters that are no letters.
template <std::size_t Count>
bool has_word(std::string_view name, const std::array<std::string_view, Count>& words) {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  return std::ranges::any_of(words, [&](std::string_view word) {
    for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at == 0 || !is_letter(name[at - 1]);
      if (begins && (end == name.size() || !is_letter(name[end]))) return true;
    }
    return false;
  });
}

using Names = std::vector<std::string>;

Names candidates_in(const Package& package) {
  Names names = package.names();
  std::erase_if(names, [&](const std::string& name) {
    const bool may_be_one =
        std::ranges::any_of(kPieceEndings, [&](std::string_view ending) { return name.ends_with(ending); });
    return !may_be_one || is_codes_of_bpe(package, name);
  });
  return names;
}

template <class IsChosen>
Names chosen(const Names& names, IsChosen is_chosen) {
  Names found;
  std::ranges::copy_if(names, std::back_inserter(found), is_chosen);
  return found;
}

[[noreturn]] void refuse_choice(const Package& package, const Names& candidates) {
  Names quoted;
  for (const std::string& name : candidates) quoted.push_back(in_quotes(name));
  throw Error(
      "'{}' has several SentencePiece models: {}; rename those of the model to source.spm and target.spm, or "
      "one for both sides to sentencepiece.model",
      package.path(), join(quoted, ", "));
}

/// Returns the names of the models of the source and of the target; empty if there are none.
std::pair<std::string, std::string> names_in(const Package& package) {
  const Names all = candidates_in(package);
  if (all.empty()) return {};
  const auto both = [](const std::string& name) { return std::pair(name, name); };
  if (std::ranges::count(all, kOfTransformers) > 0) return both(kOfTransformers);
  const Names source = chosen(all, [](const std::string&name) { return has_word(name, kSourceWords); }),
              target = chosen(all, [](const std::string&name) { return has_word(name, kTargetWords); });
  if (source.size() == 1 && target.size() == 1) return {source[0], target[0]};
  if (source.size() + target.size() == 1 && all.size() == 1) {
    throw Error(
        "'{}' has {}, but no SentencePiece model of the {}, without which {}; copy all files of the model",
        package.path(), all[0], source.empty() ? "source" : "target",
        source.empty() ? "text cannot be divided into pieces" : "translations would be pieces, not text");
  }
  if (all.size() == 1) return both(all[0]);
  const Names usual =
      chosen(all, [](const std::string& name) { return std::ranges::count(kOfBoth, name) > 0; });
  if (usual.size() != 1) refuse_choice(package, all);
  return both(usual[0]);
}

/// Returns the model in tokenizer.json; none if there is no such file, or it is of byte-level BPE.
std::optional<TokenPieces> pieces_in_json(const Package& package) {
  constexpr const char* kFile = "tokenizer.json";
  if (!package.has(kFile)) return std::nullopt;
  const MemoryMap file = package.map(kFile);
  const TokenizerJson tokenizer(file.text(), package.shown(kFile));
  if (tokenizer.is_byte_level()) return std::nullopt;
  return TokenPieces{.name = tokenizer.name(), .bytes = tokenizer.sentencepiece_of_any_ids()};
}

}  // namespace

SentencePieceModels sentencepiece_models_in(const Package& package) {
  const auto [source, target] = names_in(package);
  if (source.empty()) {
    const std::optional<TokenPieces> both = pieces_in_json(package);
    return {.source = both, .target = both};
  }
  const auto read = [&](const std::string& name) {
    return TokenPieces{.name = package.shown(name), .bytes = package.map(name).copy()};
  };
  return {.source = read(source), .target = read(target)};
}

}  // namespace nmt
