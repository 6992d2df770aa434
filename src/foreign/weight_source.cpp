#include "foreign/weight_source.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "nn/weights/parameter_files.h"

namespace nmt {
namespace {

std::vector<float> transpose(const std::vector<float>& from, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kBlock = 32;  // rows that fit into the cache
  std::vector<float> to(from.size());
  for (std::int64_t begin = 0; begin < rows; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, rows);
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = begin; row < end; ++row)
        to[static_cast<std::size_t>(column * rows + row)] =
            from[static_cast<std::size_t>(row * columns + column)];
    }
  }
  return to;
}

/// Returns the values of a tensor. Throws Error if some are not finite.
std::vector<float> finite(std::vector<float> values, const std::string& name, const std::string& path) {
  if (std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return values;
  throw Error(
      "'{}': tensor '{}' holds NaN or infinity, with which no model translates; copy the file again, or use "
      "another checkpoint",
      path, name);
}

std::string shape_text(const WeightSource& source) {
  return fmt::format("[{}, {}]", source.rows, source.columns);
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

WeightSource transposed(WeightSource weight) {
  const std::int64_t rows = weight.rows, columns = weight.columns;
  return {columns, rows,
          [weight = std::move(weight)] { return transpose(weight.values(), weight.rows, weight.columns); }};
}

WeightSource stacked(std::vector<WeightSource> weights) {
  WeightSource whole{.rows = 0, .columns = weights.front().columns, .values = {}};
  const bool are_vectors = std::ranges::all_of(weights, [](const WeightSource& w) { return w.rows == 1; });
  if (are_vectors) {
    whole = {.rows = 1, .columns = 0, .values = {}};
    for (const WeightSource& weight : weights) whole.columns += weight.columns;
  } else {
    for (const WeightSource& weight : weights) {
      if (weight.columns != whole.columns) {
        throw Error("matrices of shapes {} and {} do not fit below each other", shape_text(weights.front()),
                    shape_text(weight));
      }
      whole.rows += weight.rows;
    }
  }
  whole.values = [weights = std::move(weights)] {
    std::vector<float> all;
    for (const WeightSource& weight : weights) {
      const std::vector<float> values = weight.values();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  return whole;
}

WeightSource rows_of(WeightSource weight, std::int64_t begin, std::int64_t count) {
  if (begin < 0 || count < 0 || begin + count > weight.rows) {
    throw Error("rows {} to {} of a matrix of shape {} were asked for", begin, begin + count,
                shape_text(weight));
  }
  const std::int64_t columns = weight.columns;
  return {count, columns, [=, weight = std::move(weight)] {
            const std::vector<float> all = weight.values();
            const auto first = all.begin() + begin * columns;
            return std::vector<float>(first, first + count * columns);
          }};
}

WeightSource filled(std::int64_t rows, std::int64_t columns, float value) {
  return {rows, columns, [=] { return std::vector<float>(static_cast<std::size_t>(rows * columns), value); }};
}

WeightSource identity(std::int64_t size) {
  return {size, size, [=] {
            std::vector<float> values(static_cast<std::size_t>(size * size));
            for (std::int64_t i = 0; i < size; ++i) values[static_cast<std::size_t>(i * size + i)] = 1;
            return values;
          }};
}

bool ForeignTensors::has(const std::string& name) const {
  return file_->find(name) != nullptr;
}

WeightSource ForeignTensors::operator()(const std::string& name) {
  asked_for_.insert(name);
  const TensorFile::Entry* entry = file_->find(name);
  if (entry == nullptr) {
    throw Error("'{}' has no tensor '{}', which its settings need; the file is not complete", file_->path(),
                name);
  }
  const std::vector<std::int64_t>& shape = entry->shape;
  if (shape.empty() || shape.size() > 2) {
    throw Error("'{}': tensor '{}' has {} dimensions, but weights have one or two", file_->path(), name,
                shape.size());
  }
  return {shape.size() == 1 ? 1 : shape[0], shape.back(),
          [file = file_, name] { return finite(file->read(name), name, file->path()); }};
}

void ForeignTensors::check_all_asked_for() const {
  for (const auto& [name, entry] : file_->entries()) {
    if (!asked_for_.contains(name)) {
      throw Error("'{}': unexpected tensor '{}': the model uses a feature that nmt does not support",
                  file_->path(), name);
    }
  }
}

std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const Parameters& parameters, const std::string& name) {
  std::vector<FileTensor> tensors;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto source = sources.find(entry.parameter.name);
    if (source == sources.end()) throw Error("'{}': no tensor is for '{}'", name, entry.parameter.name);
    const WeightSource& weight = source->second;
    const bool fits = weight.columns == entry.columns && weight.rows == std::max<std::int64_t>(entry.rows, 1);
    if (!fits) {
      throw Error("'{}': the tensor for '{}' has shape {}, but its settings need [{}, {}]", name,
                  entry.parameter.name, shape_text(weight), std::max<std::int64_t>(entry.rows, 1),
                  entry.columns);
    }
    tensors.push_back({entry.parameter.name, DType::f32, entry.shape(), nullptr,
                       [make = weight.values] { return bytes_of(make()); }});
  }
  return tensors;
}

std::map<std::string, WeightSource> weights_in(const ModelFile& file, const Parameters& parameters) {
  std::map<std::string, WeightSource> weights;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const FileWeights in_file = weights_in(file, entry);
    weights[entry.parameter.name] = {in_file.rows(), in_file.columns(), [in_file] {
                                       const std::vector<double> elements = in_file.elements();
                                       return std::vector<float>(elements.begin(), elements.end());
                                     }};
  }
  return weights;
}

}  // namespace nmt
