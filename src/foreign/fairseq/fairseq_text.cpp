#include "foreign/fairseq/fairseq_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/text/lines.h"
#include "common/text/number.h"
#include "common/text/utf8.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "foreign/fast_bpe.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "dict.", kEnd = ".txt";
constexpr std::array kCodeFiles = {"bpecodes", "code", "codes", "bpe.codes"};
constexpr std::array kPieceFiles = {"sentencepiece.bpe.model", "spm.model", "sentencepiece.model"};

/// Returns the language in the name of a dictionary; empty for another file.
std::string language_in_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const bool is_dictionary =
      name.size() > kStart.size() + kEnd.size() && name.starts_with(kStart) && name.ends_with(kEnd);
  return is_dictionary ? name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size()) : "";
}

template <std::size_t Count>
std::optional<std::string> first_there(const std::string& folder,
                                       const std::array<const char*, Count>& names) {
  for (const char* name : names) {
    const std::string path = (fs::path(folder) / name).string();
    if (is_file(path)) return path;
  }
  return std::nullopt;
}

/// Reads the files of a folder as the settings of its checkpoint say.
class TextReader {
 public:
  TextReader(const std::string& folder, const JsonFile& settings)
      : folder_(folder), settings_(settings), source_(language("source")), target_(language("target")) {}

  TokenLists lists() const {
    return {.source = list(source_),
            .target = list(target_),
            .source_pieces = pieces(source_),
            .target_pieces = pieces(target_)};
  }

 private:
  /// Returns the language of a side.
  std::string language(const std::string& side) const {
    const std::string key = side + "_lang", language = settings_.text(key, "");
    if (language.empty() || language.find('/') != language.npos)
      settings_.refuse(key, "not a language, without which the dictionaries cannot be told apart");
    return language;
  }

  ListedTokens list(const std::string& language) const {
    const std::string path = (fs::path(folder_) / fmt::format("{}{}{}", kStart, language, kEnd)).string();
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      throw Error("'{}' is missing, the dictionary of the model; copy it next to the checkpoint", path);
    return {path, fairseq_dictionary(map_file(path).text(), path)};
  }

  std::optional<TokenPieces> pieces(const std::string& language) const {
    constexpr const char* kKey = "bpe";
    const std::string kind = settings_.text(kKey, "");
    const auto codes = first_there(folder_, kCodeFiles), sentencepiece = first_there(folder_, kPieceFiles);
    const bool is_known =
        kind.empty() || kind == "sentencepiece" || kind == "subword_nmt" || kind == "fastbpe";
    if (!is_known) settings_.refuse(kKey, "which nmt does not support");
    if (kind == "sentencepiece" && !sentencepiece) refuse_without(kPieceFiles[0]);
    if ((kind == "subword_nmt" || kind == "fastbpe") && !codes) refuse_without(kCodeFiles[0]);
    if (kind.empty() && codes && sentencepiece)
      throw Error("'{}' has both '{}' and '{}'; remove the one that is not of this model", folder_, *codes,
                  *sentencepiece);
    if (sentencepiece && (kind.empty() || kind == "sentencepiece"))
      return TokenPieces{.name = *sentencepiece, .bytes = map_file(*sentencepiece).copy()};
    if (codes) return byte_pairs(*codes, language);
    return std::nullopt;
  }

  [[noreturn]] void refuse_without(const char* file) const {
    settings_.refuse("bpe", fmt::format("but '{}' has no {}; copy it next to the checkpoint", folder_, file));
  }

  static std::string converted(const std::string& codes, const std::string& path) {
    try {
      return subword_nmt_codes(codes);
    } catch (const Error& error) {
      throw unusable(path, error.what());
    }
  }

  /// Returns codes of BPE, for text that sacremoses has divided.
  TokenPieces byte_pairs(const std::string& path, const std::string& language) const {
    constexpr const char* kKey = "tokenizer";
    const std::string tokenizer = settings_.text(kKey, "moses");
    if (tokenizer != "moses" && !tokenizer.empty()) settings_.refuse(kKey, "which nmt does not support");
    const std::string codes = map_file(path).copy();
    return {.name = path,
            .bytes = are_fast_bpe_codes(codes) ? converted(codes, path) : codes,
            .moses = MosesFacts{.language = language,
                                .normalizes = false,
                                .hyphens = !settings_.flag("moses_no_dash_splits", false),
                                .escapes = !settings_.flag("moses_no_escape", false)}};
  }

  const std::string& folder_;
  const JsonFile& settings_;
  std::string source_, target_;
};

}  // namespace

WordList fairseq_dictionary(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kOverwrite = " #fairseq:overwrite";
  constexpr std::array<std::string_view, 4> kSpecial = {"<s>", "<pad>", "</s>", "<unk>"};
  WordList words(kSpecial.begin(), kSpecial.end());
  std::unordered_set<std::string_view> known(kSpecial.begin(), kSpecial.end());  // not views of `words`
  for (int number = 1; !bytes.empty(); ++number) {
    std::string_view line = take_line(bytes);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool overwrites = line.ends_with(kOverwrite);
    if (overwrites) line.remove_suffix(kOverwrite.size());
    const std::size_t space = line.rfind(' ');
    if (space == line.npos || !number_of<std::int64_t>(line.substr(space + 1)))
      throw Error("'{}', line {} is not a word and its count, {}", name, number,
                  in_quotes(std::string(line)));
    const std::string_view word = line.substr(0, space);
    if (word.empty() || count_invalid_utf8(std::string(word)) > 0)
      throw Error("'{}', line {}: the word is {}", name, number, word.empty() ? "missing" : "not UTF-8");
    if (!known.insert(word).second && !overwrites)
      throw Error("'{}', line {}: {} occurs twice", name, number, in_quotes(std::string(word)));
    words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> dictionaries_in(const std::string& folder) {
  std::vector<std::string> found = entries_of(folder);
  std::erase_if(found, [](const std::string& path) { return language_in_name(path).empty(); });
  return found;
}

TokenLists fairseq_lists(const std::string& folder, const JsonFile& settings) {
  return TextReader(folder, settings).lists();
}

TokenNames fairseq_names() {
  return {.padding = {"<pad>"}, .decoder_start = "</s>", .source_has_eos = true};
}

}  // namespace nmt
