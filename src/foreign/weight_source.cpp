#include "foreign/weight_source.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/error.h"
#include "nn/weights/parameter_files.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

constexpr std::int64_t kSize = sizeof(float);

/// Returns the columns [begin, begin + count) of a matrix as rows. The matrix is read in ranges of its rows.
std::vector<float> transpose(const WeightSource& matrix, RowRange columns) {
  constexpr std::int64_t kBlock = 32;  // rows that fit into the cache
  std::vector<float> to(static_cast<std::size_t>(columns.count * matrix.rows));
  const auto row_bytes = static_cast<std::size_t>(matrix.columns * kSize);
  each_range(matrix.rows, row_bytes, [&](RowRange range) {
    const TensorBytes from = matrix.read(range);
    for (std::int64_t begin = 0; begin < range.count; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, range.count);
      for (std::int64_t column = 0; column < columns.count; ++column) {
        for (std::int64_t row = begin; row < end; ++row)
          std::memcpy(&to[static_cast<std::size_t>(column * matrix.rows + range.begin + row)],
                      from.data() + (row * matrix.columns + columns.begin + column) * kSize, kSize);
      }
    }
  });
  return to;
}

[[noreturn]] void fail_for_values(const std::string& name, const std::string& path) {
  throw Error(
      "'{}': tensor '{}' holds NaN or infinity, with which no model translates; copy the file again, or use "
      "another checkpoint",
      path, name);
}

/// Returns the values of some rows of a tensor. Throws Error if some are not finite.
std::vector<float> finite_values(const TensorFile& file, const std::string& name, RowRange range) {
  std::vector<float> values = file.read(name, range);
  if (!are_finite(values.data(), values.size(), DType::f32)) fail_for_values(name, file.path());
  return values;
}

std::string shape_text(const WeightSource& source) {
  return fmt::format("[{}, {}]", source.rows, source.columns);
}

}  // namespace

WeightSource transposed(WeightSource weight) {
  const std::int64_t rows = weight.rows, columns = weight.columns;
  return {columns, rows, [weight = std::move(weight)](RowRange range) { return transpose(weight, range); }};
}

