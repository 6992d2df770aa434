#include "cli/pictures/paper_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/factory.h"
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

/// The results of CrossEntropy for rows of logits.
struct CrossEntropyResult {
  std::vector<double> losses, gradient;  // one per row; one per logit
};

CrossEntropyResult cross_entropy(const std::vector<double>& logits, const std::vector<std::int32_t>& labels,
                                 double label_smoothing) {
  const auto backend = arbiter();
  const std::int64_t rows = std::ssize(labels), columns = std::ssize(logits) / rows;
  std::vector<double> identity(static_cast<std::size_t>(columns * columns));
  for (std::int64_t i = 0; i < columns; ++i) identity[static_cast<std::size_t>(i * columns + i)] = 1;
  const auto result = [&](std::int64_t of_rows, std::int64_t of_columns) {
    return allocate_tensor(*backend, of_rows, of_columns, backend->precision().sum);
  };
  const OutputLayer output{.x = uploaded(*backend, rows, columns, logits),
                           .weight = uploaded(*backend, columns, columns, identity)};
  const CrossEntropy arguments{.output = output,
                               .labels = uploaded(*backend, labels),
                               .label_smoothing = label_smoothing,
                               .scale = uploaded(*backend, 1, 1, {1}),
                               .workspace = result(rows, columns),
                               .loss = result(1, rows),
                               .nll = result(1, rows),
                               .dx = result(rows, columns)};
  backend->run(arguments);
  return {download_reals(*backend, arguments.loss), download_reals(*backend, arguments.dx)};
}

/// Draws the target distributions q of the loss: its gradient is p - q, and p is uniform if all logits are 0.
HeatMap smoothed_targets(double label_smoothing, std::int32_t vocabulary) {
  constexpr double kSide = 224, kNamedSide = 20;  // cells of this size have names
  const double side = std::floor(kSide / vocabulary);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(vocabulary));
  std::iota(labels.begin(), labels.end(), 0);
  const auto [losses, gradient] =
      cross_entropy(std::vector<double>(labels.size() * labels.size()), labels, label_smoothing);
  HeatMap map{.title = fmt::format("Targets, smoothing {}", label_smoothing),
              .x_label = "token",
              .y_label = "right token",
              .cell_width = side,
              .cell_height = side};
  auto next = gradient.begin();
  for (const std::int32_t token : labels) {
    std::vector<double>& row = map.rows.emplace_back();
    for (std::int32_t j = 0; j < vocabulary; ++j) row.push_back(std::max(0.0, 1.0 / vocabulary - *next++));
    const bool is_named = side >= kNamedSide || token % 8 == 0;
    map.row_names.push_back(is_named ? std::to_string(token) : "");
    map.column_names.push_back(map.row_names.back());
  }
  map.scale_label = fmt::format("{:.4f} or {:.4f}", map.rows[0][0], map.rows[0][1]);
  return map;
}

