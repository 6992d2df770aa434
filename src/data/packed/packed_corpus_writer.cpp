#include "data/packed/packed_corpus_writer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/io/checksum.h"

namespace nmt {
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
      has_links_(encoding.has_alignment),
      has_weights_(encoding.has_weights) {
  constexpr std::int64_t kMostOfTwoBytes = 1 << 16;  // pieces, or places in links
  const std::int64_t places = has_links_ ? encoding.filter.max_length : 0;
  const bool are_short = std::max<std::int64_t>({source_.size(), target_.size(), places}) <= kMostOfTwoBytes;
  foot_.id_bytes = are_short ? 2 : 4;
  foot_.max_length = static_cast<std::uint64_t>(encoding.filter.max_length);
  foot_.max_ratio = encoding.filter.max_ratio;
  foot_.identical_sides = encoding.filter.drop_identical ? 0 : 1;
  const PackedHead head{.version = kPackedVersion + (has_links_ ? kLinksVersion : 0) +
                                   (has_weights_ ? kWeightsVersion : 0)};
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

void PackedCorpusWriter::write_models() {
  const std::string& source = source_.bytes();
  const std::string target = source_.has_pieces_of(target_) ? "" : target_.bytes();
  foot_.source.model_bytes = source.size();
  foot_.target.model_bytes = target.size();
  foot_.models_checksum = Checksum().add(source).add(target).value();
  file_.write(source);
  file_.write(target);
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
  write_models();
  foot_.empty = static_cast<std::uint64_t>(dropped.empty);
  foot_.too_long = static_cast<std::uint64_t>(dropped.too_long);
  foot_.uneven = static_cast<std::uint64_t>(dropped.uneven);
  foot_.identical = static_cast<std::uint64_t>(dropped.identical);
  foot_.duplicate = static_cast<std::uint64_t>(dropped.duplicate);
  foot_.checksum = foot_.expected_checksum();
  file_.write(&foot_, sizeof foot_);
  file_.commit();
}

}  // namespace nmt
