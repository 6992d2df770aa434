// Fuzz target: Marian's binary model files.
#include "foreign/containers/marian_binary.h"

#include "common/error.h"
#include "common/io/byte_reader.h"
#include "foreign/containers/every_reading.h"
#include "foreign/containers/marian_bytes.h"
#include "fuzz/safetensors_parts.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_marian_binary {
namespace {

using testing::raw;

std::string written() {
  const std::string path = scratch_file("seed", "");
  write_marian_binary(path,
                      {{"W",
                        ElementType::f32,
                        {2, 1},
                        [](RowRange) {
                          return bytes_of(std::vector<float>{1, 2});
                        }}},
                      "version: 1\n");
  return read_bytes(path);
}

std::vector<std::string> seeds() {
  return {written(), testing::marian_bytes({{"l_W", 0x10001, {2, 3}, "abcdef" + raw(2.F)},
                                            {"Wemb", 0x4101, {1, 2}, "ab" + raw(2.F)},
                                            {"l_W1", 0x10002, {1, 1}, "ab" + raw(1024.F)},
                                            {"half", 0x402, {2}, "abcd"}})};
}

std::vector<std::string> words() {
  std::vector<std::string> words = {"Wemb", "special:model.yml", raw(1.F), raw(-1.F)};
  for (const std::uint64_t type : {0x404, 0x408, 0x101, 0x208, 0x10001, 0x10002, 0x4102, 0x802, 0x18001})
    words.push_back(raw(type));
  return words;
}

void load(const std::string& bytes) {
  testing::read_all(*open_marian_binary(scratch_file("model.bin", bytes)));
}

/// Returns for each tensor the name, the type with the shape, and the data.
Parts split(const std::string& bytes) {
  constexpr std::uint64_t kMost = 1000;
  const std::string path = "model.bin";
  try {
    ByteReader reader(bytes, path), headers(reader.bytes(16), path);
    headers.bytes(8);
    const auto count = std::min(headers.number<std::uint64_t>(), kMost);
    const std::string_view all = reader.records(count, 32);
    const auto number = [&](std::uint64_t item, int field) {
      return ByteReader(all.substr(32 * item + 8 * static_cast<std::size_t>(field)), path)
          .number<std::uint64_t>();
    };
    Parts parts(3 * count);
    for (std::uint64_t i = 0; i < count; ++i) parts[3 * i] = std::string(reader.bytes(number(i, 0))).c_str();
    for (std::uint64_t i = 0; i < count; ++i)
      parts[3 * i + 1] = raw(number(i, 1)) + std::string(reader.records(number(i, 2), 4));
    reader.bytes(reader.number<std::uint64_t>());
    for (std::uint64_t i = 0; i < count; ++i) parts[3 * i + 2] = reader.bytes(number(i, 3));
    return parts.empty() ? Parts{bytes} : parts;
  } catch (const Error&) {
    return {bytes};
  }
}

std::string join(const Parts& parts) {
  std::vector<testing::MarianItem> items;
  for (std::size_t i = 0; i + 2 < parts.size(); i += 3) {
    testing::MarianItem item{parts[i].c_str(), 0, {}, parts[i + 2]};
    parts[i + 1].copy(reinterpret_cast<char*>(&item.type), sizeof item.type);
    item.shape.resize((std::max(parts[i + 1].size(), sizeof item.type) - sizeof item.type) /
                      sizeof item.shape[0]);
    parts[i + 1].copy(reinterpret_cast<char*>(item.shape.data()), item.shape.size() * sizeof item.shape[0],
                      std::min(parts[i + 1].size(), sizeof item.type));
    items.push_back(std::move(item));
  }
  return items.empty() ? joined(parts) : testing::marian_bytes(items);
}

}  // namespace
}  // namespace of_marian_binary

Target marian_binary_target() {
  using namespace of_marian_binary;
  return {"marian_binary", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
