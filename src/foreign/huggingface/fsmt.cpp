#include "foreign/huggingface/fsmt.h"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/subword_codes.h"
#include "foreign/fast_bpe.h"
#include "foreign/huggingface/huggingface_names.h"
#include "foreign/position_table.h"

namespace nmt {
namespace {

constexpr const char* kFsmtTable = "model.decoder.embed_tokens.weight";

/// Returns the positions in a table, whose first rows no token has. One of them, that of padding, is zero.
std::optional<ComputedPositions> fsmt_positions(ForeignTensors& tensors, const std::string& name,
                                                std::int64_t offset) {
  const WeightSource table = tensors(name);
  if (table.rows <= offset) return std::nullopt;
  return computed_positions(rows_of(table, offset, table.rows - offset).values(), table.columns);
}

void add_fsmt_positions(ForeignTensors& tensors, ModelSettings& settings) {
  settings["positions"] = "tensor2tensor";
  const std::int64_t offset = integer_setting(settings, "position_offset", 0, 1 << 24);
  const ComputedPositions usual{.kind = "tensor2tensor", .offset = offset};
  for (const char* table : {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}) {
    if (tensors.has(table) && fsmt_positions(tensors, table, offset) != usual)
      settings["positions"] = "learned";
  }
}

/// Reads the codes of BPE in merges.txt.
std::string fsmt_codes(const std::string& path) {
  const std::string merges = map_file(path).copy();
  try {
    std::string codes = subword_nmt_codes(merges);
    const SubwordCodes valid(codes);
    return codes;
  } catch (const Error& error) {
    throw unusable(path, error.what());
  }
}

}  // namespace

Languages fsmt_languages(const std::string& folder) {
  constexpr const char* kLanguages = "langs";
  const JsonFile tokenizer = JsonFile::read(folder, "tokenizer_config.json");
  const JsonFile config = JsonFile::read(folder, "config.json");
  const JsonFile& named = tokenizer.find(kLanguages) != nullptr ? tokenizer : config;
  const std::vector<std::string> languages = named.texts(kLanguages);
  if (languages.size() != 2) named.refuse(kLanguages, "not the languages of source and target");
  return {.source = languages[0], .target = languages[1]};
}

JsonFile with_fsmt_defaults(const JsonFile& config) {
  return config.or_else({{"pad_token_id", 1},
                         {"eos_token_id", 2},
                         {"decoder_start_token_id", 2},
                         {"forced_eos_token_id", 2},
                         {"tie_word_embeddings", false},
                         {"max_length", 200},
                         {"num_beams", 5}});
}

void add_fsmt_settings(ForeignTensors& tensors, ModelSettings& settings) {
  settings.merge(ModelSettings{{"norm", "post"}, {"embedding_norm", "false"}, {"output_bias", "false"}});
  add_fsmt_positions(tensors, settings);
  const bool has_both = tensors.has(kFsmtTable) && tensors.has(kFsmtOutput);
  if (has_both && !are_equal(tensors, kFsmtTable, kFsmtOutput)) {
    throw Error("'{}': {} differs from {}, with which transformers ties it; save the model again",
                tensors.file().path(), kFsmtOutput, kFsmtTable);
  }
}

Vocabularies fsmt_vocabularies(const std::string& folder, int source_rows, int target_rows) {
  const auto path = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
  const JsonFile tokenizer = JsonFile::read(folder, "tokenizer_config.json");
  const Languages languages = fsmt_languages(folder);
  const bool lowers = tokenizer.flag("do_lower_case", false);
  const std::string codes = fsmt_codes(path("merges.txt"));
  const auto side = [&](const char* list, const std::string& language, int rows) {
    WordList words = word_list_from_json(map_file(path(list)).copy(), path(list));
    mark_continuing_parts(words);
    const auto id = [&](const char* word) {
      if (const auto found = id_in(words, word)) return *found;
      throw Error("'{}' has no {}, which is needed to translate", path(list), word);
    };
    ListFacts facts{.end = id("</s>"), .unknown = id("<unk>"), .rows = rows};
    for (const char* word : {"<s>", "<pad>", "<unk>"}) {  // transformers removes them from translations
      if (const auto found = id_in(words, word)) facts.special.push_back(*found);
    }
    facts.moses = {.language = language, .is_fsmt = true, .lowers = lowers};
    return make_moses_vocabulary(codes, "", std::move(words), std::move(facts), path(list));
  };
  return {side(kFsmtSource, languages.source, source_rows), side(kFsmtTarget, languages.target, target_rows)};
}

}  // namespace nmt
