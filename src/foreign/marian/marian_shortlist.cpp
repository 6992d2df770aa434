#include "foreign/marian/marian_shortlist.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/byte_reader.h"
#include "common/io/folder.h"
#include "common/io/spool.h"
#include "common/text/lines.h"
#include "common/text/number.h"
#include "common/text/words.h"

namespace nmt {
namespace {

using Ids = Shortlist::Ids;

constexpr std::uint64_t kMagic = 0xF11A48D5013417F5;
constexpr std::size_t kSummed = 16;  // bytes that the checksum does not cover

/// Computes Marian's checksum: over 64-bit numbers, without the remainder at the end.
std::uint64_t marian_checksum(std::string_view bytes, const std::string& path) {
  std::uint64_t sum = 0;
  ByteReader reader(bytes, path);
  while (reader.remaining() >= sizeof sum)
    sum ^= reader.number<std::uint64_t>() + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  return sum;
}

bool is_binary(std::string_view bytes) {
  return bytes.size() >= sizeof kMagic && ByteReader(bytes, "").number<std::uint64_t>() == kMagic;
}

/// Returns the ids that any sentence may contain: EOS, and the `frequent` lowest ids.
Ids always(std::size_t frequent, const Vocabulary& target) {
  Ids ids(std::min(frequent, static_cast<std::size_t>(target.size())));
  std::iota(ids.begin(), ids.end(), 0);
  if (target.end() >= std::ssize(ids)) ids.push_back(target.end());
  return ids;
}

Shortlist completed(std::vector<Ids> of_source, std::size_t frequent, const Vocabularies& vocabularies) {
  const bool is_shared = vocabularies.shared();  // compares all pieces
  for (std::size_t i = 0; i < of_source.size(); ++i) {
    Ids& ids = of_source[i];
    if (is_shared) ids.push_back(static_cast<std::int32_t>(i));
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  return {always(frequent, vocabularies.target), std::move(of_source), vocabularies.target.size()};
}

Shortlist read_binary(std::string_view bytes, const std::string& path, const Vocabularies& vocabularies) {
  ByteReader reader(bytes, path);
  reader.number<std::uint64_t>();  // kMagic
  const auto checksum = reader.number<std::uint64_t>();
  if (checksum != marian_checksum(bytes.substr(kSummed), path))
    throw damaged(path, "its checksum does not match");
  const auto frequent = reader.number<std::uint64_t>();
  reader.number<std::uint64_t>();  // the maximum number of ids per piece, already applied
  const auto begins = reader.number<std::uint64_t>(), count = reader.number<std::uint64_t>();
  ByteReader offsets(reader.records(begins, sizeof(std::uint64_t)), path);
  ByteReader ids(reader.records(count, sizeof(std::uint32_t)), path);
  reader.expect_end("id");

  std::vector<Ids> of_source(static_cast<std::size_t>(vocabularies.source.size()));
  if (begins != of_source.size() + 1) {
    throw Error("'{}' is of {} source pieces, but the model of {}; the shortlist belongs to another model",
                path, std::max<std::uint64_t>(begins, 1) - 1, of_source.size());
  }
  auto begin = offsets.number<std::uint64_t>();
  if (begin != 0) throw damaged(path, "its ids do not begin with those of the first piece");
  for (Ids& of_piece : of_source) {
    const auto end = offsets.number<std::uint64_t>();
    if (end < begin || end > count) throw damaged(path, "ids of a piece end before they begin");
    for (; begin < end; ++begin) {
      const auto id = ids.number<std::uint32_t>();
      if (id >= static_cast<std::uint32_t>(vocabularies.target.size())) {
        throw Error(
            "'{}' names the target piece {}, but the model has {}; the shortlist belongs to another model",
            path, id, vocabularies.target.size());
      }
      of_piece.push_back(static_cast<std::int32_t>(id));
    }
  }
  if (begin != count) throw damaged(path, "ids are left when those of the last piece end");
  return completed(std::move(of_source), frequent, vocabularies);
}

/// A line of a lexical table.
struct Entry {
  std::string_view target, source;
  double probability = 0;
};

std::optional<Entry> entry_in(std::string_view line) {
  const std::vector<std::string_view> fields = words_in(line);
  const std::optional<double> probability = fields.size() == 3 ? number_of<double>(fields[2]) : std::nullopt;
  if (!probability || !(*probability >= 0)) return std::nullopt;
  return Entry{fields[0], fields[1], *probability};
}

MarianShortlist read_table(std::string_view text, const std::string& path, const Vocabularies& vocabularies,
                           const MarianShortlistLimits& limits) {
  std::vector<std::map<std::int32_t, double>> table(static_cast<std::size_t>(vocabularies.source.size()));
  std::int64_t unknown = 0, known = 0, number = 0;
  while (!text.empty()) {
    ++number;
    std::string_view line = take_line(text);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::optional<Entry> entry = entry_in(line);
    if (!entry)
      throw Error("'{}', line {}: not a target piece, a source piece and a probability", path, number);
    if (entry->source == "NULL" || entry->target == "NULL") continue;
    const std::optional<int> source = vocabularies.source.find(std::string(entry->source));
    const std::optional<int> target = vocabularies.target.find(std::string(entry->target));
    if (!source || !target) {
      ++unknown;
      continue;
    }
    ++known;
    double& probability = table[static_cast<std::size_t>(*source)][*target];
    probability = std::max(probability, entry->probability);
  }
  if (known == 0)
    throw Error("'{}' has no pieces of the model; the shortlist belongs to another model", path);
  std::vector<Ids> of_source;
  of_source.reserve(table.size());
  for (const auto& probabilities : table) of_source.push_back(best_of(probabilities, limits.best));
  return {completed(std::move(of_source), limits.frequent, vocabularies), unknown, false};
}

}  // namespace

MarianShortlist marian_shortlist_in(std::string_view bytes, const std::string& name,
                                    const Vocabularies& vocabularies, const MarianShortlistLimits& limits) {
  if (is_binary(bytes)) return {read_binary(bytes, name, vocabularies), 0, true};
  return read_table(bytes, name, vocabularies, limits);
}

MarianShortlist read_marian_shortlist(const std::string& path, const Vocabularies& vocabularies,
                                      const MarianShortlistLimits& limits) {
  const MemoryMap file = map_unpacked(path);
  MarianShortlist found = marian_shortlist_in(file.text(), path, vocabularies, limits);
  file.check_unchanged();
  return found;
}

bool is_binary_marian_shortlist(const std::string& path) {
  if (!is_file(path)) return false;
  return is_binary(map_unpacked(path).text());
}

}  // namespace nmt
