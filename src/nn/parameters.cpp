#include "nn/parameters.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>
#include <set>

#include "common/error.h"
#include "nn/initializer.h"
#include "nn/model_file.h"

namespace nmt {
namespace {

/// How many matrices for products a parameter has, one below the other.
std::int64_t matrices_of(Initializer initializer) {
  if (initializer == Initializer::glorot3) return 3;
  return initializer == Initializer::glorot || initializer == Initializer::output ? 1 : 0;
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
  const std::int64_t parts = std::max<std::int64_t>(matrices_of(initializer), 1);
  entries_.push_back({{name, {}, {}, {}, parts}, rows, columns, initializer, 0});
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

void Parameters::lay_out() {
  size_ = 0;
  const auto place = [this](Entry& entry) {  // each starts on a cache line of its own
    entry.offset = size_;
    size_ += (entry.size() + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  };
  for (Entry& entry : entries_) {
    if (entry.rows == 0) place(entry);
  }
  vectors_ = size_;
  for (Entry& entry : entries_) {
    if (entry.rows > 0) place(entry);
  }
}

void Parameters::allocate_for_training() {
  const DType compute = backend_->precision().compute, master = backend_->precision().master;
  assert(backend_->precision().weights == compute);
  lay_out();
  shard_ = Shard(size_, vectors_, 0, 1, false);
  values_ = allocate_tensor(*backend_, 1, size_, master);
  if (compute != master) mirror_ = allocate_tensor(*backend_, 1, size_, compute);
  gradients_ = allocate_tensor(*backend_, 1, size_, master);
  point_into_buffers();
}

void Parameters::point_into_buffers() {
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

void Parameters::share(Communicator& ranks, bool divided) {
  ranks_ = &ranks;
  shard_ = Shard(size_, vectors_, ranks.rank(), ranks.size(), divided);
  if (!shard_.divided()) return;
  const Tensor all = values_;
  if (!mirror_) mirror_ = all;
  values_ = allocate_tensor(*backend_, 1, shard_.size(), all.dtype());
  for (const auto& [part, place, is_shared] : shard_.pieces())
    backend_->copy(values_.slice_columns(place, part.size), all.slice_columns(part.begin, part.size));
  point_into_buffers();
}

void Parameters::values_changed() {
  if (mirror_) {
    for (const auto& [part, place, is_shared] : shard_.pieces()) {
      backend_->run(Convert{.from = values_.slice_columns(place, part.size),
                            .to = mirror_.slice_columns(part.begin, part.size)});
    }
  }
  updated();
  backend_->weights_changed();
}

void Parameters::updated() {
  if (!shard_.divided()) return;
  for (const Part& bucket : shard_.buckets())
    ranks_->all_gather(mirror_.slice_columns(bucket.begin, bucket.size));
  ranks_->finish();
  backend_->weights_changed();
}

void Parameters::freeze(OutputRows output) {
  for (Entry& entry : entries_) {
    if (entry.initializer == Initializer::output && output == OutputRows::selected) continue;
    if (matrices_of(entry.initializer) == 0) continue;
    Parameter& weight = entry.parameter;
    weight.value = backend_->lay_out_for_products(weight.value, weight.parts);
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
    const FileWeights weights = entry.in_file(file, prefix);
    const std::vector<Shard::Piece> pieces = shard_.pieces_in(entry.part());
    if (pieces.empty()) continue;
    const bool is_whole = pieces.size() == 1 && pieces[0].part == entry.part();
    const Tensor whole = is_whole ? flat.slice_columns(pieces[0].place, entry.size())
                                  : allocate_tensor(*backend_, 1, entry.size(), flat.dtype());
    upload_weights(*backend_, whole.reshape(entry.size() / entry.columns, entry.columns), {}, weights);
    file.forget_pages();
    if (is_whole) continue;
    for (const auto& [part, place, is_shared] : pieces) {
      backend_->copy(flat.slice_columns(place, part.size),
                     whole.slice_columns(part.begin - entry.offset, part.size));
    }
  }
}

std::vector<FileTensor> Parameters::tensors(const std::string& prefix, const Tensor& flat,
                                            DType dtype) const {
  return tensors(prefix, dtype, [this, flat, dtype](const Entry& entry) {
    return download_as(dtype, *backend_, span(flat, entry));
  });
}

std::vector<FileTensor> Parameters::tensors(const std::string& prefix, DType dtype,
                                            const Bytes& bytes) const {
  std::vector<FileTensor> tensors;
  for (const Entry& entry : entries_) {
    tensors.push_back({prefix + entry.parameter.name, dtype, entry.shape(), nullptr,
                       [bytes, &entry] { return bytes(entry); }});
  }
  return tensors;
}

std::vector<std::byte> Parameters::gather(const Entry& entry, const Tensor& flat, DType dtype) const {
  std::vector<std::byte> own;
  for (const auto& [part, place, is_shared] : shard_.pieces_in(entry.part())) {
    if (is_shared && ranks_->rank() > 0) continue;
    std::ranges::move(download_as(dtype, *backend_, flat.slice_columns(place, part.size)),
                      std::back_inserter(own));
  }
  if (!shard_.divided()) return own;
  const std::vector<std::byte> all = ranks_->gather(own);
  if (ranks_->rank() > 0) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.size()) * size_of(dtype));
  const std::byte* next = all.data();
  for (int rank = 0; rank < ranks_->size(); ++rank) {
    for (const auto& [part, place, is_shared] : shard_.of(rank).pieces_in(entry.part())) {
      if (is_shared && rank > 0) continue;
      const std::size_t count = static_cast<std::size_t>(part.size) * size_of(dtype);
      std::copy_n(next, count,
                  bytes.data() + static_cast<std::size_t>(part.begin - entry.offset) * size_of(dtype));
      next += count;
    }
  }
  return bytes;
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
