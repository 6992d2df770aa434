// Draws position embeddings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pictures/paper_pictures.h"
#include "pictures/heat_map.h"
#include "pictures/line_chart.h"

namespace nmt {
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
              .scale = ColourScale::diverging,
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
