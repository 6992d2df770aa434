// Small models of the T5 family, made by tests from the documentation of transformers.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "foreign/huggingface/made_up_folder.h"

namespace nmt::testing {

inline constexpr std::int64_t kT5Rows = 14, kT5Heads = 3, kT5HeadSize = 2, kT5Buckets = 8;

/// Returns a tokenizer of ten pieces, with a language and a sentinel after them.
inline nlohmann::json t5_tokenizer() {
  nlohmann::json pieces = nlohmann::json::array({{"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}});
  const std::pair<const char*, double> scored[] = {
      {"\u2581", -3}, {"a", -2}, {"b", -2.5}, {"ab", -4}, {"\u2581a", -3.5}, {"\u2581b", -3.6}, {"e", -5}};
  for (const auto& [piece, score] : scored) pieces.push_back({piece, score});
  nlohmann::json added = nlohmann::json::array();
  for (const int id : {0, 1, 2}) added.push_back({{"id", id}, {"content", pieces[id][0]}, {"special", true}});
  added.push_back({{"id", 10}, {"content", "<2de>"}, {"special", false}});
  added.push_back({{"id", 11}, {"content", "<extra_id_0>"}, {"special", true}});
  const nlohmann::json metaspace = {
      {"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}};
  return {{"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer",
           {{"type", "Sequence"}, {"pretokenizers", {{{"type", "WhitespaceSplit"}}, metaspace}}}},
          {"model", {{"type", "Unigram"}, {"unk_id", 2}, {"vocab", pieces}}}};
}

/// Returns an old T5, whose networks have no gates and whose output layer is the embedding.
inline MadeUpFolder t5_folder() {
  MadeUpFolder folder;
  folder.config = {{"architectures", {"T5ForConditionalGeneration"}},
                   {"d_model", kWidth},
                   {"d_kv", kT5HeadSize},
                   {"d_ff", kInner},
                   {"num_layers", 1},
                   {"num_heads", kT5Heads},
                   {"relative_attention_num_buckets", kT5Buckets},
                   {"relative_attention_max_distance", 20},
                   {"pad_token_id", 0},
                   {"eos_token_id", 1},
                   {"decoder_start_token_id", 0}};
  folder.tokenizer = {{"tokenizer_class", "T5Tokenizer"}};
  folder.files = {{"tokenizer.json", t5_tokenizer().dump()}};
  folder.add("shared.weight", {kT5Rows, kWidth});
  for (const std::string side : {"encoder", "decoder"}) {
    std::string layer;
    int number = 0;
    const auto next = [&] {
      layer = fmt::format("{}.block.0.layer.{}.", side, number++);
      folder.add(layer + "layer_norm.weight", {kWidth}, 1);
    };
    for (const std::string attention : {"SelfAttention.", "EncDecAttention."}) {
      if (side == "encoder" && attention == "EncDecAttention.") continue;
      next();
      for (const char* part : {"q", "k", "v"})
        folder.add(layer + attention + part + ".weight", {kT5Heads * kT5HeadSize, kWidth});
      folder.add(layer + attention + "o.weight", {kWidth, kT5Heads * kT5HeadSize});
    }
    next();
    folder.add(layer + "DenseReluDense.wi.weight", {kInner, kWidth});
    folder.add(layer + "DenseReluDense.wo.weight", {kWidth, kInner});
    folder.add(side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight",
               {kT5Buckets, kT5Heads});
    folder.add(side + ".final_layer_norm.weight", {kWidth}, 1);
  }
  return folder;
}

/// Returns a T5 whose networks have gates and this activation, as `feed_forward_proj` names both.
inline MadeUpFolder gated_t5_folder(const std::string& feed_forward_proj) {
  MadeUpFolder folder = t5_folder();
  folder.config["feed_forward_proj"] = feed_forward_proj;
  for (const std::string layer : {"encoder.block.0.layer.1", "decoder.block.0.layer.2"}) {
    const std::string name = layer + ".DenseReluDense.";
    folder.tensors.erase(name + "wi.weight");
    for (const char* part : {"wi_0.weight", "wi_1.weight"}) folder.add(name + part, {kInner, kWidth});
  }
  return folder;
}

/// Returns a T5 without a vocabulary file, whose tokens are bytes.
inline MadeUpFolder byt5_folder() {
  constexpr std::int64_t kByT5Rows = 264;  // five of them for sentinels
  MadeUpFolder folder = t5_folder();
  folder.files.clear();
  folder.tokenizer = {{"tokenizer_class", "ByT5Tokenizer"}};
  folder.add("shared.weight", {kByT5Rows, kWidth});
  return folder;
}

}  // namespace nmt::testing
