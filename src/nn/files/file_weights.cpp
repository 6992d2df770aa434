#include "nn/files/file_weights.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "nn/files/model_file.h"
#include "tensor/reals.h"
#include "tensor/workers.h"

namespace nmt {
namespace {

// Elements of a file that are converted at a time: a large matrix in doubles would take more memory than the
// model.
constexpr std::int64_t kConvertedAtOnce = std::int64_t{1} << 18;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Returns the tensor `name` of a file. Throws Error if it is missing or has another shape.
const FileTensor& tensor_in(const ModelFile& file, const std::string& name,
                            const std::vector<std::int64_t>& shape) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) {
    throw Error("'{}' has no tensor '{}', which its configuration needs; the file is not complete",
                file.path(), name);
  }
  if (tensor->shape != shape) {
    throw Error("'{}': tensor '{}' has shape {}, but its configuration needs {}", file.path(), name,
                shape_text(tensor->shape), shape_text(shape));
  }
  return *tensor;
}

/// Returns the scales of the I8 weights `name`, F32 [rows]. Throws Error if they are missing or invalid.
const FileTensor& scale_in(const ModelFile& file, const std::string& name, std::int64_t rows) {
  const std::string wanted = scale_name(name);
  if (file.find(wanted) == nullptr) {
    throw Error("'{}' has no tensor '{}', the scales of the rows of '{}'; the file is not complete",
                file.path(), wanted, name);
  }
  const std::vector<std::int64_t> shape = {rows};
  const FileTensor& scale = tensor_in(file, wanted, shape);
  if (scale.dtype != DType::f32) {
    throw Error("'{}': tensor '{}' is of type {}, but scales are f32; convert the file", file.path(),
                scale.name, name_of(scale.dtype));
  }
  return scale;
}

}  // namespace

bool is_quantized(const ModelFile& file) {
  return std::ranges::any_of(file.tensors(),
                             [](const FileTensor& tensor) { return tensor.dtype == DType::i8; });
}

std::string scale_name(const std::string& name) {
  return name + ".scale";
}

FileWeights::FileWeights(const ModelFile& file, const std::string& name,
                         const std::vector<std::int64_t>& shape, bool may_be_quantized)
    : file_(&file), values_(&tensor_in(file, name, shape)) {
  if (values_->dtype == DType::i8 && may_be_quantized) {
    scale_ = &scale_in(file, name, rows());
  } else if (!is_real(values_->dtype)) {
    throw Error("'{}': tensor '{}' is of type {}, but these weights are real numbers; convert the file",
                file.path(), name, name_of(values_->dtype));
  }
}

const std::string& FileWeights::path() const {
  return file_->path();
}

void FileWeights::finish_reading() const {
  file_->finish_reading();
}

std::vector<double> FileWeights::elements() const {
  return ReadWeights(*this, {0, rows()}).elements(0, rows());
}

namespace {

/// Returns the scales of some rows of I8 weights.
TensorBytes read_scale(const FileTensor& scale, RowRange range) {
  const TensorBytes all = scale.read();
  std::vector<float> some(static_cast<std::size_t>(range.count));
  std::memcpy(some.data(), all.data() + range.begin * std::int64_t{sizeof(float)},
              some.size() * sizeof(float));
  return some;
}

}  // namespace

ReadWeights::ReadWeights(const FileWeights& weights, RowRange range)
    : dtype_(weights.values().dtype),
      columns_(weights.columns()),
      values_(weights.values().read(range)),
      scale_(weights.scale() == nullptr ? TensorBytes(nullptr) : read_scale(*weights.scale(), range)) {}

std::vector<double> ReadWeights::elements(std::int64_t begin, std::int64_t count) const {
  const std::byte* data = values() + begin * columns_ * static_cast<std::int64_t>(size_of(dtype_));
  const auto size = static_cast<std::size_t>(count * columns_);
  if (scale() == nullptr) return widen(data, size, dtype_);
  std::vector<float> scales(static_cast<std::size_t>(count));
  std::memcpy(scales.data(), scale() + begin * std::int64_t{sizeof(float)}, scales.size() * sizeof(float));
  std::vector<double> elements(size);
  const auto* integers = reinterpret_cast<const std::int8_t*>(data);
  for (std::size_t i = 0; i < size; ++i)
    elements[i] = double{scales[i / static_cast<std::size_t>(columns_)]} * integers[i];
  return elements;
}

QuantizedMatrix quantize(const std::vector<double>& elements, std::int64_t columns) {
  const std::vector<float> narrowed(elements.begin(), elements.end());
  QuantizedMatrix rows{std::vector<std::int8_t>(elements.size()), {}};
  for (std::int64_t at = 0; at < std::ssize(elements); at += columns)
    rows.scale.push_back(quantize_row(narrowed.data() + at, columns, rows.values.data() + at));
  return rows;
}

void upload_rows(Backend& backend, const Tensor& to, const Tensor& scale,
                 const std::vector<double>& elements) {
  if (to.dtype() != DType::i8) return upload_reals(backend, to, elements);
  const QuantizedMatrix rows = quantize(elements, to.columns());
  backend.upload(to, rows.values.data());
  backend.upload(scale, rows.scale.data());
}

void upload_weights(Backend& backend, const Tensor& to, const Tensor& scale, const FileWeights& from) {
  Workers workers(backend);
  const std::int64_t at_once = std::max<std::int64_t>(kConvertedAtOnce / to.columns(), 1);
  each_range(to.rows(), from.row_bytes(), [&](RowRange range) {
    const ReadWeights weights(from, range);
    const std::int64_t rows = range.count;
    const Tensor part = to.slice_rows(range.begin, rows);
    const Tensor scales = scale ? scale.slice_columns(range.begin, rows) : Tensor();
    if (from.values().dtype == to.dtype()) {
      backend.upload(part, weights.values());
      if (scales) backend.upload(scales, weights.scale());
      return from.finish_reading();
    }
    const auto useful = static_cast<std::size_t>((rows + at_once - 1) / at_once);
    std::atomic<std::int64_t> next = 0;
    workers.each(useful, [&](Worker& worker, std::size_t) {
      for (std::int64_t begin = next.fetch_add(at_once); begin < rows; begin = next.fetch_add(at_once)) {
        const std::int64_t count = std::min(at_once, rows - begin);
        upload_rows(worker.backend(), part.slice_rows(begin, count),
                    scales ? scales.slice_columns(begin, count) : Tensor(), weights.elements(begin, count));
        from.finish_reading();
      }
    });
  });
}

void check_quantizable(const std::string& name, std::int64_t columns) {
  if (columns <= kMostQuantizedColumns) return;
  throw Error("'{}' has rows of {} weights, but int8 multiplies rows of at most {}; use another precision",
              name, columns, kMostQuantizedColumns);
}

}  // namespace nmt
