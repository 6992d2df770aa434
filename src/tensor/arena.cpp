#include "tensor/arena.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "tensor/backend.h"

namespace nmt {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLeastChunk = std::size_t{32} << 20;

std::size_t round_up(std::size_t bytes) {
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

struct Arena::State {
  explicit State(Backend& owner) : backend(owner) {}
  ~State() {
    for (char* chunk : chunks) backend.release(chunk);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  char* take(std::size_t bytes);
  void add_chunk(std::size_t least);
  /// Releases several chunks, none of which is in use, and plans a single one that holds as much as was ever
  /// in use at once: otherwise sizes that grow from batch to batch would leave many chunks behind.
  void merge_chunks();
  void give(char* begin, std::size_t bytes);
  void add_free(char* begin, std::size_t bytes) {
    free_by_address[begin] = bytes;
    free_by_size.emplace(bytes, begin);
  }
  void remove_free(std::map<char*, std::size_t>::iterator span) {
    free_by_size.erase({span->second, span->first});
    free_by_address.erase(span);
  }

  /// Records that a chunk is used up to `end`, the end of a span in it.
  void note_reach(const char* end);

  Backend& backend;
  std::vector<char*> chunks;
  std::map<const char*, std::ptrdiff_t> reach_of;  // by begin of the chunk; spans never merge across
  std::ptrdiff_t reach = 0, longest_reach = 0;     // of all chunks
  std::map<char*, std::size_t> free_by_address;
  std::set<std::pair<std::size_t, char*>> free_by_size;
  std::size_t in_use = 0, high_water = 0;
  std::size_t merged = 0;                // size of the last chunk that replaced others
  std::size_t next_chunk = kLeastChunk;  // minimum size of the next one
};

char* Arena::State::take(std::size_t bytes) {
  auto best = free_by_size.lower_bound({bytes, nullptr});
  if (best == free_by_size.end()) {
    add_chunk(bytes);
    best = free_by_size.lower_bound({bytes, nullptr});
  }
  const auto [size, begin] = *best;
  remove_free(free_by_address.find(begin));
  if (size > bytes) add_free(begin + bytes, size - bytes);
  in_use += bytes;
  high_water = std::max(high_water, in_use);
  note_reach(begin + bytes);
  return begin;
}

void Arena::State::note_reach(const char* end) {
  auto& [chunk, chunk_reach] = *std::prev(reach_of.lower_bound(end));
  const std::ptrdiff_t further = std::max<std::ptrdiff_t>(end - chunk - chunk_reach, 0);
  chunk_reach += further;
  reach += further;
  longest_reach = std::max(longest_reach, reach);
}

void Arena::State::add_chunk(std::size_t least) {
  std::size_t bytes = std::max(least, std::exchange(next_chunk, kLeastChunk));
  void* memory = nullptr;
  try {
    memory = backend.allocate(bytes);
  } catch (const std::bad_alloc&) {
    if (bytes == least) throw;  // otherwise it was more than is needed now
    bytes = least;
    memory = backend.allocate(bytes);
  }
  char* chunk = static_cast<char*>(memory);
  chunks.push_back(chunk);
  reach_of.emplace(chunk, 0);
  add_free(chunk, bytes);
}

void Arena::State::merge_chunks() {
  for (char* chunk : chunks) backend.release(chunk);
  chunks.clear();
  reach_of.clear();
  reach = 0;
  free_by_address.clear();
  free_by_size.clear();
  // Add a quarter for gaps between spans; because the size grows by this factor, merging is rare.
  merged = std::max(merged, high_water) / 4 * 5;
  next_chunk = std::max(round_up(merged), kLeastChunk);
}

void Arena::State::give(char* begin, std::size_t bytes) {
  in_use -= bytes;
  auto next = free_by_address.upper_bound(begin);
  if (next != free_by_address.end() && begin + bytes == next->first && !reach_of.contains(next->first)) {
    bytes += next->second;
    remove_free(next);
  }
  auto previous = free_by_address.lower_bound(begin);
  if (previous != free_by_address.begin() && !reach_of.contains(begin)) {
    --previous;
    if (previous->first + previous->second == begin) {
      begin = previous->first;
      bytes += previous->second;
      remove_free(previous);
    }
  }
  add_free(begin, bytes);
  if (in_use == 0 && chunks.size() > 1) merge_chunks();
}

Arena::Arena(Backend& backend) : state_(std::make_shared<State>(backend)) {}

Arena::~Arena() = default;

Tensor Arena::allocate(std::int64_t rows, std::int64_t columns, DType dtype) {
  const std::size_t bytes = round_up(static_cast<std::size_t>(rows * columns) * size_of(dtype));
  char* begin = state_->take(bytes);
  std::shared_ptr<void> storage(
      begin, [state = state_, bytes](void* data) { state->give(static_cast<char*>(data), bytes); });
  return {rows, columns, dtype, begin, std::move(storage)};
}

std::size_t Arena::high_water() const {
  return state_->high_water;
}

std::size_t Arena::reach() const {
  return static_cast<std::size_t>(state_->longest_reach);
}

void Arena::reset_high_water() {
  state_->high_water = state_->in_use;
}

}  // namespace nmt
