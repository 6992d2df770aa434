#include "nn/weights/training_weights.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <optional>

#include "nn/weights/parameter_files.h"
#include "nn/weights/parameters.h"

namespace nmt {
namespace {

/// Returns the largest bucket size up to `size` that divides into equal aligned parts, but at least one step.
std::int64_t even_bucket(std::int64_t size, int ranks) {
  const std::int64_t step = ranks * kPartAlignment;
  return std::max(size / step, std::int64_t{1}) * step;
}

}  // namespace

Shard::Shard(std::int64_t elements, std::int64_t vectors, int rank, int ranks, bool divided,
             std::int64_t bucket)
    : vectors_{0, vectors}, ranks_(ranks), divided_(divided && ranks > 1) {
  const std::int64_t size = even_bucket(bucket, ranks);
  for (std::int64_t end = elements; end > vectors;) {
    const std::int64_t begin = std::max(end - size, vectors);
    buckets_.push_back({begin, end - begin});
    end = begin;
  }
  *this = of(rank);
}

Shard Shard::of(int rank) const {
  Shard shard = *this;
  shard.pieces_.clear();
  shard.size_ = 0;
  if (!divided_) {
    shard.add({0, buckets_.empty() ? vectors_.size : buckets_[0].begin + buckets_[0].size}, true);
    return shard;
  }
  shard.add(vectors_, true);
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    const Part part = part_of(bucket->size, rank, ranks_);
    shard.add({bucket->begin + part.begin, part.size}, false);
  }
  return shard;
}

void Shard::add(const Part& part, bool is_shared) {
  if (part.size == 0) return;
  pieces_.push_back({part, size_, is_shared});
  size_ += part.size;
}

std::vector<Shard::Piece> Shard::pieces_in(const Part& part) const {
  std::vector<Piece> pieces;
  for (const Piece& piece : pieces_) {
    const std::int64_t begin = std::max(piece.part.begin, part.begin);
    const std::int64_t end = std::min(piece.part.begin + piece.part.size, part.begin + part.size);
    if (begin < end)
      pieces.push_back({{begin, end - begin}, piece.place + begin - piece.part.begin, piece.is_shared});
  }
  return pieces;
}

TrainingWeights::TrainingWeights(Parameters& parameters, Backend& backend)
    : parameters_(parameters), backend_(backend) {
  const DType compute = backend.precision().compute, master = backend.precision().master;
  assert(backend.precision().weights == compute);
  lay_out();
  divide(Shard(size_, vectors_, 0, 1, false));
  values_ = allocate_tensor(backend, 1, size_, master);
  if (compute != master) compute_copy_ = allocate_tensor(backend, 1, size_, compute);
  gradients_ = allocate_tensor(backend, 1, size_, master);
  point_into_buffers();
}

