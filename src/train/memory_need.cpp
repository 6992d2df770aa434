#include "train/memory_need.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <memory>

#include "backend/measure/measure.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "data/batches/batches.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "translate/search/search_state.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

constexpr std::int64_t kSampledPairs = 1000;
constexpr std::int64_t kShort = 10;  // tokens of a short sentence

/// Rank 0 of `size` ranks, for a dry run in which the others do not exist.
class PaperRank final : public Communicator {
 public:
  explicit PaperRank(int size) : size_(size) {}
  int rank() const override { return 0; }
  int size() const override { return size_; }
  void all_reduce(const Tensor&) override {}
  void reduce_scatter(const Tensor&, DType) override {}
  void all_gather(const Tensor&) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::byte> gather(std::span<const std::byte>) override { return {}; }

 private:
  int size_;
};

/// Returns pairs of `length` tokens per side, special tokens included, with `tokens` in total. Each target
/// token is aligned with a source token, and has a weight.
Batch pairs_of(std::int64_t length, std::int64_t tokens) {
  const std::vector<int> ids(static_cast<std::size_t>(std::max<std::int64_t>(length, 2) - 1));
  const std::int64_t count = std::max<std::int64_t>(tokens / (std::ssize(ids) + 1), 1);
  std::vector<Link> links;
  for (int i = 0; i < std::ssize(ids); ++i) links.push_back({i, i});
  return {std::vector<Example>(static_cast<std::size_t>(count), Example{0, ids, ids, links, {1}})};
}

/// Runs what one of `workers` computes for an update in micro-batches of this size. Long sentences need the
/// most memory for attention, short ones for everything that is stored per sentence. Returns the maximum
/// number of shards.
std::int64_t make_updates(const Model& model, Workers& measured, const RunShape& shape, std::int64_t workers,
                          std::int64_t micro_batch_tokens) {
  constexpr std::int64_t kBatches = 2;  // the largest, and one in the memory that it leaves behind
  DropoutRates dropout = shape.dropout;
  dropout.layer = 0;  // updates with all layers need the most
  Update update(model, measured, SpecialTokens{.has_source = model.has_source()},
                {.dropout = dropout,
                 .guided_alignment_weight = shape.guided_alignment_weight,
                 .r_drop = shape.r_drop,
                 .simcut = shape.simcut,
                 .recompute_activations = shape.recompute_activations});
  DeviceStatistics statistics(measured.device(), 0);
  // A larger update would not change these batches of a shard, which are in its first half.
  const auto telling_tokens = [&](std::int64_t length) {
    const std::int64_t of_batches = kBatches * (std::min(micro_batch_tokens, shape.batch_tokens) + length);
    return (workers + 1) * std::max(2 * of_batches, kSmallestShard + length);
  };
  std::int64_t most = 1;
  for (const std::int64_t length : {shape.max_length, std::min(kShort, shape.max_length)}) {
    Batch batch = pairs_of(length, std::min(shape.batch_tokens, telling_tokens(length)));
    std::vector<AccumulationShard> shards =
        accumulation_shards(std::move(batch), workers, micro_batch_tokens);
    most = std::max(most, std::ssize(shards));
    shards.resize(1);
    shards[0].resize(std::min(shards[0].size(), std::size_t{kBatches}));
    update.gradients(shards, target_tokens(shards[0]), statistics);
  }
  return most;
}

/// Runs a search as a worker does for samples; a beam search of equal width needs as much memory.
void draw_samples(const Model& model, Worker& worker, const RunShape& shape) {
  const SearchSettings search{.beam = shape.samples};
  const DecoderCapacity capacity = translation_capacity({.search = search});
  for (const std::int64_t length : {shape.max_length, std::min(kShort, shape.max_length)}) {
    const std::int64_t count = std::max<std::int64_t>(capacity.source_rows / length, 1);
    endless_search(model, worker, search, capacity,
                   std::vector<std::int64_t>(static_cast<std::size_t>(count), length));
  }
}

