// Training settings. Names, defaults and meanings are those of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "metrics/metric.h"
#include "nn/weights/low_rank_settings.h"
#include "train/interval.h"

namespace nmt {

/// Settings of minimum risk training; see RiskParts.
struct RiskSettings {
  std::string metric = "none";  // or one of utility_names() or model_metric_names(), or kQualityName
  std::string model = {};       // that judges, for the metrics that need one
  int samples = 8;              // candidates sampled for each sentence
  double sharpness = 5e-3;      // see ExpectedRisk
  double weight = 1;            // of the risk, from 0 to 1; the cross-entropy has the rest

  /// The quality by a model that judges without references; those of model_metric_names() judge with them.
  static constexpr const char* kQualityName = "quality";

  bool is_wanted() const { return metric != "none"; }
  bool needs_model() const { return nmt::needs_model(metric) || metric == kQualityName; }
};

struct TrainingSettings {
  std::int64_t steps = 100000;  // 0: no limit
  std::int64_t epochs = 0;      // 0: no limit
  Interval stop_after{0, Interval::Unit::minutes};
  std::int64_t batch_tokens = 25000;
  std::int64_t delay = 1;               // batches per update
  std::int64_t micro_batch_tokens = 0;  // 0: as many as fit
  bool activation_checkpointing = false;
  double learning_rate = 1;  // see ScheduleSettings
  std::int64_t warmup = 4000, decay_start = 0;
  std::string schedule = "noam";
  double stalled_decay = 1;           // factor of the learning rate when validations stall; 1: none
  std::int64_t stalled_patience = 3;  // validations without improvement before each decay
  double label_smoothing = 0.1;
  double guided_alignment_weight = 0, r_drop = 0, simcut = 0;  // see LossSettings
  double simcut_rate = 0.05;                                   // of the tokens that are cut; see cut_tokens()
  RiskSettings risk;
  std::vector<std::string> freeze;      // see frozen_parameters()
  std::optional<LowRankSettings> lora;  // none: all weights are trained
  bool quantization_aware = false;      // see TrainingWeights::read_as_int8()
  DropoutRates dropout{0.1, 0.1, 0.1};
  std::string optimizer = "adam";  // or one of optimizer_names()
  bool adafactor_scale = true;     // see AdafactorSettings
  double adam_beta1 = 0.9, adam_beta2 = 0.98, adam_epsilon = 1e-9;
  double weight_decay = 0;                 // 0: none
  double clip_norm = 0;                    // 0: off
  double ema = 0;                          // decay of the moving average of weights; 0: none
  std::string gradient_precision = "f32";  // type in which ranks exchange gradients: or "bf16"
  bool shard_optimizer = true;  // whether ranks divide moments and masters; see TrainingWeights::distribute()
  Interval valid_every{1000, Interval::Unit::updates};
  int valid_beam = 4;                      // beam width of the translations that metrics score;
                                           // 0: no translations
  std::vector<std::string> valid_metrics;  // see ValidationSettings
  MetricModels valid_models;               // of those metrics that need one
  std::string valid_command;               // see command_figure(); empty: none
  TimeLimit valid_timeout{60};             // of that command
  std::string best_by = "perplexity";      // see validation_figures()
  std::int64_t early_stopping = 0;         // validations without improvement; 0: never
  Interval save_every{1000, Interval::Unit::updates};
  Interval log_every{100, Interval::Unit::updates};
  std::optional<std::string> tensorboard;  // folder of event files; none: they are not written
  std::int64_t keep_last = 5;              // 0: all
  std::int64_t keep_best = 1;
  double sampling_alpha = 0;          // of subword sampling; 0: none
  bool sampling_consistency = false;  // whether R-Drop reads two segmentations of each source
  std::uint64_t seed = 1;
  std::set<std::string> from_corpus;  // names of settings to be chosen by fit_to_corpus()
};

}  // namespace nmt
