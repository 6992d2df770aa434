#include "data/packed/packed_corpus.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/io/byte_reader.h"
#include "common/io/checksum.h"
#include "common/text/number.h"
#include "data/packed/restored_text.h"
#include "data/text/word_annotations.h"

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

/// Returns the filter of the pairs of a file, whose text has passed the other filters.
Filter limited(const Filter& packing_filter, std::int64_t max_length) {
  Filter filter = token_limits(packing_filter);
  filter.max_length = std::min(filter.max_length, max_length);
  return filter;
}

/// Whether a filter with these settings needs the list of filters in the file, as its foot does not have it.
bool needs_list(const Filter& filter) {
  return std::ranges::any_of(filter_table(), [&](const FilterRow& row) {
    const bool is_in_foot = row.filter == PairFilter::empty || row.filter == PairFilter::too_long ||
                            row.filter == PairFilter::uneven || row.filter == PairFilter::identical ||
                            row.filter == PairFilter::duplicate || row.filter == PairFilter::quality;
    return !is_in_foot && row.applies(filter);
  });
}

}  // namespace

PackedCorpus::PackedCorpus(const std::string& path, std::int64_t max_length, const Augmentation& augmentation)
    : file_(path),
      source_(Vocabulary::from_bytes(std::string(file_.source_model()), path)),
      target_(foot().target.model_bytes == 0
                  ? source_
                  : Vocabulary::from_bytes(std::string(file_.target_model()), path)),
      packing_filter_(filter_of(foot())),
      filter_(limited(packing_filter_, max_length)),
      augmentation_(augmentation),
      augmented_encoding_({.source = source_,
                           .target = target_,
                           .filter = filter_,
                           .has_alignment = has_links(),
                           .has_weights = has_weights()}) {
  file_.check_complete();
}

std::int64_t PackedCorpus::longest() const {
  if (augmentation_.rates().change_text()) return filter_.max_length;
  const std::uint64_t longest = std::max(foot().source.longest, foot().target.longest);
  return static_cast<std::int64_t>(std::min(longest, static_cast<std::uint64_t>(filter_.max_length)));
}

std::vector<FilterCount> PackedCorpus::packing_filters() const {
  Dropped dropped;
  const std::vector<std::pair<PairFilter, std::uint64_t>> counts = {
      {PairFilter::empty, foot().empty},         {PairFilter::too_long, foot().too_long},
      {PairFilter::uneven, foot().uneven},       {PairFilter::identical, foot().identical},
      {PairFilter::duplicate, foot().duplicate}, {PairFilter::quality, file_.poor()}};
  for (const auto& [filter, count] : counts) dropped[filter] = static_cast<std::int64_t>(count);
  if (file_.filters().empty()) return filter_counts(dropped, packing_filter_);
  std::vector<FilterCount> filters = {{PairFilter::empty, "", dropped[PairFilter::empty]}};
  std::string_view list = file_.filters();
  while (!list.empty()) {
    const std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    filters.push_back(listed_filter(line));
  }
  return filters;
}

FilterCount PackedCorpus::listed_filter(std::string_view line) const {
  const std::size_t setting = line.find('\t'), count = line.rfind('\t');
  const auto row = std::ranges::find_if(filter_table(), [&](const FilterRow& each) {
    return each.option != nullptr && line.substr(0, setting) == each.option;
  });
  const std::optional<std::int64_t> dropped =
      number_of<std::int64_t>(line.substr(std::min(count, line.size() - 1) + 1));
  if (row == filter_table().end() || setting == count || !dropped)
    throw file_.damaged("its list of filters is invalid");
  return {row->filter, std::string(line.substr(setting + 1, count - setting - 1)), *dropped};
}

Dropped PackedCorpus::packing_dropped() const {
  Dropped dropped;
  for (const FilterCount& count : packing_filters()) dropped[count.filter] = count.dropped;
  return dropped;
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

void PackedCorpus::change(std::int64_t number, std::uint64_t key, Example& example) const {
  std::vector<int> tags;
  const auto read = [&](std::int64_t following) -> std::optional<AlignedWords> {
    std::optional<RestoredPair> pair =
        restored(following == 0 ? example : packed(number + following), source_, target_);
    if (!pair) return std::nullopt;
    if (following == 0) tags = std::move(pair->tags);
    return std::move(pair->words);
  };
  const std::size_t most_links =
      std::min({example.links.size(), example.source.size(), example.target.size()});
  const std::optional<AlignedWords> changed = augmentation_.changed(key, number, most_links, read);
  Example encoded{.id = number};
  if (!changed || !augmented_encoding_.encode(*changed, encoded)) return;
  if (std::ssize(encoded.source) + std::ssize(tags) > filter_.max_length) return;
  encoded.source.insert(encoded.source.begin(), tags.begin(), tags.end());
  for (Link& link : encoded.links) link.source += static_cast<int>(tags.size());
  example = std::move(encoded);
}

std::vector<Example> PackedCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                            Dropped& dropped, const std::atomic<bool>& stop) const {
  const auto read = [&](std::int64_t number, Example& example, Dropped& left_out) {
    example = packed(number);
    example.id = number;
    if (const auto drop = drop_of({example}, filter_)) {
      ++left_out[drop->filter];
      return false;
    }
    change(number, key, example);
    augmentation_.change_tokens(key, number, source_, example);
    return true;
  };
  const int threads = augmentation_.rates().change_text() ? preparing_threads() : 1;
  return read_in_file_order(numbers, threads, dropped, stop, read, [this] { file_.forget_pages(); });
}

