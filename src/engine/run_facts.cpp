#include "engine/run_facts.h"

#include <sstream>
#include <vector>

#include "common/io/checksum.h"
#include "ranks/agreement.h"
#include "train/run/training_state.h"

namespace nmt {
namespace {

std::string hexadecimal(std::uint64_t number) {
  return fmt::format("{:016x}", number);
}

/// Returns the lines "name: value" of a configuration, also those of sections.
RunFacts settings_in(const std::string& config) {
  RunFacts facts;
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' '), colon = line.find(": ");
    if (begin == std::string::npos || colon == std::string::npos) continue;
    const std::string name = line.substr(begin, colon - begin);
    if (name != "threads") facts.emplace_back(name, line.substr(colon + 2));
  }
  return facts;
}

std::string beginning(const SavedModel& model, Backend& backend, const std::optional<ModelFile>& state) {
  if (state) {
    const TrainingState begun = read_state(*state);
    return fmt::format("the state of step {} after {} seconds", begun.counters.step, begun.meter.seconds);
  }
  // A dry run trains nothing.
  if (!model.model->has_training_weights()) return "new weights";
  const Tensor& values = model.model->training_weights().values();
  std::vector<char> bytes(values.bytes());
  backend.download(bytes.data(), values);
  return "new weights " + hexadecimal(checksum_of({bytes.data(), bytes.size()}));
}

RunFacts run_facts(const TrainingPlan& plan, const std::string& config, const std::optional<ModelFile>& state,
                   Backend& backend) {
  const SavedModel& model = plan.model();
  const std::optional<ValidationText>& validation = plan.validation();
  RunFacts facts = settings_in(config);
  facts.emplace_back("the device", backend.arithmetic());
  facts.emplace_back("the source vocabulary", hexadecimal(model.vocabularies.source.fingerprint()));
  facts.emplace_back("the target vocabulary", hexadecimal(model.vocabularies.target.fingerprint()));
  facts.emplace_back("the text", hexadecimal(plan.corpus().fingerprint()));
  facts.emplace_back("the validation text", validation ? hexadecimal(validation->fingerprint) : "");
  facts.emplace_back("what the run begins with", beginning(model, backend, state));
  return facts;
}

}  // namespace

void check_same_plan(const TrainingPlan& plan, const std::string& config,
                     const std::optional<ModelFile>& state, DeviceRanks& ranks) {
  LaunchedRanks* const launched = ranks.launched();
  if (launched == nullptr) return;
  check_agreement(launched->communicator(), launched->names(), run_facts(plan, config, state, ranks.first()));
}

}  // namespace nmt
