// Fuzz target: packed corpora.
#include "data/packed/packed_corpus.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "common/io/checksum.h"
#include "data/generated_text.h"
#include "data/packed/packing.h"
#include "fuzz/check.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_packed_corpus {
namespace {

std::string corpus_bytes(int pairs, bool has_alignment = false, bool has_weights = false) {
  const GeneratedText::Pair text = GeneratedText(4).text(pairs);
  PairReader reader(scratch_file("source", text.source), scratch_file("target", text.target));
  std::string alignment, weights;
  for (int i = 0; i < pairs; ++i) alignment += "0-0\n", weights += "0.5\n";
  if (has_alignment) reader.read_alignment(scratch_file("alignment", alignment));
  if (has_weights) reader.read_weights(scratch_file("weights", weights));
  const std::string path = scratch_file("seed", "");
  const Encoding encoding{.source = seed_vocabulary(),
                          .target = seed_vocabulary(),
                          .filter = {},
                          .has_alignment = has_alignment,
                          .has_weights = has_weights};
  pack(reader, encoding, {}, path);
  return read_bytes(path);
}

std::vector<std::string> seeds() {
  return {corpus_bytes(1), corpus_bytes(9), corpus_bytes(3, true), corpus_bytes(3, true, true)};
}

std::vector<std::string> words() {
  return {std::string(8, '\0'), std::string(8, '\xFF'), std::string("\1\0\0\0\0\0\0\0", 8)};
}

/// Reads everything, as training and nmt batch do.
void load(const std::string& bytes) {
  const PackedCorpus corpus(scratch_file("corpus.nmtc", bytes));
  for (std::int64_t i = 0; i < corpus.size(); ++i) {
    const Example pair = corpus[i];
    check(std::ranges::all_of(pair.source,
                              [&](int id) { return id >= 0 && id < corpus.source_vocabulary().size(); }),
          "ids are of the vocabulary");
    check(std::ranges::all_of(pair.links,
                              [&](const Link& link) {
                                return link.source < std::ssize(pair.source) &&
                                       link.target < std::ssize(pair.target);
                              }),
          "links are of tokens");
    check(pair.weights.size() <= 1 || pair.weights.size() == pair.target.size() + 1, "weights are of tokens");
  }
  corpus.verify();
}

/// Returns ids, index and foot, wherever the foot says that they are; join recomputes the rest. The
/// vocabulary is a target of its own.
Parts split(const std::string& bytes) {
  PackedFoot foot;
  PackedHead head;
  if (bytes.size() < sizeof head + sizeof foot) return {bytes};
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != kPackedVersion) return {bytes};  // it has more parts
  const std::string body = bytes.substr(sizeof(PackedHead), bytes.size() - sizeof(PackedHead) - sizeof foot);
  const std::string end = bytes.substr(bytes.size() - sizeof foot);
  std::memcpy(&foot, end.data(), sizeof foot);
  const std::size_t ids =
      std::min<std::size_t>((foot.source.tokens + foot.target.tokens) * foot.id_bytes, body.size());
  const std::size_t index = std::min(ids + packed_padding(ids), body.size());
  return {body.substr(0, ids), body.substr(index, (2 * foot.pairs + 1) * sizeof(std::uint64_t)), end};
}

/// Returns the checksum of each pair in the index whose ids exist.
std::string checksums_of(const std::string& ids, const std::string& index, std::uint64_t id_bytes) {
  std::string checksums;
  std::array<std::uint64_t, 3> entry;
  for (std::size_t at = 0; at + sizeof entry <= index.size(); at += 2 * sizeof entry[0]) {
    std::memcpy(entry.data(), index.data() + at, sizeof entry);
    const std::size_t begin = std::min<std::size_t>(entry[0] * id_bytes, ids.size());
    const std::uint32_t checksum = packed_checksum({index.data() + at, sizeof entry},
                                                   ids.substr(begin, (entry[2] - entry[0]) * id_bytes));
    checksums.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  }
  return checksums;
}

std::string join(const Parts& parts) {
  if (parts.size() != 3) return joined(parts);
  PackedFoot foot{};
  parts[2].copy(reinterpret_cast<char*>(&foot), sizeof foot);
  const std::string checksums = checksums_of(parts[0], parts[1], foot.id_bytes),
                    model = seed_vocabulary().bytes();
  foot.source.model_bytes = model.size();
  foot.target.model_bytes = 0;
  foot.models_checksum = Checksum().add(model).value();
  foot.pairs_checksum = Checksum().add(checksums).value();
  foot.checksum = foot.expected_checksum();
  const PackedHead head;
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + parts[0] +
         std::string(packed_padding(parts[0].size()), '\0') + parts[1] + checksums + model +
         std::string(reinterpret_cast<const char*>(&foot), sizeof foot);
}

}  // namespace
}  // namespace of_packed_corpus

Target packed_corpus_target() {
  using namespace of_packed_corpus;
  return {"packed_corpus", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
