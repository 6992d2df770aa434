#include "nn/parameters.h"

#include <algorithm>
#include <set>

#include "common/error.h"
#include "nn/initializer.h"
#include "nn/model_file.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

constexpr std::int64_t kElementAlignment = 64;  // elements: every parameter starts on a cache line of its own

// Elements of a file that are converted at a time.
constexpr std::int64_t kLoadedAtOnce = std::int64_t{1} << 20;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// The tensor `name` of a file, which has to fit a parameter.
const FileTensor& tensor_for(const Parameters::Entry& entry, const ModelFile& file, const std::string& name) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) {
    throw Error("'{}' has no tensor '{}', which its configuration asks for; the file is not complete",
                file.path(), name);
  }
  if (tensor->shape != entry.shape()) {
    throw Error("'{}': tensor '{}' has shape {}, but its configuration asks for {}", file.path(), name,
                shape_text(tensor->shape), shape_text(entry.shape()));
  }
  if (!is_real(tensor->dtype)) {
    throw Error("'{}': tensor '{}' is of type {}, but weights are real numbers; convert the file",
                file.path(), name, name_of(tensor->dtype));
  }
  return *tensor;
}

/// The elements of `from` to a row of as many.
void upload(Backend& backend, const Tensor& to, const FileTensor& from) {
  if (from.dtype == to.dtype()) return backend.upload(to, from.data);
  // A part at a time: as doubles a large matrix would take more than the model.
  for (std::int64_t begin = 0; begin < from.size(); begin += kLoadedAtOnce) {
    const std::int64_t count = std::min(kLoadedAtOnce, from.size() - begin);
    upload_reals(backend, to.slice_columns(begin, count),
                 widen(from.data + begin * static_cast<std::int64_t>(size_of(from.dtype)),
                       static_cast<std::size_t>(count), from.dtype));
  }
}

/// How many matrices for products a parameter has, one below the other.
std::int64_t matrices_of(Initializer initializer) {
  if (initializer == Initializer::glorot3) return 3;
  return initializer == Initializer::glorot ? 1 : 0;
}

Tensor copy_of(Backend& backend, const Tensor& x) {
  Tensor copy = allocate_tensor(backend, x.rows(), x.columns(), x.dtype());
  backend.copy(copy, x);
  return copy;
}

}  // namespace

std::vector<std::int64_t> Parameters::Entry::shape() const {
  return rows == 0 ? std::vector<std::int64_t>{columns} : std::vector<std::int64_t>{rows, columns};
}

Parameter& Parameters::add(const std::string& name, std::int64_t rows, std::int64_t columns,
                           Initializer initializer) {
  entries_.push_back({{name, {}, {}}, rows, columns, initializer, size_});
  const std::int64_t elements = std::max<std::int64_t>(rows, 1) * columns;
  size_ += (elements + kElementAlignment - 1) / kElementAlignment * kElementAlignment;
  return entries_.back().parameter;
}

void Parameters::allocate(Backend& backend, bool gradients) {
  const DType compute = backend.precision().compute, master = backend.precision().master;
  backend_ = &backend;
  values_ = allocate_tensor(backend, 1, size_, master);
  if (compute != master) mirror_ = allocate_tensor(backend, 1, size_, compute);
  if (gradients) gradients_ = allocate_tensor(backend, 1, size_, master);
  for (Entry& entry : entries_) {
    const bool mirrored = mirror_ && entry.rows > 0;
    entry.parameter.value = span(mirrored ? mirror_ : values_, entry);
    if (gradients) entry.parameter.gradient = span(gradients_, entry);
  }
}

void Parameters::values_changed() {
  if (mirror_) backend_->run(Convert{.from = values_, .to = mirror_});
  backend_->weights_changed();
}

void Parameters::freeze() {
  for (auto& [parameter, rows, columns, initializer, offset] : entries_) {
    if (mirror_ && rows == 0) parameter.value = copy_of(*backend_, parameter.value);
    const std::int64_t parts = matrices_of(initializer);
    for (std::int64_t i = 0; i < parts; ++i)
      backend_->lay_out_for_products(parameter.value.slice_rows(i * rows / parts, rows / parts));
  }
  values_ = mirror_ = {};
}

void Parameters::initialize(std::uint64_t seed) {
  std::uint32_t number = 0;
  for (const Entry& entry : entries_) {
    upload_reals(*backend_, span(values_, entry),
                 initial_values(entry.initializer, std::max<std::int64_t>(entry.rows, 1), entry.columns, seed,
                                number++));
  }
  values_changed();
}

void Parameters::check(const ModelFile& file) const {
  std::set<std::string> known;
  for (const Entry& entry : entries_) {
    tensor_for(entry, file, entry.parameter.name);
    known.insert(entry.parameter.name);
  }
  for (const FileTensor& tensor : file.tensors()) {
    if (!known.contains(tensor.name) && !tensor.name.starts_with("vocabulary.")) {
      throw Error("'{}' has a tensor '{}' that its configuration has no place for", file.path(), tensor.name);
    }
  }
}

void Parameters::load(const ModelFile& file) {
  check(file);
  load(file, "", values_);
  values_changed();
}

void Parameters::load(const ModelFile& file, const std::string& prefix, const Tensor& flat) const {
  for (const Entry& entry : entries_) {
    const FileTensor& tensor = tensor_for(entry, file, prefix + entry.parameter.name);
    upload(*backend_, flat.slice_columns(entry.offset, tensor.size()), tensor);
    file.forget_pages();
  }
}

std::vector<FileTensor> Parameters::tensors(const std::string& prefix, const Tensor& flat,
                                            DType dtype) const {
  std::vector<FileTensor> tensors;
  for (const Entry& entry : entries_) {
    const auto make = [this, dtype, values = span(flat, entry)] {
      return download_as(dtype, *backend_, values);
    };
    tensors.push_back({prefix + entry.parameter.name, dtype, entry.shape(), nullptr, make});
  }
  return tensors;
}

std::int64_t Parameters::count() const {
  std::int64_t count = 0;
  for (const Entry& entry : entries_) count += std::max<std::int64_t>(entry.rows, 1) * entry.columns;
  return count;
}

std::map<std::string, std::int64_t> Parameters::count_by_part() const {
  std::map<std::string, std::int64_t> parts;
  for (const Entry& entry : entries_) {
    const std::string& name = entry.parameter.name;
    parts[name.substr(0, name.find('.'))] += std::max<std::int64_t>(entry.rows, 1) * entry.columns;
  }
  return parts;
}

Tensor Parameters::span(const Tensor& flat, const Entry& entry) {
  const std::int64_t rows = std::max<std::int64_t>(entry.rows, 1);
  return flat.slice_columns(entry.offset, rows * entry.columns).reshape(rows, entry.columns);
}

}  // namespace nmt
