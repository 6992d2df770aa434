// Small models of Hugging Face transformers, made by tests from its documentation.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/temporary_folder.h"
#include "data/vocabulary/listed/byte_pairs.h"
#include "foreign/containers/safetensors_file.h"
#include "foreign/made_up_tensors.h"
#include "translate/text_model.h"

namespace nmt::testing {

/// Returns a SentencePiece model, trained once.
inline const Vocabulary& small_pieces() {
  static const Vocabulary pieces = text_vocabulary();
  return pieces;
}

/// The files of a model, which a test changes before they are written.
struct MadeUpFolder : MadeUpTensors {
  nlohmann::json config, generation, tokenizer;
  std::map<std::string, std::string> files;  // other files, bytes by name

  std::string write(const TemporaryFolder& folder, const std::string& name = "model") const {
    const std::filesystem::path path = folder / name;
    std::filesystem::create_directory(path);
    const auto put = [&](const std::string& file, const std::string& bytes) {
      std::ofstream(path / file, std::ios::binary) << bytes;
    };
    put("config.json", config.dump());
    if (!generation.is_null()) put("generation_config.json", generation.dump());
    if (!tokenizer.is_null()) put("tokenizer_config.json", tokenizer.dump());
    for (const auto& [file, bytes] : files) put(file, bytes);
    std::vector<FileTensor> all;
    for (const auto& [tensor, contents] : tensors)
      all.push_back(
          {tensor, DType::f32, contents.shape, reinterpret_cast<const std::byte*>(contents.values.data())});
    write_safetensors((path / "model.safetensors").string(), {{"format", "pt"}}, all);
    return path.string();
  }
};

/// Adds the layers of both sides, which have the same names in all families.
inline void add_layers(MadeUpFolder& folder, bool has_final_norm, bool has_embedding_norm) {
  for (const std::string side : {"encoder", "decoder"}) {
    folder.add_layer("model.", side);
    if (has_final_norm) folder.add_norm("model." + side + ".layer_norm");
    if (has_embedding_norm) folder.add_norm("model." + side + ".layernorm_embedding");
  }
}

inline nlohmann::json made_up_config(const std::string& architecture, std::int64_t vocabulary) {
  return {{"architectures", {architecture}},
          {"d_model", kWidth},
          {"encoder_layers", 1},
          {"decoder_layers", 1},
          {"encoder_attention_heads", 2},
          {"decoder_attention_heads", 2},
          {"encoder_ffn_dim", kInner},
          {"decoder_ffn_dim", kInner},
          {"activation_function", "swish"},
          {"scale_embedding", true},
          {"is_encoder_decoder", true},
          {"vocab_size", vocabulary}};
}

/// Returns a MarianMTModel whose list has the pieces of a SentencePiece model in another order.
inline MadeUpFolder marian_folder() {
  const Vocabulary& pieces = small_pieces();
  nlohmann::json words = {{"</s>", 0}, {"<unk>", 1}};
  for (int id = 0; id < pieces.size(); ++id) {
    if (id != pieces.unknown() && !pieces.is_special(id)) words[pieces.piece(id)] = words.size();
  }
  const std::int64_t padding = static_cast<std::int64_t>(words.size());
  words["<pad>"] = padding;
  MadeUpFolder folder;
  folder.config = made_up_config("MarianMTModel", padding + 1);
  folder.config.update({{"pad_token_id", padding},
                        {"eos_token_id", 0},
                        {"decoder_start_token_id", padding},
                        {"max_position_embeddings", 32}});
  folder.generation = {{"bad_words_ids", {{padding}}}, {"num_beams", 2}, {"max_length", 20}};
  folder.tokenizer = {{"tokenizer_class", "MarianTokenizer"}};
  folder.files = {
      {"vocab.json", words.dump()}, {"source.spm", pieces.bytes()}, {"target.spm", pieces.bytes()}};
  folder.add("model.shared.weight", {padding + 1, kWidth});
  folder.add("final_logits_bias", {1, padding + 1});
  add_layers(folder, false, false);
  return folder;
}

/// Adds languages after the pieces of a SentencePiece model, with fairseq's numbering.
inline void add_fairseq_tokenizer(MadeUpFolder& folder, const Vocabulary& pieces,
                                  const std::vector<std::string>& languages) {
  nlohmann::json added;
  for (const std::string& language : languages) added[language] = pieces.size() + 1 + std::ssize(added);
  added["<mask>"] = pieces.size() + 1 + std::ssize(added);
  folder.files = {{"sentencepiece.bpe.model", pieces.bytes()}, {"added_tokens.json", added.dump()}};
}

/// Returns an NLLB: an M2M100ForConditionalGeneration with fairseq's numbering. It has one row more than
/// tokens.
inline MadeUpFolder nllb_folder() {
  const Vocabulary& pieces = small_pieces();
  MadeUpFolder folder;
  const std::int64_t rows = pieces.size() + 5;
  folder.config = made_up_config("M2M100ForConditionalGeneration", rows);
  folder.config.update({{"pad_token_id", 1}, {"eos_token_id", 2}, {"decoder_start_token_id", 2}});
  folder.tokenizer = {{"tokenizer_class", "NllbTokenizer"}, {"src_lang", "eng_Latn"}};
  add_fairseq_tokenizer(folder, pieces, {"deu_Latn", "eng_Latn"});
  folder.add("model.shared.weight", {rows, kWidth});
  add_layers(folder, true, false);
  return folder;
}

/// Returns an mBART, whose decoder begins with a language.
inline MadeUpFolder mbart_folder() {
  const Vocabulary& pieces = small_pieces();
  MadeUpFolder folder;
  const std::int64_t rows = pieces.size() + 4;
  folder.config = made_up_config("MBartForConditionalGeneration", rows);
  folder.config.update({{"pad_token_id", 1}, {"eos_token_id", 2}, {"scale_embedding", false}});
  folder.tokenizer = {{"tokenizer_class", "MBartTokenizer"}};
  add_fairseq_tokenizer(folder, pieces, {"de_DE", "en_XX"});
  folder.add("model.shared.weight", {rows, kWidth});
  folder.add("final_logits_bias", {1, rows});
  for (const char* side : {"encoder", "decoder"})
    folder.add(std::string("model.") + side + ".embed_positions.weight", {34, kWidth});
  add_layers(folder, true, true);
  return folder;
}

/// Returns an FSMT with vocabularies of its own on each side. It has one row more than words.
inline MadeUpFolder fsmt_folder() {
  const nlohmann::json source = {{"<s>", 0},   {"<pad>", 1}, {"</s>", 2},   {"<unk>", 3},
                                 {"a</w>", 4}, {"b", 5},     {"ab</w>", 6}, {".</w>", 7}};
  const nlohmann::json target = {{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}, {"x</w>", 4}, {"y", 5}};
  const auto source_rows = static_cast<std::int64_t>(source.size()) + 1,
             target_rows = static_cast<std::int64_t>(target.size()) + 1;
  MadeUpFolder folder;
  folder.config = made_up_config("FSMTForConditionalGeneration", 0);
  folder.config.update(
      {{"src_vocab_size", source_rows}, {"tgt_vocab_size", target_rows}, {"langs", {"en", "de"}}});
  folder.config.erase("scale_embedding");
  folder.config["activation_function"] = "relu";
  folder.files = {
      {"vocab-src.json", source.dump()}, {"vocab-tgt.json", target.dump()}, {"merges.txt", "a b</w> 7\n"}};
  folder.add("model.encoder.embed_tokens.weight", {source_rows, kWidth});
  folder.add("model.decoder.embed_tokens.weight", {target_rows, kWidth});
  folder.tensors["model.decoder.output_projection.weight"] =
      folder.tensors["model.decoder.embed_tokens.weight"];
  add_layers(folder, false, false);
  return folder;
}

/// Returns an IndicTrans2 model, with the pieces of a SentencePiece model in another order.
inline MadeUpFolder indictrans_folder() {
  const Vocabulary& pieces = small_pieces();
  nlohmann::json words = {{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}};
  for (int id = pieces.size() - 1; id >= 0; --id) {
    if (id != pieces.unknown() && !pieces.is_special(id)) words[pieces.piece(id)] = words.size();
  }
  const auto target_rows = static_cast<std::int64_t>(words.size());
  nlohmann::json source = words;
  for (const char* language : {"eng_Latn", "hin_Deva"}) source[language] = source.size();
  const auto source_rows = static_cast<std::int64_t>(source.size());
  MadeUpFolder folder;
  folder.config = made_up_config("IndicTransForConditionalGeneration", 0);
  folder.config.update({{"encoder_embed_dim", kWidth},
                        {"decoder_embed_dim", kWidth},
                        {"encoder_vocab_size", source_rows},
                        {"decoder_vocab_size", target_rows},
                        {"encoder_normalize_before", true},
                        {"decoder_normalize_before", true},
                        {"layernorm_embedding", true},
                        {"share_decoder_input_output_embed", true},
                        {"max_source_positions", 32},
                        {"activation_function", "gelu"}});
  for (const char* other : {"d_model", "vocab_size"}) folder.config.erase(other);
  folder.files = {{"dict.SRC.json", source.dump()},
                  {"dict.TGT.json", words.dump()},
                  {"model.SRC", pieces.bytes()},
                  {"model.TGT", pieces.bytes()}};
  folder.add("model.encoder.embed_tokens.weight", {source_rows, kWidth});
  folder.add("model.decoder.embed_tokens.weight", {target_rows, kWidth});
  add_layers(folder, true, true);
  return folder;
}

/// Returns a BART with few merges of bytes and learned positions.
inline MadeUpFolder bart_folder() {
  nlohmann::json words = {{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}};
  const auto add = [&words](const std::string& word) { words.emplace(word, words.size()); };
  for (int byte = 0; byte < 256; ++byte) add(written_bytes(std::string(1, static_cast<char>(byte))));
  const std::string blank = written_bytes(" ");
  for (const std::string& merged : {std::string("er"), blank + "d", blank + "der"}) add(merged);
  add("<mask>");
  const auto rows = static_cast<std::int64_t>(words.size());
  MadeUpFolder folder;
  folder.config = made_up_config("BartForConditionalGeneration", rows);
  folder.config.update({{"pad_token_id", 1},
                        {"eos_token_id", 2},
                        {"decoder_start_token_id", 2},
                        {"forced_bos_token_id", 0},
                        {"scale_embedding", false}});
  folder.tokenizer = {{"tokenizer_class", "BartTokenizer"}};
  folder.files = {{"vocab.json", words.dump()},
                  {"merges.txt", "#version: 0.2\ne r\n" + blank + " d\n" + blank + "d er\n"}};
  folder.add("model.shared.weight", {rows, kWidth});
  folder.add("final_logits_bias", {1, rows});
  for (const char* side : {"encoder", "decoder"})
    folder.add(std::string("model.") + side + ".embed_positions.weight", {34, kWidth});
  add_layers(folder, false, true);
  return folder;
}

}  // namespace nmt::testing
