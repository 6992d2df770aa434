// Fuzz target: models of CTranslate2.
#include "foreign/containers/ctranslate2_binary.h"

#include "common/error.h"
#include "foreign/containers/ctranslate2_bytes.h"
#include "foreign/containers/every_reading.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_ctranslate2_binary {
namespace {

using testing::ctranslate2_bytes;
using testing::ctranslate2_string;
using testing::raw;

std::vector<std::string> seeds() {
  const std::string floats = raw(1.F, 2.F);
  return {
      ctranslate2_bytes(6,
                        {{"a", {1, 2}, 0, floats},
                         {"half", {1}, 4, "ab"},
                         {"unk", {5}, 1, "<unk>"},
                         {"w", {2, 2}, 1, "abcd"},
                         {"w_scale", {2}, 0, floats},
                         {"x", {1, 1}, 2, "ab"}},
                        {{"tied", "w"}, {"b", "a"}}),
      ctranslate2_bytes(2, {{"a", {1, 2}, 4, floats}, {"w", {2, 2}, 1, "abcd"}, {"w_scale", {2}, 4, floats}}),
      ctranslate2_bytes(1, {{"a", {1, 2}, 4, floats}, {"heads", {}, 2, "ab"}}), ctranslate2_bytes(4, {})};
}

std::vector<std::string> words() {
  return {"_scale",
          ctranslate2_string("w_scale"),
          ctranslate2_string("a"),
          raw(std::uint32_t{1}),
          raw(std::uint32_t{0xFFFFFFFF}),
          raw(1.F),
          raw(0.F)};
}

void load(const std::string& bytes) {
  testing::read_all(CTranslate2Binary(scratch_file("model.bin", bytes)));
}

/// Returns what is before the variables; name, type with shape, and data of each; and what follows.
Parts split(const std::string& bytes) {
  const std::string path = "model.bin";
  try {
    ByteReader reader(bytes, path);
    const auto version = reader.number<std::uint32_t>();
    if (version >= 2) reader.bytes(reader.number<std::uint16_t>() + sizeof(std::uint32_t));
    Parts parts = {bytes.substr(0, bytes.size() - reader.remaining())};
    for (auto count = reader.number<std::uint32_t>(); count > 0; --count) {
      parts.emplace_back(reader.bytes(reader.number<std::uint16_t>()));
      const std::string shape(reader.records(reader.number<std::uint8_t>(), sizeof(std::uint32_t)));
      const auto type = reader.number<std::uint8_t>();
      parts.push_back(raw(type) + shape);
      parts.emplace_back(reader.records(reader.number<std::uint32_t>(), version < 4 ? type : 1));
    }
    parts.emplace_back(reader.bytes(reader.remaining()));
    return parts;
  } catch (const Error&) {
    return {bytes};
  }
}

std::string join(const Parts& parts) {
  if (parts.size() < 2) return joined(parts);
  std::uint32_t version = 0;
  parts.front().copy(reinterpret_cast<char*>(&version), sizeof version);
  std::string bytes = parts.front() + raw(static_cast<std::uint32_t>((parts.size() - 2) / 3));
  for (std::size_t i = 1; i + 3 < parts.size(); i += 3) {
    const std::uint8_t type = parts[i + 1].empty() ? 0 : static_cast<std::uint8_t>(parts[i + 1].front());
    const std::size_t dimensions = parts[i + 1].size() / sizeof(std::uint32_t),
                      each = version < 4 && type > 0 ? type : 1;
    bytes += raw(static_cast<std::uint16_t>(parts[i].size())) + parts[i] +
             raw(static_cast<std::uint8_t>(dimensions));
    bytes += parts[i + 1].substr(std::min<std::size_t>(parts[i + 1].size(), 1),
                                 dimensions * sizeof(std::uint32_t));
    bytes += raw(type, static_cast<std::uint32_t>(parts[i + 2].size() / each)) + parts[i + 2];
  }
  return bytes + parts.back();
}

}  // namespace
}  // namespace of_ctranslate2_binary

Target ctranslate2_binary_target() {
  using namespace of_ctranslate2_binary;
  return {"ctranslate2_binary", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
