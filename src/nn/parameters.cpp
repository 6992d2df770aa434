#include "nn/parameters.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <set>

#include "common/error.h"
#include "nn/initializer.h"
#include "nn/model_file.h"

namespace nmt {
namespace {

constexpr std::int64_t kElementAlignment = 64;  // elements: every parameter starts on a cache line of its own

/// How many matrices for products a parameter has, one below the other.
std::int64_t matrices_of(Initializer initializer) {
  if (initializer == Initializer::glorot3) return 3;
  return initializer == Initializer::glorot ? 1 : 0;
}

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Hands out the memory of one block of a device, zeroed.
class Block {
 public:
  Block(Backend& backend, std::size_t bytes)
      : backend_(backend),
        memory_(backend.allocate(std::max<std::size_t>(bytes, 1)),
                [&backend](void* memory) { backend.release(memory); }),
        next_(static_cast<std::byte*>(memory_.get())) {}

  Tensor take(std::int64_t rows, std::int64_t columns, DType dtype) {
    Tensor tensor(rows, columns, dtype, next_, memory_);
    backend_.zero(tensor);
    next_ += aligned(tensor.bytes());
    return tensor;
  }

 private:
  Backend& backend_;
  std::shared_ptr<void> memory_;
  std::byte* next_;
};

}  // namespace

std::vector<std::int64_t> Parameters::Entry::shape() const {
  return rows == 0 ? std::vector<std::int64_t>{columns} : std::vector<std::int64_t>{rows, columns};
}

Parameter& Parameters::add(const std::string& name, std::int64_t rows, std::int64_t columns,
                           Initializer initializer) {
  entries_.push_back({{name, {}, {}}, rows, columns, initializer, size_});
  size_ += (entries_.back().size() + kElementAlignment - 1) / kElementAlignment * kElementAlignment;
  return entries_.back().parameter;
}

bool Parameters::Entry::is_matrix_of_weights() const {
  return matrices_of(initializer) > 0 || initializer == Initializer::embedding;
}

DType Parameters::Entry::type_in(const Precision& precision) const {
  if (rows == 0) return precision.master;
  return is_matrix_of_weights() ? precision.weights : precision.compute;
}

FileWeights Parameters::Entry::in_file(const ModelFile& file, const std::string& prefix) const {
  return {file, prefix + parameter.name, shape(), is_matrix_of_weights()};
}

void Parameters::allocate(Backend& backend, bool gradients) {
  backend_ = &backend;
  if (gradients) {
    allocate_for_training();
  } else {
    allocate_for_inference();
  }
}

void Parameters::allocate_for_training() {
  const DType compute = backend_->precision().compute, master = backend_->precision().master;
  assert(backend_->precision().weights == compute);
  values_ = allocate_tensor(*backend_, 1, size_, master);
  if (compute != master) mirror_ = allocate_tensor(*backend_, 1, size_, compute);
  gradients_ = allocate_tensor(*backend_, 1, size_, master);
  for (Entry& entry : entries_) {
    const bool mirrored = mirror_ && entry.rows > 0;
    entry.parameter.value = span(mirrored ? mirror_ : values_, entry);
    entry.parameter.gradient = span(gradients_, entry);
  }
}

void Parameters::allocate_for_inference() {
  const Precision precision = backend_->precision();
  const auto scales_of = [&](const Entry& entry) {
    return entry.type_in(precision) == DType::i8 ? entry.rows : 0;
  };
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) {
    if (scales_of(entry) > 0) check_quantizable(entry.parameter.name, entry.columns);
    bytes += aligned(static_cast<std::size_t>(entry.size()) * size_of(entry.type_in(precision)));
    bytes += aligned(static_cast<std::size_t>(scales_of(entry)) * sizeof(float));
  }
  Block block(*backend_, bytes);
  for (Entry& entry : entries_) {
    entry.parameter.value =
        block.take(std::max<std::int64_t>(entry.rows, 1), entry.columns, entry.type_in(precision));
    if (scales_of(entry) > 0) entry.parameter.scale = block.take(1, entry.rows, DType::f32);
  }
}

void Parameters::values_changed() {
  if (mirror_) backend_->run(Convert{.from = values_, .to = mirror_});
  backend_->weights_changed();
}

void Parameters::freeze() {
  for (const auto& [parameter, rows, columns, initializer, offset] : entries_) {
    const std::int64_t parts = matrices_of(initializer);
    for (std::int64_t i = 0; i < parts; ++i)
      backend_->lay_out_for_products(parameter.value.slice_rows(i * rows / parts, rows / parts));
  }
  values_ = mirror_ = {};
}

void Parameters::assign(const Entry& entry, const std::vector<double>& values) {
  const Tensor to = values_ ? span(values_, entry) : entry.parameter.value;
  upload_rows(*backend_, to, entry.parameter.scale, values);
}

void Parameters::initialize(std::uint64_t seed) {
  std::uint32_t number = 0;
  for (const Entry& entry : entries_) {
    assign(entry, initial_values(entry.initializer, std::max<std::int64_t>(entry.rows, 1), entry.columns,
                                 seed, number++));
  }
  values_changed();
}

void Parameters::check(const ModelFile& file) const {
  std::set<std::string> known;
  for (const Entry& entry : entries_) {
    const FileWeights weights = entry.in_file(file);
    known.insert(entry.parameter.name);
    if (weights.scale() != nullptr) known.insert(weights.scale()->name);
  }
  for (const FileTensor& tensor : file.tensors()) {
    if (!known.contains(tensor.name) && !tensor.name.starts_with("vocabulary.")) {
      throw Error("'{}' has a tensor '{}' that its configuration has no place for", file.path(), tensor.name);
    }
  }
}

void Parameters::load(const ModelFile& file) {
  check(file);
  for (const Entry& entry : entries_) {
    const Tensor to = values_ ? span(values_, entry) : entry.parameter.value;
    upload_weights(*backend_, to, entry.parameter.scale, entry.in_file(file));
    file.forget_pages();
  }
  values_changed();
}

void Parameters::load(const ModelFile& file, const std::string& prefix, const Tensor& flat) const {
  for (const Entry& entry : entries_) {
    upload_weights(*backend_, span(flat, entry), {}, entry.in_file(file, prefix));
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
  for (const Entry& entry : entries_) count += entry.size();
  return count;
}

std::map<std::string, std::int64_t> Parameters::count_by_part() const {
  std::map<std::string, std::int64_t> parts;
  for (const Entry& entry : entries_) {
    const std::string& name = entry.parameter.name;
    parts[name.substr(0, name.find('.'))] += entry.size();
  }
  return parts;
}

Tensor Parameters::span(const Tensor& flat, const Entry& entry) {
  return flat.slice_columns(entry.offset, entry.size()).reshape(entry.size() / entry.columns, entry.columns);
}

}  // namespace nmt
