#include "train/run/training_state.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kProgress = "progress";

Json to_json(const LossSum& sum) {
  return {{"loss", sum.loss}, {"nll", sum.nll}, {"tokens", sum.tokens}};
}

LossSum loss_sum(const Json& json) {
  return {json.at("loss"), json.at("nll"), json.at("tokens")};
}

Json to_json(const TrainingState& state) {
  Json splits = Json::array(), best = Json::array();
  for (const auto& split : state.position.splits) splits.push_back({split.batch_tokens, split.consumed});
  for (const auto& entry : state.best) best.push_back({entry.step, entry.value});
  Json json = {
      {"step", state.counters.step},
      {"epoch", state.counters.epoch},
      {"source_tokens", state.counters.source_tokens},
      {"target_tokens", state.counters.target_tokens},
      {"data_wait", state.counters.data_wait},
      {"position", {{"epoch", state.position.epoch}, {"pool", state.position.pool}, {"cuts", splits}}},
      {"epochs", state.epochs},
      {"loss", state.meter.window.loss},
      {"nll", state.meter.window.nll},
      {"tokens", state.meter.window.tokens},
      {"window_before", to_json(state.meter.before)},
      {"learning_rate", state.meter.rate},
      {"gradient_norm", state.meter.gradient_norm},
      {"seconds", state.meter.seconds},
      {"best", best},
      {"stalled", state.stalled},
      {"rate_factor", state.rate_factor},
      {"logged", state.logged},
      {"validated", state.validated},
      {"validation_due", state.validation_due},
      {"metrics_bytes", state.metrics_bytes},
      {"corpus", state.corpus},
      {"validation", state.validation},
      {"best_by", state.best_by},
      {"keep_last", state.keep_last},
      {"keep_best", state.keep_best}};
  const auto& [stage, begin] = state.stage;
  if (stage > 0) {
    json["stage"] = {{"number", stage},
                     {"step", begin.updates},
                     {"epochs", begin.epochs},
                     {"minutes", begin.minutes},
                     {"target_tokens", begin.target_tokens}};
  }
  for (const auto& [name, settings] : state.stages)
    json["stages"].push_back({{"name", name}, {"settings", settings}});
  if (state.loss_scale) json["loss_scale"] = {state.loss_scale->value, state.loss_scale->updates};
  return json;
}

/// Whether a value is a whole number small enough to keep counting without overflow.
bool is_count(const Json& json) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000;
  return json.is_number_unsigned() && json.get<std::uint64_t>() <= kMost;
}

bool has_counts(const Json& json, std::initializer_list<const char*> names) {
  return std::ranges::all_of(names, [&](const char* name) { return is_count(json.at(name)); });
}

bool is_split(const Json& split) {
  return is_count(split.at(0)) && split.at(0) > 0 && is_count(split.at(1));
}

/// Whether all counts are valid; JSON conversions would accept any number.
bool is_possible(const Json& json) {
  const Json& position = json.at("position");
  return has_counts(json, {"step", "epoch", "source_tokens", "target_tokens", "tokens", "stalled",
                           "metrics_bytes"}) &&
         (!json.contains("keep_last") || has_counts(json, {"keep_last", "keep_best"})) &&
         (!json.contains("window_before") || has_counts(json.at("window_before"), {"tokens"})) &&
         (!json.contains("stage") || has_counts(json.at("stage"), {"number", "step", "target_tokens"})) &&
         json.at("corpus").is_number_unsigned() && has_counts(position, {"epoch", "pool"}) &&
         std::ranges::all_of(position.at("cuts"), is_split) &&
         std::ranges::all_of(json.at("best"), [](const Json& entry) { return is_count(entry.at(0)); });
}

TrainingState from_json(const Json& json) {
  TrainingState state;
  state.counters = {json.at("step"), json.at("epoch"), json.at("source_tokens"), json.at("target_tokens"),
                    json.at("data_wait")};
  state.position.epoch = json.at("position").at("epoch");
  state.position.pool = json.at("position").at("pool");
  for (const Json& split : json.at("position").at("cuts"))
    state.position.splits.push_back({split.at(0), split.at(1)});
  state.epochs = json.at("epochs");
  state.meter = {.window = loss_sum(json),
                 .rate = json.at("learning_rate"),
                 .gradient_norm = json.at("gradient_norm"),
                 .seconds = json.at("seconds")};
  for (const Json& entry : json.at("best")) state.best.push_back({entry.at(0), entry.at(1)});
  state.stalled = json.at("stalled");
  state.rate_factor = json.value("rate_factor", 1.0);
  // Older states end a window with each line, and were written after the validation of their step.
  if (json.contains("window_before")) state.meter.before = loss_sum(json.at("window_before"));
  state.logged = json.value("logged", state.meter.window.tokens == 0 ? state.counters.step : 0);
  state.validated = json.value("validated", state.counters.step);
  state.validation_due = json.value("validation_due", false);
  state.metrics_bytes = json.at("metrics_bytes");
  state.corpus = json.at("corpus");
  state.validation = json.value("validation", std::uint64_t{0});
  state.best_by = json.value("best_by", "");
  state.keep_last = json.value("keep_last", std::int64_t{0});
  state.keep_best = json.value("keep_best", std::int64_t{0});
  if (json.contains("stage")) {
    const Json& stage = json.at("stage");
    state.stage = {.stage = stage.at("number"),
                   .begin = {.updates = stage.at("step"),
                             .epochs = stage.at("epochs"),
                             .minutes = stage.at("minutes"),
                             .target_tokens = stage.at("target_tokens")}};
  }
  for (const Json& each : json.value("stages", Json::array()))
    state.stages.push_back({each.at("name"), each.at("settings").get<StageSettings>()});
  if (json.contains("loss_scale")) {
    state.loss_scale = LossScale{json.at("loss_scale").at(0), json.at("loss_scale").at(1)};
  }
  return state;
}

/// Parses the metadata; nothing if something is missing or invalid.
std::optional<TrainingState> state_in(const std::string& progress) {
  try {
    const Json json = progress.size() <= kLongestConfig ? Json::parse(progress) : Json();
    if (is_possible(json)) return from_json(json);
  } catch (const nlohmann::json::exception&) {  // something is missing, or has another type
  }
  return std::nullopt;
}

}  // namespace

void write_state(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                 const TrainingState& state, std::vector<FileTensor> tensors,
                 std::map<std::string, std::string> metadata) {
  std::ranges::move(vocabulary_tensors(vocabularies), std::back_inserter(tensors));
  metadata[kProgress] = to_json(state).dump();
  write_model_file(path, config, std::move(tensors), kStateFormat, std::move(metadata));
}

TrainingState read_state(const ModelFile& file) {
  if (const auto state = state_in(file.metadata(kProgress))) return *state;
  throw Error("'{}' is not a complete training state; `overwrite` starts again", file.path());
}

std::optional<TrainingState> peek_at_state(const std::string& path) {
  try {
    const MemoryMap map = map_file(path);
    const std::map<std::string, std::string> metadata = parse_safetensors(map.text(), path).metadata;
    const auto progress = metadata.find(kProgress);
    return progress == metadata.end() ? std::nullopt : state_in(progress->second);
  } catch (const Error&) {  // missing, damaged, or not a state file
    return std::nullopt;
  }
}

}  // namespace nmt