/// Returns the longest and the shortest lengths that fit into the capacity at a time: long sentences need the
/// most memory for encoding; more short ones fit.
std::vector<std::int64_t> extreme_lengths(std::vector<std::int64_t> lengths, std::int64_t capacity) {
  std::ranges::sort(lengths, std::greater());
  const auto that_fit = [capacity](auto begin, auto end) {
    std::int64_t tokens = 0;
    return std::find_if(begin, end, [&](std::int64_t length) { return (tokens += length) > capacity; });
  };
  const auto long_end = std::max(that_fit(lengths.begin(), lengths.end()), std::next(lengths.begin()));
  const auto short_begin = that_fit(lengths.rbegin(), lengths.rend()).base();
  if (long_end < short_begin) lengths.erase(long_end, short_begin);
  return lengths;
}

/// Returns the memory for validation in addition to what updates have allocated on `updating` of the
/// `workers`.
std::size_t translation_need(const Model& model, Workers& measured, const RunShape& shape,
                             std::int64_t workers, std::int64_t updating) {
  if (!shape.translation || shape.lengths.empty()) return 0;
  const DecoderCapacity capacity = translation_capacity({.search = *shape.translation});
  const std::vector<std::int64_t> lengths = extreme_lengths(shape.lengths, capacity.source_rows);
  const auto taken = [&](Worker& worker) {
    const std::size_t before = worker.arena().reach();
    endless_search(model, worker, *shape.translation, capacity, lengths);
    return worker.arena().reach() - before;
  };
  Worker fresh(measured.device());
  return static_cast<std::size_t>(updating) * taken(measured.whole()) +
         static_cast<std::size_t>(workers - updating) * taken(fresh);
}

/// Returns the bytes of a memory block for these elements, as the C library counts them.
template <class T>
std::size_t block_bytes(const std::vector<T>& elements) {
  return std::max<std::size_t>((elements.size() * sizeof(T) + 8 + 15) / 16 * 16, 32);
}

std::size_t mebibytes(std::size_t bytes) {
  return bytes >> 20;
}

}  // namespace

std::size_t MemoryNeed::all() const {
  return weights + optimizer + packed + activations + accumulation + pairs + translation + saving;
}

MemoryNeed MemoryNeed::without_translation() const {
  MemoryNeed less = *this;
  less.translation = 0;
  return less;
}

std::vector<MemoryNeed::Part> MemoryNeed::parts() const {
  std::vector<Part> parts = {{"weights and gradients", mebibytes(weights)},
                             {"moments of the optimizer and moving averages", mebibytes(optimizer)},
                             {"weights packed for matrix products", mebibytes(packed)},
                             {"activations", mebibytes(activations)},
                             {"gradients of threads", mebibytes(accumulation)},
                             {"pairs of the corpus", mebibytes(pairs)},
                             {"translation of the validation text", mebibytes(translation)},
                             {"copies to save", mebibytes(saving)}};
  std::erase_if(parts, [](const Part& part) { return part.mebibytes == 0; });
  return parts;
}

std::string MemoryNeed::text() const {
  std::vector<std::string> texts;
  for (const auto& [name, mebibytes] : parts()) texts.push_back(fmt::format("{} {} MiB", name, mebibytes));
  return join(texts, ", ");
}

namespace {

TrainingWeights& allocate(Network& model, Backend& device, const std::optional<LowRankSettings>& low_rank) {
  return low_rank ? model.allocate_for_low_rank(device, *low_rank).weights()
                  : model.allocate_for_training(device);
}

}  // namespace

std::size_t bytes_of_weights(const ModelSettings& settings, const Backend& backend,
                             const std::optional<LowRankSettings>& low_rank) {
  MeasureBackend device(backend);
  const std::unique_ptr<Network> network = ModelRegistry::instance().make_network(settings);
  allocate(*network, device, low_rank);
  return device.allocated();
}

