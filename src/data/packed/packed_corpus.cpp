#include "data/packed/packed_corpus.h"

#include <algorithm>
#include <cstring>

#include "data/text/token_weights.h"

namespace nmt {
namespace {

/// Appends the ids in `bytes`. Returns false if one is not below `pieces`.
template <class Id>
bool unpack(std::string_view bytes, int pieces, std::vector<int>& ids) {
  ids.reserve(bytes.size() / sizeof(Id));
  Id greatest = 0;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Id)) {
    Id id = 0;
    std::memcpy(&id, bytes.data() + i, sizeof id);
    greatest = std::max(greatest, id);
    ids.push_back(static_cast<int>(id));
  }
  return ids.empty() || greatest < static_cast<std::uint32_t>(pieces);
}

Filter filter_of(const PackedFoot& foot) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return {.max_length = static_cast<std::int64_t>(std::min(foot.max_length, kMost)),
          .max_ratio = foot.max_ratio,
          .drop_identical = foot.identical_sides == 0,
          .has_source = foot.source.tokens > 0};
}

}  // namespace

PackedCorpus::PackedCorpus(const std::string& path, std::int64_t max_length)
    : file_(path),
      source_(Vocabulary::from_bytes(std::string(file_.source_model()), path)),
      target_(foot().target.model_bytes == 0
                  ? source_
                  : Vocabulary::from_bytes(std::string(file_.target_model()), path)),
      packing_filter_(filter_of(foot())),
      filter_(packing_filter_) {
  file_.check_complete();
  filter_.max_length = std::min(filter_.max_length, max_length);
}

std::int64_t PackedCorpus::longest() const {
  const std::uint64_t longest = std::max(foot().source.longest, foot().target.longest);
  return static_cast<std::int64_t>(std::min(longest, static_cast<std::uint64_t>(filter_.max_length)));
}

Dropped PackedCorpus::packing_dropped() const {
  const auto count = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  return {.empty = count(foot().empty),
          .too_long = count(foot().too_long),
          .uneven = count(foot().uneven),
          .identical = count(foot().identical),
          .duplicate = count(foot().duplicate)};
}

std::vector<int> PackedCorpus::ids(std::string_view bytes, int pieces) const {
  std::vector<int> ids;
  const bool good = foot().id_bytes == 2 ? unpack<std::uint16_t>(bytes, pieces, ids)
                                         : unpack<std::uint32_t>(bytes, pieces, ids);
  if (!good) throw file_.damaged("a pair has an id that its vocabulary lacks");
  return ids;
}

std::vector<Link> PackedCorpus::links(std::string_view bytes, const Example& example) const {
  const std::vector<int> places = ids(bytes, std::numeric_limits<int>::max());
  std::vector<Link> links;
  for (std::size_t i = 0; i + 1 < places.size(); i += 2) links.push_back({places[i], places[i + 1]});
  const bool are_rising = std::ranges::adjacent_find(links, std::ranges::greater_equal()) == links.end();
  const auto lie_inside = [&](const Link& link) {
    return link.source < std::ssize(example.source) && link.target < std::ssize(example.target);
  };
  if (places.size() % 2 != 0 || !are_rising || !std::ranges::all_of(links, lie_inside))
    throw file_.damaged("a pair has an alignment of tokens that it lacks");
  return links;
}

std::vector<float> PackedCorpus::weights(std::string_view bytes, const Example& example) const {
  if (!has_weights()) return {};
  std::vector<float> weights(bytes.size() / sizeof(float));
  const bool is_whole = bytes.size() == weights.size() * sizeof(float);
  if (!is_whole || (weights.size() != 1 && weights.size() != example.target.size() + 1))
    throw file_.damaged("a pair has weights of tokens that it lacks");
  std::memcpy(weights.data(), bytes.data(), bytes.size());
  if (!std::ranges::all_of(weights, is_weight)) throw file_.damaged("invalid pair weight");
  return weights;
}

Example PackedCorpus::operator[](std::int64_t i) const {
  const PackedPair pair = file_.pair(static_cast<std::uint64_t>(i));
  Example example{i, ids(pair.source, source_.size()), ids(pair.target, target_.size())};
  example.links = links(pair.links, example);
  example.weights = weights(pair.weights, example);
  file_.check_complete();
  return example;
}

std::vector<Example> PackedCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t /*key*/,
                                            Dropped& dropped, const std::atomic<bool>& stop) const {
  const auto read = [&](std::int64_t i, Example& example) {
    example = (*this)[i];
    return keep(example, filter_, dropped);
  };
  return read_in_file_order(numbers, stop, read, [this] { file_.forget_pages(); });
}

}  // namespace nmt
