#include "hub/needed_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "common/text/number.h"

namespace nmt {
namespace {

/// Names of files that a model needs besides its weights: of transformers and of CTranslate2.
constexpr std::array kBesideWeights = {
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "target_vocab.json",
    "vocab-src.json",
    "vocab-tgt.json",
    "merges.txt",
    "dict.SRC.json",
    "dict.TGT.json",
    "model.SRC",
    "model.TGT",
    "shared_vocabulary.json",
    "shared_vocabulary.txt",
    "source_vocabulary.json",
    "source_vocabulary.txt",
    "target_vocabulary.json",
    "target_vocabulary.txt",
    "vmap.txt",
};

/// Whether a file, which is not in a folder, is a SentencePiece model, whatever its name.
bool is_sentencepiece(const std::string& name) {
  return (name.ends_with(".spm") || name.ends_with(".model")) && name.find('/') == name.npos;
}

/// Weights in one file, STEM + ENDING, or in several, as in "model-00001-of-00003.safetensors".
struct Weights {
  std::string_view stem, ending;
};
constexpr std::array kWeights = {
    // the first that is there is read
    Weights{"model", ".safetensors"},                            // of transformers
    Weights{"pytorch_model", ".bin"}, Weights{"model", ".bin"},  // of CTranslate2
};

/// Returns the index of weights in several files and all its parts, if all are there.
std::vector<std::string> parts_of(const Weights& weights, const std::set<std::string>& files) {
  const std::string begin = std::string(weights.stem) + "-";
  const auto first = files.lower_bound(begin + "00001-of-");
  if (first == files.end() || !first->starts_with(begin + "00001-of-") || !first->ends_with(weights.ending))
    return {};
  const std::size_t digits = begin.size() + std::string_view("00001-of-").size();
  const auto count =
      number_of<int>(std::string_view(*first).substr(digits, first->size() - digits - weights.ending.size()));
  const std::string index = fmt::format("{}{}.index.json", weights.stem, weights.ending);
  if (!count || *count < 1 || *count > static_cast<int>(files.size()) || !files.contains(index)) return {};
  std::vector<std::string> parts = {index};
  for (int i = 1; i <= *count; ++i) {
    parts.push_back(fmt::format("{}{:05}-of-{:05}{}", begin, i, *count, weights.ending));
    if (!files.contains(parts.back())) return {};
  }
  return parts;
}

}  // namespace

std::vector<std::string> needed_files(const std::vector<std::string>& files) {
  const std::set<std::string> all(files.begin(), files.end());
  const std::vector<std::string> of_comet = {"hparams.yaml", "checkpoints/model.ckpt"};
  if (std::ranges::all_of(of_comet, [&](const auto& name) { return all.contains(name); })) return of_comet;
  std::vector<std::string> needed;
  for (const char* name : kBesideWeights) {
    if (all.contains(name)) needed.emplace_back(name);
  }
  std::ranges::copy_if(all, std::back_inserter(needed), is_sentencepiece);
  // tokenizer.json may be large, and says again what other files say about dividing text into tokens.
  const bool has_others = all.contains("merges.txt") || std::ranges::any_of(all, is_sentencepiece);
  if (all.contains("tokenizer.json") && !has_others) needed.emplace_back("tokenizer.json");
  for (const Weights& weights : kWeights) {
    const std::string whole = fmt::format("{}{}", weights.stem, weights.ending);
    std::vector<std::string> found = all.contains(whole) ? std::vector{whole} : parts_of(weights, all);
    if (found.empty()) continue;
    std::ranges::move(found, std::back_inserter(needed));
    return needed;
  }
  return {};
}

std::vector<std::string> tokenizer_files(const std::vector<std::string>& files) {
  std::vector<std::string> needed;
  bool is_there = false;
  const auto add = [&](const char* name) {
    const bool has_it = std::ranges::count(files, name) > 0;
    if (has_it) needed.emplace_back(name);
    return has_it;
  };
  for (const char* tokenizer : {"sentencepiece.bpe.model", "spiece.model", "tokenizer.json"})
    is_there |= add(tokenizer);
  for (const char* settings : {"tokenizer_config.json", "special_tokens_map.json", "config.json"})
    add(settings);
  return is_there ? needed : std::vector<std::string>();
}

}  // namespace nmt