void TrainingWeights::lay_out() {
  const auto place = [this](Parameters::Entry& entry) {  // each parameter starts on its own cache line
    entry.offset = size_;
    size_ += (entry.size() + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  };
  for (Parameters::Entry& entry : parameters_.entries()) {
    if (entry.has_master_type()) place(entry);
  }
  vectors_ = size_;
  for (Parameters::Entry& entry : parameters_.entries()) {
    if (!entry.has_master_type()) place(entry);
  }
}

void TrainingWeights::point_into_buffers() {
  for (Parameters::Entry& entry : parameters_.entries()) {
    const bool has_copy = compute_copy_ && !entry.has_master_type();
    entry.parameter.value = span(has_copy ? compute_copy_ : values_, entry);
    entry.parameter.gradient = span(gradients_, entry);
    entry.parameter.scale = {};
    entry.master = shard_.divided() ? Tensor() : span(values_, entry);
  }
}

void TrainingWeights::initialize(std::uint64_t seed) {
  nmt::initialize(parameters_, backend_, seed);
  values_changed();
}

void TrainingWeights::load(const ModelFile& file) {
  nmt::load(parameters_, backend_, file);
  values_changed();
}

void TrainingWeights::distribute(Communicator& ranks, bool divided) {
  ranks_ = &ranks;
  divide(Shard(size_, vectors_, ranks.rank(), ranks.size(), divided));
  if (!shard_.divided()) return;
  const Tensor all = values_;
  if (!compute_copy_) compute_copy_ = all;
  values_ = allocate_tensor(backend_, 1, shard_.size(), all.dtype());
  for (const auto& [part, place, is_shared] : shard_.pieces())
    backend_.copy(values_.slice_columns(place, part.size), all.slice_columns(part.begin, part.size));
  point_into_buffers();
}

void TrainingWeights::divide(const Shard& shard) {
  shard_ = shard;
  trained_ = shard_.pieces();
}

void TrainingWeights::freeze(const std::set<std::string>& names) {
  frozen_ = names;
  std::map<std::int64_t, bool> is_trained;  // whether a parameter is trained, by its offset
  for (const Parameters::Entry& entry : parameters_.entries()) is_trained[entry.offset] = trains(entry);
  is_trained[size_] = false;
  trained_.clear();
  std::optional<std::int64_t> begin;  // begin of a span of trained elements
  for (const auto& [offset, trains] : is_trained) {
    if (begin && !trains)
      std::ranges::move(shard_.pieces_in({*begin, offset - *begin}), std::back_inserter(trained_));
    begin = !trains ? std::nullopt : begin ? begin : std::optional(offset);
  }
}

void TrainingWeights::read_as_int8() {
  reads_as_int8_ = true;
  if (!compute_copy_) compute_copy_ = allocate_tensor(backend_, 1, size_, values_.dtype());
  for (Parameters::Entry& entry : parameters_.entries())
    entry.parameter.rounds_inputs = entry.is_matrix_of_weights();
  point_into_buffers();
  values_changed();
}

void TrainingWeights::convert_values() {
  for (const auto& [part, place, is_shared] : shard_.pieces()) {
    backend_.run(Convert{.from = values_.slice_columns(place, part.size),
                         .to = compute_copy_.slice_columns(part.begin, part.size)});
  }
}

void TrainingWeights::values_changed() {
  if (compute_copy_) convert_values();
  complete_copy();
  backend_.weights_changed();
  if (after_change_) after_change_();
}

void TrainingWeights::updated() {
  complete_copy();
  if (after_change_) after_change_();
}

void TrainingWeights::complete_copy() {
  if (!shard_.divided() && !reads_as_int8_) return;
  if (reads_as_int8_) convert_values();  // including updates that do not count, and frozen parameters
  if (shard_.divided()) {
    for (const Part& bucket : shard_.buckets())
      ranks_->all_gather(compute_copy_.slice_columns(bucket.begin, bucket.size));
    ranks_->finish();
  }
  if (reads_as_int8_) {
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const Tensor& weight = entry.parameter.value;
      if (entry.is_matrix_of_weights()) backend_.run(FakeQuantize{.x = weight, .y = weight});
    }
  }
  backend_.weights_changed();
}

Tensor TrainingWeights::span(const Tensor& flat, const Parameters::Entry& entry) {
  return flat.slice_columns(entry.offset, entry.size()).reshape(entry.size() / entry.columns, entry.columns);
}

std::vector<std::byte> TrainingWeights::gather(Part wanted, const Tensor& flat, DType dtype) const {
  std::vector<std::byte> own;
  for (const auto& [part, place, is_shared] : shard_.pieces_in(wanted)) {
    if (is_shared && ranks_->rank() > 0) continue;
    std::ranges::move(download_as(dtype, backend_, flat.slice_columns(place, part.size)),
                      std::back_inserter(own));
  }
  if (!shard_.divided()) return own;
  const std::vector<std::byte> all = ranks_->gather(own);
  if (ranks_->rank() > 0) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(wanted.size) * size_of(dtype));
  const std::byte* next = all.data();
  for (int rank = 0; rank < ranks_->size(); ++rank) {
    for (const auto& [part, place, is_shared] : shard_.of(rank).pieces_in(wanted)) {
      if (is_shared && rank > 0) continue;
      const std::size_t count = static_cast<std::size_t>(part.size) * size_of(dtype);
      std::copy_n(next, count,
                  bytes.data() + static_cast<std::size_t>(part.begin - wanted.begin) * size_of(dtype));
      next += count;
    }
  }
  return bytes;
}

}  // namespace nmt
