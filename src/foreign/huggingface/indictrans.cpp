#include "foreign/huggingface/indictrans.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

/// Whether a word is the code of a language and its script, such as hin_Deva.
bool is_language(const std::string& word) {
  constexpr std::string_view kPattern = "aaa_Aaaa";
  return std::ranges::equal(word, kPattern, [](char c, char kind) {
    const auto letter = static_cast<unsigned char>(c);
    return kind == '_' ? c == '_' : kind == 'a' ? std::islower(letter) != 0 : std::isupper(letter) != 0;
  });
}

}  // namespace

JsonFile with_usual_keys(const JsonFile& config) {
  const auto refuse_difference = [&](const std::string& key) {
    config.refuse("decoder_" + key, "different from that of the encoder, which nmt does not support");
  };
  const std::int64_t width = config.integer("encoder_embed_dim", 512);
  if (config.integer("decoder_embed_dim", 512) != width) refuse_difference("embed_dim");
  if (config.flag("encoder_normalize_before", false) != config.flag("decoder_normalize_before", false))
    refuse_difference("normalize_before");
  return config.or_else({{"d_model", width},
                         {"max_position_embeddings", config.integer("max_source_positions", 210)},
                         {"pad_token_id", 1},
                         {"eos_token_id", 2},
                         {"decoder_start_token_id", 2}});
}

void add_indictrans_settings(const JsonFile& config, ModelSettings& settings) {
  const auto text = [&](const char* key) { return config.flag(key, false) ? "true" : "false"; };
  settings["norm"] = config.flag("encoder_normalize_before", false) ? "pre" : "post";
  settings["embedding_norm"] = text("layernorm_embedding");
  settings["tied_embeddings"] = config.flag("share_decoder_input_output_embed", false) ? "target" : "none";
  settings["output_bias"] = "false";
  settings["positions"] = "tensor2tensor";
}

Vocabularies indictrans_vocabularies(const std::string& folder, int source_rows, int target_rows) {
  const auto path = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
  const auto side = [&](const char* list, const char* pieces, int rows, bool is_source) {
    WordList words = word_list_from_json(map_file(path(list)).copy(), path(list));
    const auto id = [&](const char* word) {
      if (const auto found = id_in(words, word)) return *found;
      throw Error("'{}' has no {}, which is needed to translate", path(list), word);
    };
    ListFacts facts{.end = id("</s>"), .unknown = id("<unk>"), .rows = rows};
    for (const char* word : {"<s>", "<pad>", "<unk>"}) {
      if (const auto found = id_in(words, word)) facts.special.push_back(*found);
    }
    facts.begins_with_languages = is_source;
    for (std::size_t i = 0; i < words.size() && is_source; ++i) {
      if (is_language(words[i])) facts.added.push_back(static_cast<int>(i));
    }
    return make_piece_vocabulary(map_file(path(pieces)).copy(), std::move(words), std::move(facts),
                                 path(list), path(pieces));
  };
  return {side(kIndicSource, kIndicSourcePieces, source_rows, true),
          side(kIndicTarget, kIndicTargetPieces, target_rows, false)};
}

}  // namespace nmt
