// Fuzz target: shortlists of Marian.
#include "foreign/marian/marian_shortlist.h"

#include <algorithm>
#include <cstdint>

#include "foreign/marian/marian_shortlist_bytes.h"
#include "fuzz/check.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_marian_shortlist {
namespace {

using testing::raw;

constexpr std::size_t kPreamble = 16;  // magic and checksum

const Vocabularies& vocabularies() {
  static const Vocabularies both{seed_vocabulary(), seed_vocabulary()};
  return both;
}

std::string binary_seed() {
  const auto pieces = static_cast<std::uint64_t>(vocabularies().source.size());
  std::string body = raw(std::uint64_t{4}, std::uint64_t{2}, pieces + 1, pieces);
  for (std::uint64_t i = 0; i <= pieces; ++i) body += raw(i);
  for (std::uint64_t i = 0; i < pieces; ++i) body += raw(static_cast<std::uint32_t>(pieces - 1 - i));
  return testing::marian_shortlist_bytes(body);
}

std::vector<std::string> seeds() {
  const std::string piece = vocabularies().source.piece(5), other = vocabularies().source.piece(6);
  return {binary_seed(),
          other + " " + piece + " 0.5\nNULL " + piece + " 1e-3\n" + piece + "\t" + piece + "\t1\n"};
}

std::vector<std::string> words() {
  return {std::string(8, '\0'), std::string(8, '\xFF'), raw(std::uint64_t{1}), "NULL ", " 0.5\n", "\t"};
}

void load(const std::string& bytes) {
  const MarianShortlist read = read_marian_shortlist(scratch_file("shortlist", bytes), vocabularies(), {});
  const Shortlist& shortlist = read.shortlist;
  const auto check_ids = [](const Shortlist::Ids& ids) {
    check(std::ranges::is_sorted(ids), "ids rise");
    check(ids.empty() || (ids.front() >= 0 && ids.back() < vocabularies().target.size()),
          "ids are of the vocabulary");
  };
  check_ids(shortlist.always());
  check(std::ranges::binary_search(shortlist.always(), vocabularies().target.end()), "EOS is always allowed");
  for (const auto& ids : shortlist.of_source()) check_ids(ids);
}

Parts split(const std::string& bytes) {
  if (bytes.size() < kPreamble || bytes.substr(0, 8) != raw(testing::kMarianShortlistMagic)) return {bytes};
  return {"", bytes.substr(kPreamble)};
}

std::string join(const Parts& parts) {
  return parts.size() == 2 ? testing::marian_shortlist_bytes(parts[1]) : joined(parts);
}

}  // namespace
}  // namespace of_marian_shortlist

Target marian_shortlist_target() {
  using namespace of_marian_shortlist;
  return {"marian_shortlist", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