namespace {

template <class Id>
void append(const std::vector<int>& ids, std::string& bytes) {
  for (const int id : ids) {
    const auto packed = static_cast<Id>(id);
    bytes.append(reinterpret_cast<const char*>(&packed), sizeof packed);
  }
}

}  // namespace

PackedCorpusWriter::PackedCorpusWriter(const std::string& path, const Encoding& encoding,
                                       const StopRequest& stop)
    : file_(path, stop),
      source_(encoding.source),
      target_(encoding.target),
      filter_(encoding.filter),
      has_links_(encoding.has_alignment),
      has_weights_(encoding.has_weights),
      has_filters_(needs_list(encoding.filter)) {
  constexpr std::int64_t kMostOfTwoBytes = 1 << 16;  // pieces, or places in links
  const std::int64_t places = has_links_ ? encoding.filter.max_length : 0;
  const bool are_short = std::max<std::int64_t>({source_.size(), target_.size(), places}) <= kMostOfTwoBytes;
  foot_.id_bytes = are_short ? 2 : 4;
  foot_.max_length = static_cast<std::uint64_t>(encoding.filter.max_length);
  foot_.max_ratio = encoding.filter.max_ratio;
  foot_.identical_sides = encoding.filter.drop_identical ? 0 : 1;
  const PackedHead head{
      .version = kPackedVersion + (has_links_ ? kLinksVersion : 0) + (has_weights_ ? kWeightsVersion : 0) +
                 (filter_.min_quality ? kPoorVersion : 0) + (has_filters_ ? kFiltersVersion : 0)};
  file_.write(&head, sizeof head);
}

void PackedCorpusWriter::add(const Example& example) {
  buffer_.clear();
  std::vector<std::uint64_t> boundaries = {ids_};
  add_side(example.source, source_.unknown(), foot_.source);
  boundaries.push_back(ids_);
  add_side(example.target, target_.unknown(), foot_.target);
  boundaries.push_back(ids_);
  if (has_links_) {
    std::vector<int> places;
    for (const Link& link : example.links) places.insert(places.end(), {link.target, link.source});
    add_ids(places);
    boundaries.push_back(ids_);
  }
  if (has_weights_) {
    add_weights(example.weights);
    boundaries.push_back(ids_);
  }
  const std::size_t bytes = boundaries.size() * sizeof boundaries[0];
  const std::string_view entries(reinterpret_cast<const char*>(boundaries.data()), bytes);
  const std::uint32_t checksum = packed_checksum(entries, buffer_);
  file_.write(buffer_);
  index_.append(boundaries.data(), bytes - sizeof boundaries[0]);  // the next pair begins where this one ends
  checksums_.append(&checksum, sizeof checksum);
  ++foot_.pairs;
}

void PackedCorpusWriter::add_ids(const std::vector<int>& ids) {
  if (foot_.id_bytes == 2) {
    append<std::uint16_t>(ids, buffer_);
  } else {
    append<std::uint32_t>(ids, buffer_);
  }
  ids_ += ids.size();
}

void PackedCorpusWriter::add_weights(const std::vector<float>& weights) {
  const std::size_t bytes = weights.size() * sizeof(float);
  buffer_.append(reinterpret_cast<const char*>(weights.data()), bytes);
  ids_ += bytes / foot_.id_bytes;
}

void PackedCorpusWriter::add_side(const std::vector<int>& ids, int unknown, PackedFoot::Side& side) {
  add_ids(ids);
  side.tokens += ids.size();
  side.unknown += static_cast<std::uint64_t>(std::count(ids.begin(), ids.end(), unknown));
  side.longest = std::max<std::uint64_t>(side.longest, ids.size());
}

void PackedCorpusWriter::write_models(const Dropped& dropped) {
  const std::string& source = source_.bytes();
  const std::string target = source_.has_pieces_of(target_) ? "" : target_.bytes();
  foot_.source.model_bytes = source.size();
  foot_.target.model_bytes = target.size();
  std::string filters, poor;
  if (has_filters_) {
    for (const auto& [filter, setting, count] : filter_counts(dropped, filter_)) {
      if (filter != PairFilter::empty)
        filters += fmt::format("{}\t{}\t{}\n", row_of(filter).option, setting, count);
    }
    append_numbers(filters, static_cast<std::uint64_t>(filters.size()));
  }
  if (filter_.min_quality) append_numbers(poor, static_cast<std::uint64_t>(dropped[PairFilter::quality]));
  foot_.models_checksum = Checksum().add(source).add(target).add(filters).add(poor).value();
  for (const std::string& section : {source, target, filters, poor}) file_.write(section);
}

void PackedCorpusWriter::finish(const Dropped& dropped) {
  file_.write(std::string(packed_padding(ids_ * foot_.id_bytes), '\0'));
  index_.append(&ids_, sizeof ids_);
  index_.for_each_piece([&](std::string_view piece) { file_.write(piece); });
  Checksum pairs;
  checksums_.for_each_piece([&](std::string_view piece) {
    pairs.add(piece);
    file_.write(piece);
  });
  foot_.pairs_checksum = pairs.value();
  write_models(dropped);
  foot_.empty = static_cast<std::uint64_t>(dropped[PairFilter::empty]);
  foot_.too_long = static_cast<std::uint64_t>(dropped[PairFilter::too_long]);
  foot_.uneven = static_cast<std::uint64_t>(dropped[PairFilter::uneven]);
  foot_.identical = static_cast<std::uint64_t>(dropped[PairFilter::identical]);
  foot_.duplicate = static_cast<std::uint64_t>(dropped[PairFilter::duplicate]);
  foot_.checksum = foot_.expected_checksum();
  file_.write(&foot_, sizeof foot_);
  file_.commit();
}

}  // namespace nmt
