#include "cli/paper_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "backend/factory.h"
#include "nn/transformer.h"
#include "optim/schedule.h"
#include "pictures/heat_map.h"
#include "pictures/line_chart.h"

namespace nmt {
namespace {

constexpr double kMargin = 12;

std::unique_ptr<Backend> arbiter() {
  return open_backend({.device = "reference"});
}

Tensor uploaded(Backend& backend, std::int64_t rows, std::int64_t columns,
                const std::vector<double>& values) {
  Tensor tensor = allocate_tensor(backend, rows, columns, backend.precision().compute);
  upload_reals(backend, tensor, values);
  return tensor;
}

Tensor uploaded(Backend& backend, const std::vector<std::int32_t>& values) {
  Tensor tensor = allocate_tensor(backend, 1, std::ssize(values), DType::i32);
  backend.upload(tensor, values.data());
  return tensor;
}

/// What CrossEntropy makes of rows of logits.
struct CrossEntropyResult {
  std::vector<double> losses, gradient;  // of each row; of each logit
};

CrossEntropyResult cross_entropy(const std::vector<double>& logits, const std::vector<std::int32_t>& gold,
                                 double label_smoothing) {
  const auto backend = arbiter();
  const std::int64_t rows = std::ssize(gold), columns = std::ssize(logits) / rows;
  std::vector<double> identity(static_cast<std::size_t>(columns * columns));
  for (std::int64_t i = 0; i < columns; ++i) identity[static_cast<std::size_t>(i * columns + i)] = 1;
  const auto result = [&](std::int64_t of_rows, std::int64_t of_columns) {
    return allocate_tensor(*backend, of_rows, of_columns, backend->precision().sum);
  };
  const OutputLayer output{.x = uploaded(*backend, rows, columns, logits),
                           .weight = uploaded(*backend, columns, columns, identity)};
  const CrossEntropy arguments{.output = output,
                               .gold = uploaded(*backend, gold),
                               .label_smoothing = label_smoothing,
                               .scale = uploaded(*backend, 1, 1, {1}),
                               .room = result(rows, columns),
                               .loss = result(1, rows),
                               .nll = result(1, rows),
                               .dx = result(rows, columns)};
  backend->run(arguments);
  return {download_reals(*backend, arguments.loss), download_reals(*backend, arguments.dx)};
}

/// The distributions that the loss pulls towards: its gradient is p - q, and p is even where logits are 0.
HeatMap smoothed_targets(double label_smoothing) {
  constexpr std::int32_t kVocabulary = 8;
  std::vector<std::int32_t> gold(kVocabulary);
  std::iota(gold.begin(), gold.end(), 0);
  const auto [losses, gradient] =
      cross_entropy(std::vector<double>(std::size_t{kVocabulary} * kVocabulary), gold, label_smoothing);
  HeatMap map{.title = fmt::format("Targets, smoothing {}", label_smoothing),
              .x_label = fmt::format("token of a vocabulary of {}", kVocabulary),
              .y_label = ""};
  auto next = gradient.begin();
  for (std::int32_t i = 0; i < kVocabulary; ++i) {
    std::vector<double>& row = map.rows.emplace_back();
    for (std::int32_t j = 0; j < kVocabulary; ++j) row.push_back(1.0 / kVocabulary - *next++);
    map.row_names.push_back(std::to_string(i));
    map.column_names.push_back(std::to_string(i));
  }
  map.y_label = fmt::format("{:.4f} for the right one, {:.4f} else", map.rows[0][0], map.rows[0][1]);
  return map;
}

/// The loss where the right token has each of these probabilities, and the others share the rest.
Series losses_over_probability(double label_smoothing) {
  constexpr std::size_t kVocabulary = 8, kPoints = 200;
  std::vector<double> logits;
  Series series{.name = fmt::format("smoothing {}", label_smoothing), .points = {}};
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const double right = (static_cast<double>(i) - 0.5) / kPoints;
    series.points.push_back({right, 0});
    logits.push_back(std::log(right));
    logits.insert(logits.end(), kVocabulary - 1, std::log((1 - right) / (kVocabulary - 1)));
  }
  const auto [losses, gradient] = cross_entropy(logits, std::vector<std::int32_t>(kPoints), label_smoothing);
  for (std::size_t i = 0; i < kPoints; ++i) series.points[i].y = losses[i];
  return series;
}

std::vector<std::int32_t> begins_of(const std::vector<std::int32_t>& lengths) {
  std::vector<std::int32_t> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  return begins;
}

/// a1 a2 ... b1 b2 ...: a letter for each sentence.
std::vector<std::string> token_names(const std::vector<std::int32_t>& lengths) {
  std::vector<std::string> names;
  for (std::size_t sentence = 0; sentence < lengths.size(); ++sentence) {
    for (std::int32_t token = 1; token <= lengths[sentence]; ++token) {
      names.push_back(fmt::format("{:c}{}", static_cast<char>('a' + sentence), token));
    }
  }
  return names;
}

/// Which rows of keys each row of queries attends to, where sentences of these lengths are packed: with equal
/// scores and the unit matrix as values, what comes out is the weight of each key.
HeatMap visible_keys(const std::string& title, const std::vector<std::int32_t>& query_lengths,
                     const std::vector<std::int32_t>& key_lengths, bool causal) {
  const auto backend = arbiter();
  const auto segments = [&](const std::vector<std::int32_t>& lengths) {
    return Segments{.begin = uploaded(*backend, begins_of(lengths)),
                    .length = uploaded(*backend, lengths),
                    .count = std::ssize(lengths),
                    .max_length = *std::ranges::max_element(lengths)};
  };
  const std::int64_t queries = std::accumulate(query_lengths.begin(), query_lengths.end(), 0),
                     keys = std::accumulate(key_lengths.begin(), key_lengths.end(), 0);
  std::vector<double> unit(static_cast<std::size_t>(keys * keys));
  for (std::size_t i = 0; i < unit.size(); i += static_cast<std::size_t>(keys) + 1) unit[i] = 1;
  const Attention attention{.query = allocate_tensor(*backend, queries, keys, backend->precision().compute),
                            .key = allocate_tensor(*backend, keys, keys, backend->precision().compute),
                            .value = uploaded(*backend, keys, keys, unit),
                            .queries = segments(query_lengths),
                            .keys = segments(key_lengths),
                            .causal = causal,
                            .output = allocate_tensor(*backend, queries, keys, backend->precision().compute)};
  backend->run(attention);
  HeatMap map{.title = title, .x_label = "keys", .y_label = "queries"};
  map.row_names = token_names(query_lengths);
  map.column_names = token_names(key_lengths);
  auto weight = download_reals(*backend, attention.output);
  for (auto row = weight.begin(); row != weight.end(); row += keys) {
    std::vector<double>& visible = map.rows.emplace_back();
    std::transform(row, row + keys, std::back_inserter(visible), [](double w) { return w > 0 ? 1.0 : 0.0; });
  }
  return map;
}

}  // namespace