/// Returns the loss if the correct token has each of these probabilities and the others share the rest.
Series losses_over_probability(double label_smoothing, std::int32_t vocabulary) {
  constexpr std::size_t kPoints = 200;
  const auto others = static_cast<std::size_t>(vocabulary - 1);
  std::vector<double> logits;
  Series series{.name = fmt::format("smoothing {}", label_smoothing), .points = {}};
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const double right = (static_cast<double>(i) - 0.5) / kPoints;
    series.points.push_back({right, 0});
    logits.push_back(std::log(right));
    logits.insert(logits.end(), others, std::log((1 - right) / static_cast<double>(others)));
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

/// Returns a1 a2 ... b1 b2 ...: a letter for each sentence.
std::vector<std::string> token_names(const std::vector<std::int32_t>& lengths) {
  std::vector<std::string> names;
  for (std::size_t sentence = 0; sentence < lengths.size(); ++sentence) {
    for (std::int32_t token = 1; token <= lengths[sentence]; ++token) {
      names.push_back(fmt::format("{:c}{}", static_cast<char>('a' + sentence), token));
    }
  }
  return names;
}

/// Draws which rows of keys each row of queries attends to if sentences of these lengths are packed: with
/// equal scores and the identity matrix as values, the output is the weight of each key.
HeatMap visible_keys(const std::string& title, const std::vector<std::int32_t>& query_lengths,
                     const std::vector<std::int32_t>& key_lengths, bool causal) {
  const auto backend = arbiter();
  const auto offsets = [&](const std::vector<std::int32_t>& lengths) {
    return SequenceOffsets{.begin = uploaded(*backend, begins_of(lengths)),
                           .length = uploaded(*backend, lengths),
                           .count = std::ssize(lengths),
                           .longest = *std::ranges::max_element(lengths)};
  };
  const std::int64_t queries = std::accumulate(query_lengths.begin(), query_lengths.end(), 0),
                     keys = std::accumulate(key_lengths.begin(), key_lengths.end(), 0);
  std::vector<double> unit(static_cast<std::size_t>(keys * keys));
  for (std::size_t i = 0; i < unit.size(); i += static_cast<std::size_t>(keys) + 1) unit[i] = 1;
  const Attention attention{.query = allocate_tensor(*backend, queries, keys, backend->precision().compute),
                            .key = allocate_tensor(*backend, keys, keys, backend->precision().compute),
                            .value = uploaded(*backend, keys, keys, unit),
                            .queries = offsets(query_lengths),
                            .keys = offsets(key_lengths),
                            .causal = causal,
                            .output = allocate_tensor(*backend, queries, keys, backend->precision().compute)};
  backend->run(attention);
  constexpr double kCell = 20;
  HeatMap map{
      .title = title, .x_label = "keys", .y_label = "queries", .cell_width = kCell, .cell_height = kCell};
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

std::string schedule_picture(const std::string& title, const std::vector<RateCurve>& curves) {
  constexpr std::int64_t kPoints = 200;
  std::int64_t updates = 0;
  for (const auto& [name, settings] : curves) {
    updates = std::max({updates, settings.steps, settings.warmup * 5 / 2});
  }
  const std::int64_t apart = std::max<std::int64_t>(1, updates / kPoints);
  LineChart chart{.title = title, .x_label = "update", .y_label = "learning rate"};
  for (const auto& [name, settings] : curves) {
    Series& series = chart.series.emplace_back(Series{name, {}});
    for (std::int64_t step = 1; step <= apart * kPoints; step += step == 1 && apart > 1 ? apart - 1 : apart) {
      series.points.push_back({static_cast<double>(step), learning_rate(settings, step)});
    }
  }
  return line_chart_svg(chart);
}

std::string smoothing_picture(const std::vector<double>& label_smoothing, std::int32_t vocabulary) {
  constexpr double kChartWidth = 460, kChartHeight = 320;
  const auto smoothed = std::ranges::find_if(label_smoothing, [](double rate) { return rate > 0; });
  const HeatMap targets = smoothed_targets(smoothed == label_smoothing.end() ? 0 : *smoothed, vocabulary);
  LineChart penalty{.title = fmt::format("Loss, vocabulary of {}, the others even", vocabulary),
                    .x_label = "probability of the right token",
                    .y_label = "loss"};
  for (const double rate : label_smoothing) {
    penalty.series.push_back(losses_over_probability(rate, vocabulary));
  }
  const Box size = size_of(targets);
  Svg svg(size.width + kChartWidth + 4 * kMargin, std::max(kChartHeight, size.height) + 2 * kMargin,
          "Label smoothing");
  draw(svg, {kMargin, kMargin}, targets);
  draw(svg, {size.width + 3 * kMargin, kMargin, kChartWidth, kChartHeight}, penalty);
  return svg.str();
}

namespace {

/// Draws a row of cells in the colors of a map of masks, each with its meaning.
void draw_mask_legend(Svg& svg, Point at) {
  constexpr double kSide = 14, kApart = 24;
  for (const auto& [shade, meaning] : {std::pair(1.0, "the query attends to the key"),
                                       std::pair(0.0, "masked: a later token, or another sentence")}) {
    svg.rectangle({at.x, at.y, kSide, kSide},
                  {{"class", fmt::format("axis {}", svg.fill(color_of(ColorScale::sequential, shade)))}});
    svg.text({at.x + kSide + 6, at.y + 12}, meaning);
    at.x += kSide + 6 + width_of(meaning) + kApart;
  }
}

}  // namespace

std::string masks_picture(const std::vector<PairLengths>& pairs) {
  std::vector<std::int32_t> source, target;
  for (const PairLengths& pair : pairs) {
    source.push_back(pair.source);
    target.push_back(pair.target);
  }
  const std::vector<HeatMap> maps = {visible_keys("Encoder over itself", source, source, false),
                                     visible_keys("Decoder over itself", target, target, true),
                                     visible_keys("Decoder over encoder", target, source, false)};
  double width = kMargin, height = 0;
  for (const HeatMap& map : maps) {
    width += size_of(map).width + 2 * kMargin;
    height = std::max(height, size_of(map).height);
  }
  constexpr double kLegendWidth = 2 * kMargin + 480;
  Svg svg(std::max(width, kLegendWidth), height + 3 * kMargin + kLineHeight,
          "What attention sees, sentences in one batch");
  double x = kMargin;
  for (const HeatMap& map : maps) {
    draw(svg, {x, kMargin}, map);
    x += size_of(map).width + 2 * kMargin;
  }
  draw_mask_legend(svg, {kMargin, height + 2 * kMargin});
  return svg.str();
}

namespace {

constexpr double kTableEdge = 12;
constexpr double kMapWidth = 488, kMapHeight = 384, kLargestCell = 8;
constexpr std::int64_t kMostCells = 1024;  // on a side; if there are more, some are left out
constexpr int kNamedPositions = 7, kWaves = 4;

/// Returns a whole number of pixels per cell, which may make the map larger than `room`.
double cell_side(double room, std::int64_t cells) {
  return std::clamp(std::floor(room / static_cast<double>(cells)), 1.0, kLargestCell);
}

/// Returns a power of two, about a sixth of the dimensions, so that the named and drawn ones are even.
std::int64_t apart(std::int64_t d_model) {
  std::int64_t step = 2;
  while (2 * step <= d_model / 6) step *= 2;
  return step;
}

double value_of(const PositionEmbeddings& embeddings, std::int64_t position, std::int64_t dimension) {
  return embeddings.values[static_cast<std::size_t>(position * embeddings.d_model + dimension)];
}

HeatMap map_of(const PositionEmbeddings& embeddings) {
  const double largest = std::abs(
      *std::ranges::max_element(embeddings.values, {}, [](double value) { return std::abs(value); }));
  const double end = nice_axis(0, largest, 3).high;
  const std::int64_t rows_apart = 1 + (embeddings.d_model - 1) / kMostCells;
  const std::int64_t columns_apart = 1 + (embeddings.positions - 1) / kMostCells;
  HeatMap map{.title = embeddings.title,
              .x_label = "position",
              .y_label = "dimension",
              .low = -end,
              .high = end,
              .scale = ColorScale::diverging,
              .scale_label = "value"};
  const Axis named = nice_axis(0, static_cast<double>(embeddings.positions), kNamedPositions);
  const auto is_named = [&](std::int64_t position) {
    const double place = static_cast<double>(position) / std::max(named.ticks[1], 1.0);
    return place == std::floor(place);
  };
  for (std::int64_t position = 0; position < embeddings.positions; position += columns_apart) {
    map.column_names.push_back(is_named(position) ? std::to_string(position) : "");
  }
  for (std::int64_t dimension = 0; dimension < embeddings.d_model; dimension += rows_apart) {
    map.row_names.push_back(dimension % apart(embeddings.d_model) == 0 ? std::to_string(dimension) : "");
    std::vector<double>& row = map.rows.emplace_back();
    for (std::int64_t position = 0; position < embeddings.positions; position += columns_apart) {
      row.push_back(value_of(embeddings, position, dimension));
    }
  }
  map.cell_width = cell_side(kMapWidth, std::ssize(map.column_names));
  map.cell_height = cell_side(kMapHeight, std::ssize(map.row_names));
  return map;
}

LineChart waves_of(const PositionEmbeddings& embeddings) {
  LineChart chart{.title = "Some of the dimensions", .x_label = "position", .y_label = "value"};
  for (int i = 0; i < kWaves; ++i) {
    const std::int64_t dimension = i * apart(embeddings.d_model);
    if (dimension >= embeddings.d_model) break;
    Series& wave = chart.series.emplace_back(Series{fmt::format("dimension {}", dimension), {}});
    for (std::int64_t position = 0; position < embeddings.positions; ++position) {
      wave.points.push_back({static_cast<double>(position), value_of(embeddings, position, dimension)});
    }
  }
  return chart;
}

}  // namespace

std::string positions_picture(const PositionEmbeddings& embeddings) {
  constexpr double kChartWidth = 660, kChartHeight = 220;
  const HeatMap map = map_of(embeddings);
  const Box size = size_of(map);
  Svg svg(std::max(kChartWidth, size.width) + 2 * kTableEdge, size.height + kChartHeight + 3 * kTableEdge,
          "Position embeddings");
  draw(svg, {kTableEdge, kTableEdge}, map);
  draw(svg, {kTableEdge, size.height + 2 * kTableEdge, kChartWidth, kChartHeight}, waves_of(embeddings));
  return svg.str();
}

}  // namespace nmt
