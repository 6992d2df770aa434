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

namespace nmt::cli {
namespace {

using pictures::HeatMap;
using pictures::LineChart;
using pictures::Series;
using pictures::Svg;

constexpr double margin = 12;

std::unique_ptr<Backend> arbiter() {
  return open_backend({.device = "reference"});
}

Tensor uploaded(Backend& backend, std::int64_t rows, std::int64_t columns,
                const std::vector<double>& values) {
  Tensor tensor = allocate_tensor(backend, rows, columns, backend.dtype());
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
  const CrossEntropy arguments{.logits = uploaded(*backend, rows, columns, logits),
                               .gold = uploaded(*backend, gold),
                               .label_smoothing = label_smoothing,
                               .gradient = true,
                               .scale = uploaded(*backend, 1, 1, {1}),
                               .loss = allocate_tensor(*backend, 1, rows, backend->dtype()),
                               .nll = allocate_tensor(*backend, 1, rows, backend->dtype())};
  backend->run(arguments);
  return {download_reals(*backend, arguments.loss), download_reals(*backend, arguments.logits)};
}

/// The distributions that the loss pulls towards: its gradient is p - q, and p is even where logits are 0.
HeatMap smoothed_targets(double label_smoothing) {
  constexpr std::int32_t vocabulary = 8;
  std::vector<std::int32_t> gold(vocabulary);
  std::iota(gold.begin(), gold.end(), 0);
  const auto [losses, gradient] =
      cross_entropy(std::vector<double>(std::size_t{vocabulary} * vocabulary), gold, label_smoothing);
  HeatMap map{.title = fmt::format("Targets, smoothing {}", label_smoothing),
              .x_label = fmt::format("token of a vocabulary of {}", vocabulary),
              .y_label = ""};
  auto next = gradient.begin();
  for (std::int32_t i = 0; i < vocabulary; ++i) {
    std::vector<double>& row = map.rows.emplace_back();
    for (std::int32_t j = 0; j < vocabulary; ++j) row.push_back(1.0 / vocabulary - *next++);
    map.row_names.push_back(std::to_string(i));
    map.column_names.push_back(std::to_string(i));
  }
  map.y_label = fmt::format("{:.4f} for the right one, {:.4f} else", map.rows[0][0], map.rows[0][1]);
  return map;
}

/// The loss where the right token has each of these probabilities, and the others share the rest.
Series losses_over_probability(double label_smoothing) {
  constexpr std::size_t vocabulary = 8, points = 200;
  std::vector<double> logits;
  Series series{.name = fmt::format("smoothing {}", label_smoothing), .points = {}};
  for (std::size_t i = 1; i <= points; ++i) {
    const double right = (static_cast<double>(i) - 0.5) / points;
    series.points.push_back({right, 0});
    logits.push_back(std::log(right));
    logits.insert(logits.end(), vocabulary - 1, std::log((1 - right) / (vocabulary - 1)));
  }
  const auto [losses, gradient] = cross_entropy(logits, std::vector<std::int32_t>(points), label_smoothing);
  for (std::size_t i = 0; i < points; ++i) series.points[i].y = losses[i];
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
  const Attention attention{.query = allocate_tensor(*backend, queries, keys, backend->dtype()),
                            .key = allocate_tensor(*backend, keys, keys, backend->dtype()),
                            .value = uploaded(*backend, keys, keys, unit),
                            .queries = segments(query_lengths),
                            .keys = segments(key_lengths),
                            .causal = causal,
                            .output = allocate_tensor(*backend, queries, keys, backend->dtype())};
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
  constexpr std::int64_t positions = 61, d_model = 48, apart = 8;
  constexpr double cell = 8;
  const std::vector<double> table = sinusoid_table(positions, d_model);
  const auto value = [&](std::int64_t position, std::int64_t dimension) {
    return table[static_cast<std::size_t>(position * d_model + dimension)];
  };
  HeatMap map{.title = fmt::format("Position embeddings, d_model {}: -1 pale, 1 dark", d_model),
              .x_label = "position",
              .y_label = "dimension, sine on even and cosine on odd ones",
              .low = -1};
  LineChart waves{.title = "Their frequencies fall with the dimension", .x_label = "position", .y_label = ""};
  for (std::int64_t dimension = 0; dimension < d_model; ++dimension) {
    std::vector<double>& row = map.rows.emplace_back();
    for (std::int64_t position = 0; position < positions; ++position) {
      row.push_back(value(position, dimension));
    }
    map.row_names.push_back(dimension % apart == 0 ? std::to_string(dimension) : "");
    if (dimension % apart != 0 || dimension >= 4 * apart) continue;
    Series& wave = waves.series.emplace_back(Series{fmt::format("dimension {}", dimension), {}});
    for (std::int64_t position = 0; position < positions; ++position) {
      wave.points.push_back({static_cast<double>(position), value(position, dimension)});
    }
  }
  const pictures::Box size = pictures::size_of(map, cell);
  constexpr double chart_height = 220, chart_width = 660;
  Svg svg(chart_width + 2 * margin, size.height + chart_height + 3 * margin, "Position embeddings");
  draw(svg, {margin + 34, margin}, map, cell);
  draw(svg, {margin, size.height + 2 * margin, chart_width, chart_height}, waves);
  return svg.str();
}

std::string schedule_picture(const std::vector<RateCurve>& curves) {
  constexpr std::int64_t points = 200;
  const std::int64_t longest = std::ranges::max_element(curves, {}, &RateCurve::warmup)->warmup;
  const std::int64_t apart = std::max<std::int64_t>(1, longest * 5 / 2 / points);
  LineChart chart{.title = "Learning rate", .x_label = "update", .y_label = ""};
  for (const auto& [d_model, warmup] : curves) {
    Series& series = chart.series.emplace_back(Series{fmt::format("{}:{}", d_model, warmup), {}});
    for (std::int64_t step = 1; step <= apart * points; step += step == 1 && apart > 1 ? apart - 1 : apart) {
      const double rate =
          learning_rate({.schedule = Schedule::noam, .warmup = warmup, .width = d_model}, step);
      series.points.push_back({static_cast<double>(step), rate});
    }
  }
  return line_chart_svg(chart);
}

std::string smoothing_picture() {
  constexpr double cell = 28, chart_width = 460, chart_height = 320;
  const HeatMap targets = smoothed_targets(0.1);
  LineChart penalty{.title = "Loss over the probability of the right token",
                    .x_label = "probability of the right token",
                    .y_label = "loss, the others even"};
  for (const double label_smoothing : {0.0, 0.1, 0.2}) {
    penalty.series.push_back(losses_over_probability(label_smoothing));
  }
  const pictures::Box size = pictures::size_of(targets, cell);
  Svg svg(size.width + chart_width + 4 * margin, chart_height + 2 * margin, "Label smoothing");
  draw(svg, {margin, margin}, targets, cell);
  draw(svg, {size.width + 3 * margin, margin, chart_width, chart_height}, penalty);
  return svg.str();
}

std::string masks_picture() {
  constexpr double cell = 20;
  const std::vector<std::int32_t> source = {6, 4}, target = {5, 3};
  const std::vector<HeatMap> maps = {visible_keys("Encoder over itself", source, source, false),
                                     visible_keys("Decoder over itself", target, target, true),
                                     visible_keys("Decoder over encoder", target, source, false)};
  double width = margin, height = 0;
  for (const HeatMap& map : maps) {
    width += pictures::size_of(map, cell).width + 2 * margin;
    height = std::max(height, pictures::size_of(map, cell).height);
  }
  Svg svg(width, height + 2 * margin, "What attention sees, two sentences in one batch");
  double x = margin;
  for (const HeatMap& map : maps) {
    draw(svg, {x, margin}, map, cell);
    x += pictures::size_of(map, cell).width + 2 * margin;
  }
  return svg.str();
}

}  // namespace nmt::cli