MemoryNeed memory_need(const RunShape& shape, Backend& backend, std::int64_t micro_batch_tokens) {
  MeasureBackend device(backend);
  const std::unique_ptr<Model> model = ModelRegistry::instance().make(shape.model);
  TrainingWeights& weights = allocate(*model, device, shape.low_rank);
  MemoryNeed need{.present = device.allocated(), .pairs = shape.pairs};
  PaperRank first_rank(shape.ranks);
  weights.distribute(first_rank, shape.shard_optimizer);
  if (shape.quantization_aware) weights.read_as_int8();
  need.weights = device.allocated();
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(weights, {.name = shape.optimizer});
  std::optional<MovingAverageOfWeights> average;
  if (shape.average) average.emplace(weights, 0.5);
  need.optimizer = device.allocated() - need.weights;
  for (const Parameters::Entry& entry : weights.parameters().entries())
    need.saving =
        std::max(need.saving, static_cast<std::size_t>(entry.size()) * size_of(weights.values().dtype()));
  Workers measured(device);
  const std::int64_t workers = Workers(backend).count();
  const std::int64_t shards = make_updates(*model, measured, shape, workers, micro_batch_tokens);
  const std::int64_t at_a_time = shape.samples > 0 ? workers : std::min(workers, shards);
  if (shape.samples > 0) draw_samples(*model, measured.whole(), shape);
  need.activations = static_cast<std::size_t>(at_a_time) * measured.whole().arena().reach();
  need.accumulation = static_cast<std::size_t>(shards - 1) * weights.gradients().bytes();
  need.translation = translation_need(*model, measured, shape, workers, at_a_time);
  need.packed = device.packed(static_cast<std::size_t>(at_a_time));
  return need;
}

std::int64_t micro_batch_that_fits(const RunShape& shape, Backend& backend, std::size_t free_bytes,
                                   std::int64_t batch_tokens, Log& log) {
  const std::size_t limit = free_bytes / 10 * 9;
  std::vector<std::int64_t> halves;
  for (std::int64_t tokens = batch_tokens; tokens > shape.max_length; tokens = (tokens + 1) / 2)
    halves.push_back(tokens);
  std::ranges::reverse(halves);
  std::int64_t fits = 0, fits_without_translation = shape.max_length;
  for (const std::int64_t tokens : halves) {
    const MemoryNeed need = memory_need(shape, backend, tokens);
    log.verbose("micro-batches of {} tokens need {} MiB more, and {} are free: {}", tokens,
                mebibytes(need.to_come()), mebibytes(free_bytes), need.text());
    if (need.without_translation().to_come() > limit) break;
    fits_without_translation = tokens;
    if (need.to_come() <= limit) fits = tokens;
  }
  return fits > 0 ? fits : fits_without_translation;
}

void refuse_too_large(const MemoryNeed& of_run, std::size_t free_bytes, const std::string& width) {
  const MemoryNeed need = of_run.without_translation();  // translating less makes it fit
  if (need.to_come() <= free_bytes) return;
  const bool many_tokens = need.activations > need.to_come() / 2;
  throw Error("training needs {} MiB of memory besides the weights, but only {} are free: {}; {}",
              mebibytes(need.to_come()), mebibytes(free_bytes), need.text(),
              many_tokens ? "lower `micro_batch_tokens` or `max_length`"
                          : fmt::format("train a smaller model (`preset`, `{}`), or one with a smaller "
                                        "vocabulary",
                                        width));
}

std::int64_t most_tokens_of_update(const Corpus& corpus, std::int64_t batch_tokens, std::int64_t delay) {
  const std::int64_t of_pair = corpus.longest() + 1, of_pass = std::max(corpus.size() * of_pair, of_pair);
  const std::int64_t of_batch = std::min({batch_tokens, StreamSettings{}.pool * of_pair, of_pass});
  return delay <= of_pass / of_batch ? of_batch * delay : of_pass;
}

std::size_t bytes_of_pairs(const Corpus& corpus) {
  const std::int64_t sampled = std::min(corpus.size(), kSampledPairs);
  const std::vector<std::int64_t> numbers = corpus.order(0, 0, 0, sampled);
  Dropped dropped;
  const std::atomic<bool> stop = false;
  std::size_t bytes = 0;
  for (const Example& example : corpus.examples(numbers, 0, dropped, stop)) {
    // growing vectors have capacity for half as many elements again
    bytes += sizeof(Example) * 3 / 2 + block_bytes(example.source) + block_bytes(example.target);
    if (!example.links.empty()) bytes += block_bytes(example.links);
    if (!example.weights.empty()) bytes += block_bytes(example.weights);
    if (!example.other_source.empty()) bytes += block_bytes(example.other_source);
  }
  const std::int64_t held = 2 * std::min(corpus.size(), StreamSettings{}.pool);
  return bytes / static_cast<std::size_t>(std::max<std::int64_t>(sampled, 1)) *
         static_cast<std::size_t>(held);
}

}  // namespace nmt