std::string positions_picture() {
  constexpr std::int64_t kPositions = 61, kDModel = 48, kApart = 8;
  constexpr double kCell = 8;
  const std::vector<double> table = sinusoid_table(kPositions, kDModel);
  const auto value = [&](std::int64_t position, std::int64_t dimension) {
    return table[static_cast<std::size_t>(position * kDModel + dimension)];
  };
  HeatMap map{.title = fmt::format("Position embeddings, d_model {}: -1 pale, 1 dark", kDModel),
              .x_label = "position",
              .y_label = "dimension, sine on even and cosine on odd ones",
              .low = -1};
  LineChart waves{.title = "Their frequencies fall with the dimension", .x_label = "position", .y_label = ""};
  for (std::int64_t dimension = 0; dimension < kDModel; ++dimension) {
    std::vector<double>& row = map.rows.emplace_back();
    for (std::int64_t position = 0; position < kPositions; ++position) {
      row.push_back(value(position, dimension));
    }
    map.row_names.push_back(dimension % kApart == 0 ? std::to_string(dimension) : "");
    if (dimension % kApart != 0 || dimension >= 4 * kApart) continue;
    Series& wave = waves.series.emplace_back(Series{fmt::format("dimension {}", dimension), {}});
    for (std::int64_t position = 0; position < kPositions; ++position) {
      wave.points.push_back({static_cast<double>(position), value(position, dimension)});
    }
  }
  const Box size = size_of(map, kCell);
  constexpr double kChartHeight = 220, kChartWidth = 660;
  Svg svg(kChartWidth + 2 * kMargin, size.height + kChartHeight + 3 * kMargin, "Position embeddings");
  draw(svg, {kMargin + 34, kMargin}, map, kCell);
  draw(svg, {kMargin, size.height + 2 * kMargin, kChartWidth, kChartHeight}, waves);
  return svg.str();
}

