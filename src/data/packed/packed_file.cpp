#include "data/packed/packed_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/io/checksum.h"
#include "common/io/folder.h"

namespace nmt {

std::uint64_t PackedFoot::expected_checksum() const {
  return Checksum().add(this, offsetof(PackedFoot, checksum)).value();
}

std::uint32_t packed_checksum(std::string_view boundaries, std::string_view ids) {
  return static_cast<std::uint32_t>(checksum_of(ids, checksum_of(boundaries)));
}

PackedFile::PackedFile(const std::string& path) : path_(path), map_(map_file(path)) {
  read_foot();
  divide();
  const std::uint64_t models =
      Checksum().add(source_model_).add(target_model_).add(filters_).add(poor_).value();
  if (models != foot_.models_checksum) throw damaged("the checksum of its vocabularies is wrong");
}

bool PackedFile::is_one(const std::string& path) {
  if (!is_file(path)) return false;
  decltype(PackedHead::magic) begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return begin == PackedHead().magic;
}

void PackedFile::read_foot() {
  const PackedHead expected;
  PackedHead head;
  const std::string_view bytes = map_.text();
  bytes.copy(reinterpret_cast<char*>(&head), sizeof head);
  check_complete();
  if (bytes.size() < sizeof head || head.magic != expected.magic) {
    throw Error("'{}' is not a packed corpus; make one with nmt batch", path_);
  }
  version_ = head.version;
  constexpr std::uint64_t kNewest =
      kPackedVersion + kLinksVersion + kWeightsVersion + kPoorVersion + kFiltersVersion;
  if (version_ < kPackedVersion || version_ > kNewest) {
    throw Error(
        "'{}' is a packed corpus of version {}, but this program reads versions {} to {}; pack it again",
        path_, version_, kPackedVersion, kNewest);
  }
  if (bytes.size() < sizeof head + sizeof foot_) throw damaged("it ends too early");
  std::memcpy(&foot_, bytes.data() + bytes.size() - sizeof foot_, sizeof foot_);
  if (foot_.checksum != foot_.expected_checksum()) throw damaged("it ends too early, or in other bytes");
}

void PackedFile::divide() {
  std::string_view rest = map_.text().substr(sizeof(PackedHead));
  rest.remove_suffix(sizeof(PackedFoot));
  // No number exceeds the size of the file, so that no sum or product below overflows.
  for (const std::uint64_t number : {foot_.pairs, foot_.id_bytes, foot_.source.tokens, foot_.target.tokens,
                                     foot_.source.model_bytes, foot_.target.model_bytes}) {
    if (number > rest.size()) throw damaged("it is shorter than it says");
  }
  if (foot_.id_bytes != 2 && foot_.id_bytes != 4) throw damaged("its ids have an unknown size");
  // Reads from the end, since only the index says how many ids there are.
  const auto take_last = [&](std::uint64_t size) {
    if (size > rest.size()) throw damaged("it is shorter than it says");
    const std::string_view section = rest.substr(rest.size() - size);
    rest.remove_suffix(size);
    return section;
  };
  poor_ = take_last(has_poor() ? sizeof(std::uint64_t) : 0);
  if (has_filters()) {
    const std::string_view before = rest;
    std::uint64_t size = 0;
    std::memcpy(&size, take_last(sizeof size).data(), sizeof size);
    take_last(size);
    filters_ = before.substr(rest.size());
  }
  target_model_ = take_last(foot_.target.model_bytes);
  source_model_ = take_last(foot_.source.model_bytes);
  checksums_ = take_last(foot_.pairs * sizeof(std::uint32_t));
  index_ = take_last((entries() * foot_.pairs + 1) * sizeof(std::uint64_t));
  const std::uint64_t ids = boundary(entries() * foot_.pairs),
                      tokens = foot_.source.tokens + foot_.target.tokens;
  if (ids > rest.size() / foot_.id_bytes || (entries() > 2 ? ids < tokens : ids != tokens))
    throw damaged("its pairs end where they should not");
  ids_ = rest.substr(0, ids * foot_.id_bytes);
  const std::string_view padding = rest.substr(ids_.size());
  if (padding.size() != packed_padding(ids_.size())) throw damaged("its parts are not as long as it says");
  if (padding.find_first_not_of('\0') != std::string_view::npos)
    throw damaged("it has bytes between its parts");
}

std::uint64_t PackedFile::poor() const {
  std::uint64_t value = 0;
  std::memcpy(&value, poor_.data(), poor_.size());
  return value;
}

std::string_view PackedFile::filters() const {
  std::string_view list = filters_;
  list.remove_suffix(std::min(list.size(), sizeof(std::uint64_t)));
  return list;
}

std::uint64_t PackedFile::boundary(std::uint64_t i) const {
  std::uint64_t value = 0;
  std::memcpy(&value, index_.data() + i * sizeof value, sizeof value);
  return value;
}

PackedPair PackedFile::pair(std::uint64_t i) const {
  const std::uint64_t first = entries() * i, width = foot_.id_bytes;
  std::array<std::uint64_t, 5> boundaries{};  // of source, target, links and weights
  for (std::uint64_t part = 0; part < boundaries.size(); ++part)
    boundaries[part] = boundary(first + std::min(part, entries()));
  const std::uint64_t begin = boundaries.front(), end = boundaries.back();
  if (!std::ranges::is_sorted(boundaries) || end > ids_.size() / width ||
      boundaries[1] - begin > foot_.source.longest || boundaries[2] - boundaries[1] > foot_.target.longest) {
    throw damaged("the position of a pair is invalid");
  }
  const std::string_view ids = ids_.substr(begin * width, (end - begin) * width);
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, checksums_.data() + i * sizeof checksum, sizeof checksum);
  if (checksum != packed_checksum(index_.substr(first * sizeof begin, (entries() + 1) * sizeof begin), ids)) {
    throw damaged("the checksum of a pair is wrong");
  }
  const auto part = [&](std::size_t number) {
    return ids.substr((boundaries[number] - begin) * width,
                      (boundaries[number + 1] - boundaries[number]) * width);
  };
  return {part(0), part(1), has_links() ? part(2) : std::string_view(),
          has_weights() ? part(entries() - 1) : std::string_view()};
}

void PackedFile::verify() const {
  constexpr std::uint64_t kPairsKept = 65'536;  // a few MB
  if (checksum_of(checksums_) != foot_.pairs_checksum) throw damaged("the checksum of its pairs is wrong");
  for (std::uint64_t i = 0; i < foot_.pairs; ++i) {
    pair(i);
    if (i % kPairsKept == 0) forget_pages();
  }
}

Error PackedFile::damaged(std::string_view what) const {
  check_complete();
  return Error("'{}' is damaged: {}; copy it or pack the corpus again", path_, what);
}

}  // namespace nmt