WeightSource stacked(std::vector<WeightSource> weights) {
  WeightSource whole{.rows = 0, .columns = weights.front().columns, .make = {}};
  const bool are_vectors = std::ranges::all_of(weights, [](const WeightSource& w) { return w.rows == 1; });
  if (are_vectors) {
    whole = {.rows = 1, .columns = 0, .make = {}};
    for (const WeightSource& weight : weights) whole.columns += weight.columns;
  } else {
    for (const WeightSource& weight : weights) {
      if (weight.columns != whole.columns) {
        throw Error("matrices of shapes {} and {} cannot be stacked", shape_text(weights.front()),
                    shape_text(weight));
      }
      whole.rows += weight.rows;
    }
  }
  whole.make = [weights = std::move(weights), are_vectors, columns = whole.columns](RowRange range) {
    std::vector<float> all(static_cast<std::size_t>(range.count * columns));
    float* to = all.data();
    std::int64_t first = 0;  // row of the whole at which a weight begins
    for (const WeightSource& weight : weights) {
      const std::int64_t begin =
                             are_vectors ? 0 : std::clamp<std::int64_t>(range.begin - first, 0, weight.rows),
                         end = are_vectors ? 1
                                           : std::clamp<std::int64_t>(range.begin + range.count - first, 0,
                                                                      weight.rows);
      const std::int64_t size = (end - begin) * weight.columns;
      if (size > 0)
        std::memcpy(to, weight.read({begin, end - begin}).data(), static_cast<std::size_t>(size * kSize));
      to += size;
      first += weight.rows;
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
  const std::byte* const data = weight.data == nullptr ? nullptr : weight.data + begin * columns * kSize;
  return {count, columns,
          [=, weight = std::move(weight)](RowRange range) {
            std::vector<float> values(static_cast<std::size_t>(range.count * columns));
            if (!values.empty())
              std::memcpy(values.data(), weight.read({begin + range.begin, range.count}).data(),
                          values.size() * sizeof(float));
            return values;
          },
          data};
}

WeightSource filled(std::int64_t rows, std::int64_t columns, float value) {
  return {rows, columns, [=](RowRange range) {
            return std::vector<float>(static_cast<std::size_t>(range.count * columns), value);
          }};
}

WeightSource identity(std::int64_t size) {
  return {size, size, [=](RowRange range) {
            std::vector<float> values(static_cast<std::size_t>(range.count * size));
            for (std::int64_t i = 0; i < range.count; ++i)
              values[static_cast<std::size_t>(i * size + range.begin + i)] = 1;
            return values;
          }};
}

WeightSource scaled(WeightSource weight, double factor) {
  if (factor == 1) return weight;
  return {weight.rows, weight.columns, [weight, factor](RowRange range) {
            std::vector<float> values = weight.make(range);
            for (float& value : values) value = static_cast<float>(value * factor);
            return values;
          }};
}

bool ForeignTensors::has(const std::string& name) const {
  return file_->find(name) != nullptr;
}

WeightSource ForeignTensors::operator()(const std::string& name) {
  asked_for_.insert(name);
  weights_.insert(name);
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
  const bool is_as_here = entry->type == ElementType::f32 && !entry->is_transposed;
  return {shape.size() == 1 ? 1 : shape[0], shape.back(),
          [file = file_, name](RowRange range) { return finite_values(*file, name, range); },
          is_as_here ? file_->mapped(name) : nullptr};
}

void ForeignTensors::check_all_asked_for() const {
  for (const auto& [name, entry] : file_->entries()) {
    if (!asked_for_.contains(name)) {
      throw Error("'{}': unexpected tensor '{}': the model uses a feature that nmt does not support",
                  file_->path(), name);
    }
  }
}

void ForeignTensors::check_weights() const {
  for (const std::string& name : weights_)
    if (!file_->is_finite(name)) fail_for_values(name, file_->path());
  file_->finish_reading();
}

bool are_equal(ForeignTensors& tensors, const std::string& a, const std::string& b) {
  const WeightSource one = tensors(a), other = tensors(b);
  if (one.rows != other.rows || one.columns != other.columns) return false;
  // Aliases lie at the same place.
  const std::byte* const place = tensors.file().mapped(a);
  if (place != nullptr && place == tensors.file().mapped(b)) return true;
  bool are_equal = true;
  each_range(one.rows, static_cast<std::size_t>(one.columns * kSize),
             [&](RowRange range) { are_equal = are_equal && one.make(range) == other.make(range); });
  return are_equal;
}

std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const Parameters& parameters, const std::string& name) {
  std::vector<FileTensor> tensors;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto source = sources.find(entry.parameter.name);
    if (source == sources.end()) throw Error("'{}' has no tensor for '{}'", name, entry.parameter.name);
    const WeightSource& weight = source->second;
    const bool fits = weight.columns == entry.columns && weight.rows == std::max<std::int64_t>(entry.rows, 1);
    if (!fits) {
      throw Error("'{}': the tensor for '{}' has shape {}, but its settings need [{}, {}]", name,
                  entry.parameter.name, shape_text(weight), std::max<std::int64_t>(entry.rows, 1),
                  entry.columns);
    }
    tensors.push_back({entry.parameter.name, DType::f32, entry.shape(), weight.data, weight.make});
  }
  return tensors;
}

std::map<std::string, WeightSource> weights_in(const ModelFile& file, const Parameters& parameters) {
  std::map<std::string, WeightSource> weights;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const FileWeights in_file = weights_in(file, entry);
    weights[entry.parameter.name] = {in_file.rows(), in_file.columns(), [in_file](RowRange range) {
                                       const std::vector<double> elements =
                                           ReadWeights(in_file, range).elements(0, range.count);
                                       in_file.finish_reading();
                                       return std::vector<float>(elements.begin(), elements.end());
                                     }};
  }
  return weights;
}

}  // namespace nmt
