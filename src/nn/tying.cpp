#include "nn/tying.h"

namespace nmt {

ModelKey tying_key() {
  return {"tied_embeddings",
          "all",
          "embedding and output matrices that share their weights. all means source, target and output; "
          "target means "
          "target and output; inputs means source and target; with none, all are separate.",
          {"all", "target", "inputs", "none"}};
}

Tying tying_of(const ModelSettings& settings) {
  const auto tying = chosen({tying_key()}, settings, "tied_embeddings",
                            {Tying::all, Tying::target, Tying::inputs, Tying::none});
  constexpr std::int64_t kMostPieces = 1 << 24;
  const std::int64_t source = integer_setting(settings, "source_vocabulary", 1, kMostPieces);
  const std::int64_t target = integer_setting(settings, "target_vocabulary", 1, kMostPieces);
  if (has_one_embedding(tying) && source != target) {
    throw ModelSettingError({"tied_embeddings", "source_vocabulary", "target_vocabulary"},
                            "tied_embeddings '{}' needs one vocabulary, but the source has {} pieces and "
                            "the target {}; use 'target' or 'none'",
                            settings.at("tied_embeddings"), source, target);
  }
  return tying;
}

void refuse_two_vocabularies(Tying tying) {
  if (!has_one_embedding(tying)) return;
  throw ModelSettingError(
      {"tied_embeddings"},
      "tied_embeddings '{}' needs one vocabulary for both sides; use 'target' or 'none', or `vocab`",
      tying == Tying::all ? "all" : "inputs");
}

}  // namespace nmt