std::string schedule_picture(const std::vector<RateCurve>& curves) {
  constexpr std::int64_t kPoints = 200;
  const std::int64_t longest = std::ranges::max_element(curves, {}, &RateCurve::warmup)->warmup;
  const std::int64_t apart = std::max<std::int64_t>(1, longest * 5 / 2 / kPoints);
  LineChart chart{.title = "Learning rate", .x_label = "update", .y_label = ""};
  for (const auto& [d_model, warmup] : curves) {
    Series& series = chart.series.emplace_back(Series{fmt::format("{}:{}", d_model, warmup), {}});
    for (std::int64_t step = 1; step <= apart * kPoints; step += step == 1 && apart > 1 ? apart - 1 : apart) {
      const double rate =
          learning_rate({.schedule = Schedule::noam, .warmup = warmup, .width = d_model}, step);
      series.points.push_back({static_cast<double>(step), rate});
    }
  }
  return line_chart_svg(chart);
}

std::string smoothing_picture() {
  constexpr double kCell = 28, kChartWidth = 460, kChartHeight = 320;
  const HeatMap targets = smoothed_targets(0.1);
  LineChart penalty{.title = "Loss over the probability of the right token",
                    .x_label = "probability of the right token",
                    .y_label = "loss, the others even"};
  for (const double label_smoothing : {0.0, 0.1, 0.2}) {
    penalty.series.push_back(losses_over_probability(label_smoothing));
  }
  const Box size = size_of(targets, kCell);
  Svg svg(size.width + kChartWidth + 4 * kMargin, kChartHeight + 2 * kMargin, "Label smoothing");
  draw(svg, {kMargin, kMargin}, targets, kCell);
  draw(svg, {size.width + 3 * kMargin, kMargin, kChartWidth, kChartHeight}, penalty);
  return svg.str();
}

std::string masks_picture() {
  constexpr double kCell = 20;
  const std::vector<std::int32_t> source = {6, 4}, target = {5, 3};
  const std::vector<HeatMap> maps = {visible_keys("Encoder over itself", source, source, false),
                                     visible_keys("Decoder over itself", target, target, true),
                                     visible_keys("Decoder over encoder", target, source, false)};
  double width = kMargin, height = 0;
  for (const HeatMap& map : maps) {
    width += size_of(map, kCell).width + 2 * kMargin;
    height = std::max(height, size_of(map, kCell).height);
  }
  Svg svg(width, height + 2 * kMargin, "What attention sees, two sentences in one batch");
  double x = kMargin;
  for (const HeatMap& map : maps) {
    draw(svg, {x, kMargin}, map, kCell);
    x += size_of(map, kCell).width + 2 * kMargin;
  }
  return svg.str();
}

}  // namespace nmt
