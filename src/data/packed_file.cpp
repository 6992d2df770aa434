#include "data/packed_file.h"

#include <cstring>

#include "common/checksum.h"

namespace nmt {

std::uint64_t PackedFoot::expected_checksum() const {
  return Checksum().add(this, offsetof(PackedFoot, checksum)).value();
}

PackedFile::PackedFile(const std::string& path) : path_(path), map_(map_file(path)) {
  read_foot();
  divide();
  const std::uint64_t models = Checksum().add(source_model_).add(target_model_).value();
  if (models != foot_.models_checksum) throw damaged("the checksum of its vocabularies is wrong");
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
  take(packed_padding(ids_.size()));
  index_ = take((2 * foot_.pairs + 1) * sizeof(std::uint64_t));
  source_model_ = take(foot_.source.model_bytes);
  target_model_ = take(foot_.target.model_bytes);
  if (!rest.empty()) throw damaged("it is longer than it says");
}

void PackedFile::verify() const {
  verify(ids_, foot_.ids_checksum);
  verify(index_, foot_.index_checksum);
}

void PackedFile::verify(std::string_view section, std::uint64_t checksum) const {
  constexpr std::size_t kPiece = std::size_t{8} << 20;
  Checksum sum;
  for (std::size_t begin = 0; begin < section.size(); begin += kPiece) {
    sum.add(section.substr(begin, kPiece));
    forget_pages();
  }
  if (sum.value() != checksum) throw damaged("the checksum of its pairs is wrong");
}

Error PackedFile::damaged(std::string_view what) const {
  return Error("'{}' is damaged: {}; copy it or pack the corpus again", path_, what);
}

}  // namespace nmt
