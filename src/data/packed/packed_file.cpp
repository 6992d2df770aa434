#include "data/packed/packed_file.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/io/checksum.h"

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
  if (boundary(2 * foot_.pairs) != foot_.source.tokens + foot_.target.tokens) {
    throw damaged("its pairs end where they should not");
  }
  const std::uint64_t models = Checksum().add(source_model_).add(target_model_).value();
  if (models != foot_.models_checksum) throw damaged("the checksum of its vocabularies is wrong");
}

bool PackedFile::is_one(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is none
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  decltype(PackedHead::magic) begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return begin == PackedHead().magic;
}

void PackedFile::read_foot() {
  const PackedHead expected;
  PackedHead head;
  const std::string_view bytes = map_.text();
  bytes.copy(reinterpret_cast<char*>(&head), sizeof head);
  if (bytes.size() < sizeof head || head.magic != expected.magic) {
    throw Error("'{}' is no packed corpus; make one with nmt batch", path_);
  }
  if (head.version != expected.version) {
    throw Error("'{}' is a packed corpus of version {}, but this program reads version {}; pack it again",
                path_, head.version, expected.version);
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
  const auto take = [&](std::uint64_t size) {
    if (size > rest.size()) throw damaged("it is shorter than it says");
    const std::string_view section = rest.substr(0, size);
    rest.remove_prefix(size);
    return section;
  };
  ids_ = take((foot_.source.tokens + foot_.target.tokens) * foot_.id_bytes);
  const std::string_view padding = take(packed_padding(ids_.size()));
  if (padding.find_first_not_of('\0') != std::string_view::npos)
    throw damaged("it has bytes between its parts");
  index_ = take((2 * foot_.pairs + 1) * sizeof(std::uint64_t));
  checksums_ = take(foot_.pairs * sizeof(std::uint32_t));
  source_model_ = take(foot_.source.model_bytes);
  target_model_ = take(foot_.target.model_bytes);
  if (!rest.empty()) throw damaged("it is longer than it says");
}

std::uint64_t PackedFile::boundary(std::uint64_t i) const {
  std::uint64_t value = 0;
  std::memcpy(&value, index_.data() + i * sizeof value, sizeof value);
  return value;
}

PackedPair PackedFile::pair(std::uint64_t i) const {
  const std::uint64_t begin = boundary(2 * i), middle = boundary(2 * i + 1), end = boundary(2 * i + 2);
  const std::uint64_t width = foot_.id_bytes;
  if (begin > middle || middle > end || end > ids_.size() / width || middle - begin > foot_.source.longest ||
      end - middle > foot_.target.longest) {
    throw damaged("a pair lies where none can be");
  }
  const std::string_view ids = ids_.substr(begin * width, (end - begin) * width);
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, checksums_.data() + i * sizeof checksum, sizeof checksum);
  if (checksum != packed_checksum(index_.substr(2 * i * sizeof begin, 3 * sizeof begin), ids)) {
    throw damaged("the checksum of a pair is wrong");
  }
  const std::size_t source = (middle - begin) * width;
  return {ids.substr(0, source), ids.substr(source)};
}

void PackedFile::verify() const {
  constexpr std::uint64_t kPairsKept = 65'536;  // some MB
  if (checksum_of(checksums_) != foot_.pairs_checksum) throw damaged("the checksum of its pairs is wrong");
  for (std::uint64_t i = 0; i < foot_.pairs; ++i) {
    pair(i);
    if (i % kPairsKept == 0) forget_pages();
  }
}

Error PackedFile::damaged(std::string_view what) const {
  return Error("'{}' is damaged: {}; copy it or pack the corpus again", path_, what);
}

}  // namespace nmt
