// Files that ask for far more memory than they are worth.
#include "fuzz/greed.h"

#include <bit>
#include <cstring>

#include "common/packing.h"
#include "data/packed/packed_file.h"
#include "fuzz/safetensors_parts.h"
#include "nn/safetensors_bytes.h"

namespace nmt::fuzz {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

/// Returns a model with this header, or with this configuration.
std::string with_header(const std::string& header) {
  return safetensors_bytes("{" + kModelMetadata + header + "}", "");
}
std::string with_config(const std::string& what, const std::string& with) {
  Parts parts = split_safetensors(model_target().seeds().front());
  parts[1] = replaced(parts[1], what, with);
  return join_safetensors(parts);
}

TEST_F(Greed, HeadersOfModels) {
  const Target target = model_target();
  for (const int bit : {26, 40, 62, 63}) expect_modest(target, length_bytes(std::uint64_t{1} << bit) + "{}");
  for (const char* shape :
       {"[1099511627776]", "[0,1099511627776]", "[9223372036854775807,2]", "[1099511627776,0]"}) {
    expect_modest(target, with_header(std::string(R"(,"a":{"dtype":"F32","shape":)") + shape +
                                      R"(,"data_offsets":[0,4398046511104]})"));
  }
  std::string names, metadata;
  for (int i = 0; i < 100'000; ++i) {
    names += fmt::format(R"(,"{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", i);
    metadata += fmt::format(R"({}"{}":"")", i == 0 ? "" : ",", i);
  }
  expect_modest(target, with_header(names));
  expect_modest(target, safetensors_bytes(R"({"__metadata__":{)" + metadata + "}}", ""));
  expect_modest(target, safetensors_bytes(repeated(R"({"a":)", 100'000), ""));
}

TEST_F(Greed, SettingsOfModels) {
  for (const char* name :
       {"d_model", "d_ff", "max_positions", "source_vocabulary", "encoder_layers", "decoder_layers"}) {
    for (const char* number : {"1000", "16777216", "1099511627776"}) {
      const std::string setting = std::string(name) + ": ";
      Parts parts = split_safetensors(model_target().seeds()[2]);  // with learned positions
      const std::size_t value = parts[1].find(setting) + setting.size();
      parts[1].replace(value, parts[1].find('\n', value) - value, number);
      expect_modest(model_target(), join_safetensors(parts));
    }
  }
  expect_modest(model_target(), with_config("model:", "model: " + repeated("[", 100'000)));
  expect_modest(model_target(), with_config("model:", "a: [" + repeated(",", 1'000'000) + "]\nmodel:"));
  expect_modest(model_target(), with_config(
                                    "model:", "long: &a " + std::string(30'000, 'x') + "\nmodel:\n" + [] {
                                      std::string aliases;
                                      for (int i = 0; i < 3000; ++i) aliases += fmt::format("  k{}: *a\n", i);
                                      return aliases;
                                    }()));
}

TEST_F(Greed, SettingsFiles) {
  const Target target = yaml_target();
  expect_modest(target, repeated("[", 100'000));
  expect_modest(target, repeated("a: {", 100'000));
  expect_modest(target, "a: [" + repeated(",", 1'000'000) + "]");
  expect_modest(target, repeated("- ", 500'000));
  expect_modest(target, std::string(1'000'000, 'x') + ": 1");
  expect_modest(target, "steps: " + std::string(1'000'000, '1'));
  expect_modest(target,
                "note: &a " + std::string(30'000, 'x') + "\nsource: [" + repeated("*a,", 10'000) + "]");
  expect_modest(target, "b: &b {" + repeated("x: 1,", 5000) + "}\n" + repeated("c: *b\n", 5000));
}

TEST_F(Greed, StatesOfTraining) {
  for (const std::string& progress : {repeated("[", 1'000'000), repeated("0,", 1'000'000),
                                      R"({"position":{"cuts":[)" + repeated("[0,0],", 300'000)}) {
    Parts parts = split_safetensors(state_target().seeds().front());
    parts[2] = progress;
    expect_modest(state_target(), join_safetensors(parts));
  }
}

TEST_F(Greed, ListsOfWords) {
  const Target target = word_list_target();
  expect_modest(target, "{a: 9999999}\n");
  expect_modest(target, repeated("[", 1'000'000));
  expect_modest(target, repeated(R"({"a":)", 300'000));
  expect_modest(target, "{\"a\": [" + repeated("0,", 500'000));
}

TEST_F(Greed, PackedCorpora) {
  const std::string seed = packed_corpus_target().seeds().front();
  for (std::size_t field = 0; field < sizeof(PackedFoot) / 8 - 3; ++field) {
    for (const int bit : {20, 40, 61, 63}) {
      Parts parts = packed_corpus_target().split(seed);
      const std::uint64_t number = std::uint64_t{1} << bit;
      std::memcpy(parts[2].data() + 8 * field, &number, sizeof number);
      const std::string bytes = packed_corpus_target().join(parts);
      packed_corpus_target().load(seed);
      const MemoryPeak peak;
      refuses(packed_corpus_target(), bytes);  // some numbers are counts that do not matter to a reader
      EXPECT_LE(peak.bytes(), allowed(bytes)) << "number " << field << " is 2^" << bit;
    }
  }
}

/// Returns an xz file whose header asks for the largest dictionary.
std::string greedy_xz() {
  constexpr std::size_t kBlock = 12;  // start of the block's header, with its length in words of four bytes
  std::string bytes = pack_xz("a line\n");
  const std::size_t size = (static_cast<std::size_t>(bytes[kBlock]) + 1) * 4;
  bytes[bytes.find("\x21\x01", kBlock) + 2] = 40;
  const std::uint32_t checksum =
      lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes.data()) + kBlock, size - 4, 0);
  std::memcpy(bytes.data() + kBlock + size - 4, &checksum, sizeof checksum);
  return bytes;
}

TEST_F(Greed, WindowsOfPackedText) {
  const std::string zstd_of_2_gib(
      "\x28\xB5\x2F\xFD\x00\xA8\x11\x00\x00"
      "a\n",
      11);
  expect_modest(text_target(), zstd_of_2_gib);
  expect_modest(text_target(), greedy_xz());
}

TEST_F(Greed, LongLinesInPackedText) {
  const std::string bytes = pack_gzip(std::string(70 * kMiB, 'a'));
  EXPECT_LE(refused_at(text_target(), bytes), 200 * kMiB);
}

}  // namespace
}  // namespace nmt::fuzz
