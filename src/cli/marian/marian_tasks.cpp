#include "cli/marian/marian_tasks.h"

namespace nmt {
namespace {

using Task = std::map<std::string, std::vector<std::string>>;

/// The settings of the paper, except those of the learning rate.
Task transformer_base() {
  return {{"type", {"transformer"}},
          {"dim-emb", {"512"}},
          {"enc-depth", {"6"}},
          {"dec-depth", {"6"}},
          {"tied-embeddings-all", {"true"}},
          {"transformer-heads", {"8"}},
          {"transformer-dim-ffn", {"2048"}},
          {"transformer-ffn-activation", {"relu"}},
          {"transformer-preprocess", {""}},
          {"transformer-postprocess", {"dan"}},
          {"transformer-dropout", {"0.1"}},
          {"cost-type", {"ce-mean-words"}},
          {"max-length", {"100"}},
          {"mini-batch", {"1000"}},
          {"mini-batch-fit", {"true"}},
          {"maxi-batch", {"1000"}},
          {"optimizer-params", {"0.9", "0.98", "1e-09"}},
          {"sync-sgd", {"true"}},
          {"learn-rate", {"0.0003"}},
          {"lr-warmup", {"16000"}},
          {"lr-decay-inv-sqrt", {"16000"}},
          {"label-smoothing", {"0.1"}},
          {"clip-norm", {"0"}},
          {"exponential-smoothing", {"0.0001"}},
          {"beam-size", {"8"}},
          {"normalize", {"1"}},
          {"valid-mini-batch", {"16"}},
          {"workspace", {"9500"}}};
}

Task changed(Task task, const Task& changes) {
  for (const auto& [option, values] : changes) task[option] = values;
  return task;
}

Task transformer_big() {
  return changed(transformer_base(), {{"dim-emb", {"1024"}},
                                      {"transformer-heads", {"16"}},
                                      {"transformer-dim-ffn", {"4096"}},
                                      {"optimizer-params", {"0.9", "0.998", "1e-09"}},
                                      {"learn-rate", {"0.0002"}},
                                      {"lr-warmup", {"8000"}},
                                      {"lr-decay-inv-sqrt", {"8000"}},
                                      {"valid-mini-batch", {"8"}},
                                      {"workspace", {"13000"}}});
}

const Task& pre_norm() {
  static const Task changes = {{"transformer-preprocess", {"n"}},
                               {"transformer-postprocess", {"da"}},
                               {"transformer-postprocess-top", {"n"}}};
  return changes;
}

}  // namespace

const std::map<std::string, std::map<std::string, std::vector<std::string>>>& marian_tasks() {
  static const std::map<std::string, Task> tasks = {
      {"transformer-base", transformer_base()},
      {"transformer-big", transformer_big()},
      {"transformer-base-prenorm", changed(transformer_base(), pre_norm())},
      {"transformer-big-prenorm", changed(transformer_big(), pre_norm())}};
  return tasks;
}

}  // namespace nmt
