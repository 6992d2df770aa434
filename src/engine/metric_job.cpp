#include "engine/metric_job.h"

#include <memory>
#include <utility>

#include "common/text/number.h"
#include "tensor/communicator.h"
#include "train/metric/judgment_task.h"
#include "train/trainer.h"

namespace nmt {
namespace {

/// Returns the settings of a run that does not train the mix, as there is one hidden state in it.
TrainingSettings with_fixed_mix(TrainingSettings settings, const CometModel& model) {
  settings.freeze.push_back(model.mix().name);
  return settings;
}

}  // namespace

std::vector<BestValidations::Entry> train_metric(const MetricPlan& plan, const TrainingOutput& output) {
  const RunDirectory directory(output.directory, output.overwrite);
  check_not_trained_since(output, plan.goes_on_from);
  std::optional<ModelFile> state;
  if (plan.goes_on_from) state = state_of_run(output.directory);
  const TrainingSettings settings = with_fixed_mix(plan.settings, *plan.comet.model);
  SingleRank alone;
  const auto task = [&](Workers& workers) {
    return std::make_unique<JudgmentTask>(
        settings, JudgmentParts{plan.comet, plan.corpus, plan.validation, plan.job}, workers);
  };
  const Vocabularies vocabularies{plan.comet.vocabulary, plan.comet.vocabulary};
  const TrainingParts parts{
      {*plan.comet.model, plan.device, alone, {{.corpus = &plan.corpus}}, task, plan.job},
      &directory,
      output.config_without_paths,
      plan.model,
      vocabularies,
      LossKind::judgments,
      plan.validation != nullptr ? plan.validation->fingerprint : 0};
  Trainer trainer(settings, parts, state ? &*state : nullptr);
  state.reset();
  begin_run(output, directory, trainer.has_ended(), *plan.job.log);
  plan.job.log->info("{} weights; {}; {}{}", plan.comet.model->parameters().count(),
                     plan.corpus.description(), plan.device.description(),
                     plan.goes_on_from ? fmt::format("; continuing at step {}", trainer.step()) : "");
  trainer.run();
  return trainer.best();
}

}  // namespace nmt
