#include "foreign/norm_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace nmt {
namespace {

/// A normalization that each side has once, {0}; the weight is {1}. Names are in the order of Toolkit.
struct SideNorm {
  const char *key, *ours;
  std::array<const char*, 4> theirs;
};

constexpr std::array<SideNorm, 2> kSideNorms = {
    {{"embedding_norm",
      "{}.embedding_norm",
      {"{}_emb_{}_pre", "model.{}.layernorm_embedding.{}", "{}/layernorm_embedding/{}", nullptr}},
     {"final_norm",
      "{}.norm",
      {"{}_top_{}", "model.{}.layer_norm.{}", "{}/layer_norm/{}", "{}.layer_norm.{}"}}}};

/// The weights of a normalization: the gain and bias of layer normalization, and the gain of RMSNorm.
struct NormWeights {
  const char *gain, *bias, *rms_gain;
};
constexpr std::array<NormWeights, 4> kWeights = {{{"ln_scale", "ln_bias", "rms_scale"},
                                                  {"weight", "bias", "weight"},
                                                  {"gamma", "beta", "gamma"},
                                                  {"weight", "bias", "weight"}}};

const char* theirs_of(const SideNorm& norm, Toolkit toolkit) {
  return norm.theirs.at(static_cast<std::size_t>(toolkit));
}

const NormWeights& weights_of(Toolkit toolkit) {
  return kWeights.at(static_cast<std::size_t>(toolkit));
}

bool has(const TransformerConfig& config, const SideNorm& norm) {
  return norm.key == std::string("final_norm") ? config.final_norm : config.embedding_norm;
}

std::string filled_in(const char* pattern, const std::string& side, const std::string& weight) {
  return fmt::format(fmt::runtime(pattern), side, weight);
}

}  // namespace

std::vector<Correspondence> norm_weights(Toolkit toolkit, const TransformerConfig& config,
                                         const std::string& ours, const std::string& theirs) {
  const auto named = [&](const char* weight) { return fmt::format(fmt::runtime(theirs), weight); };
  const auto& [gain, bias, rms_gain] = weights_of(toolkit);
  if (config.norm_kind == NormKind::rms) return {{ours + ".weight", named(rms_gain)}};
  return {{ours + ".weight", named(gain)}, {ours + ".bias", named(bias)}};
}

std::vector<Correspondence> side_norm_weights(Toolkit toolkit, const TransformerConfig& config) {
  std::vector<Correspondence> list;
  for (const SideNorm& norm : kSideNorms) {
    if (!has(config, norm)) continue;
    for (const char* side : {"encoder", "decoder"}) {
      const std::string theirs = filled_in(theirs_of(norm, toolkit), side, "{}");
      for (Correspondence& pair : norm_weights(toolkit, config, filled_in(norm.ours, side, ""), theirs))
        list.push_back(std::move(pair));
    }
  }
  return list;
}

std::vector<std::string> side_norms() {
  std::vector<std::string> keys;
  for (const SideNorm& norm : kSideNorms) keys.emplace_back(norm.key);
  return keys;
}

std::string side_norm_mark(Toolkit toolkit, const std::string& key, const std::string& side) {
  const auto* const norm = std::ranges::find(kSideNorms, key, &SideNorm::key);
  return filled_in(theirs_of(*norm, toolkit), side, weights_of(toolkit).gain);
}

}  // namespace nmt
