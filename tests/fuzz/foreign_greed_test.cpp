// Files of other toolkits that ask for far more memory than they are worth.
#include "foreign/containers/byte_text.h"
#include "foreign/containers/ctranslate2_bytes.h"
#include "foreign/containers/marian_bytes.h"
#include "foreign/containers/npy_bytes.h"
#include "foreign/containers/torch_bytes.h"
#include "foreign/containers/zip_bytes.h"
#include "fuzz/greed.h"

namespace nmt::fuzz {
namespace {

using testing::raw;
using testing::zip_bytes;
using testing::ZipEntry;

class ForeignGreed : public Greed {};

TEST_F(ForeignGreed, ArchivesThatUnpackToGigabytes) {
  std::vector<ZipEntry> entries;
  const std::string megabytes(4 * kMiB, '\0');
  for (int i = 0; i < 8; ++i)
    entries.push_back({std::to_string(i) + ".npy", testing::npy_array("<f4", "(1048576,)", megabytes), true});
  expect_modest(npz_target(), zip_bytes(entries));
  expect_modest(torch_checkpoint_target(),
                zip_bytes({{"a/data.pkl", megabytes + megabytes + megabytes, true}}));
}

TEST_F(ForeignGreed, DirectoriesOfArchives) {
  for (const std::uint16_t entries : {std::uint16_t{1000}, std::uint16_t{0xFFFE}, std::uint16_t{0xFFFF}})
    expect_modest(npz_target(), "PK\5\6" + raw(std::uint32_t{0}, entries, entries, std::uint32_t{0},
                                               std::uint32_t{0}, std::uint16_t{0}));
  for (const int bit : {16, 20, 32, 40, 62, 63}) {
    const std::uint64_t entries = std::uint64_t{1} << bit, none = 0;
    expect_modest(npz_target(), "PK\6\6" +
                                    raw(std::uint64_t{44}, std::uint32_t{0}, std::uint32_t{0},
                                        std::uint32_t{0}, entries, entries, entries * 46, none) +
                                    "PK\6\7" + raw(std::uint32_t{0}, none, std::uint32_t{1}) + "PK\5\6" +
                                    raw(std::uint32_t{0}, std::uint16_t{0xFFFF}, std::uint16_t{0xFFFF},
                                        ~std::uint32_t{0}, ~std::uint32_t{0}, std::uint16_t{0}));
  }
  std::vector<ZipEntry> entries(20'000);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].name = std::to_string(i) + "/";
  expect_modest(npz_target(), zip_bytes(entries));
}

TEST_F(ForeignGreed, HeadersOfArrays) {
  for (const char* shape : {"(1099511627776,)", "(4611686018427387904, 4)", "(0, 1099511627776, 9)"})
    expect_modest(npz_target(), zip_bytes({{"a.npy", testing::npy_array("<f4", shape, "abcd")}}));
  expect_modest(npz_target(), zip_bytes({{"a.npy", std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF  ", 14)}}));
  expect_modest(npz_target(), zip_bytes({{"a.npy", testing::npy_bytes(repeated("{'shape': (", 5000), "")}}));
}

TEST_F(ForeignGreed, HeadersOfMariansFiles) {
  const std::string seed = marian_binary_target().seeds().back();
  for (const std::size_t field : {8, 16, 32, 40}) {
    for (const int bit : {20, 32, 40, 59, 60, 63}) {
      std::string bytes = seed;
      bytes.replace(field, 8, raw(std::uint64_t{1} << bit));
      expect_modest(marian_binary_target(), bytes);
    }
  }
  std::vector<testing::MarianItem> items(19'999);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {std::to_string(i), 0x101, {}, "a"};
  items.push_back({"0", 0x101, {}, "a"});
  expect_modest(marian_binary_target(), testing::marian_bytes(items));
  for (const std::vector<std::int32_t>& shape :
       {std::vector{1 << 30, 1 << 30, 1 << 30}, std::vector{1 << 30}})
    expect_modest(marian_binary_target(), testing::marian_bytes({{"l_W", 0x404, shape, "abcd"}}));
}

TEST_F(ForeignGreed, HeadersOfCTranslate2sFiles) {
  const Target target = ctranslate2_binary_target();
  const auto big = std::uint32_t{1} << 31;
  for (const std::uint32_t version : {1, 3, 6}) {
    expect_modest(target, testing::ctranslate2_bytes(version, {{"a", {big, big}, 1, "abcd"}}));
    expect_modest(target,
                  testing::ctranslate2_bytes(version, {{"a", std::vector<std::uint32_t>(255, 1), 1, "a"}}));
  }
  expect_modest(target, raw(std::uint32_t{1}, big));
  std::vector<testing::CTranslate2Variable> variables;
  std::map<std::string, std::string> aliases;
  for (int i = 0; i < 20'000; ++i) variables.push_back({std::to_string(i), {}, 1, "a"});
  for (int i = 0; i < 20'000; ++i) aliases[std::to_string(i) + "_"] = "0";
  expect_modest(target, testing::ctranslate2_bytes(6, variables, aliases));
  // Many aliases of one matrix, each with all of its scales.
  const std::string bytes(100'000, 'a');
  expect_modest(target, testing::ctranslate2_bytes(
                            6, {{"0", {100'000, 1}, 1, bytes}, {"0_scale", {100'000}, 0, repeated(bytes, 4)}},
                            aliases) +
                            "x");
}

TEST_F(ForeignGreed, PicklesOfLittleThings) {
  constexpr int kMany = 300'000;
  const std::string zero(1, '\0'), dict = testing::pickled_ordered_dict();
  std::string memo = "N";
  for (int i = 0; i < kMany; ++i) memo += "r" + raw(i);
  const std::string nested = "(" + repeated("(" + repeated("N", 1000) + "t", 1000) + "t";
  const std::string tensor = testing::pickled_global("torch._utils", "_rebuild_tensor_v2") + "q" + zero;
  for (const std::string& value :
       {repeated("N", kMany), repeated("(", kMany), repeated("}", kMany), repeated(")", kMany),
        "]" + repeated("}a", kMany), "](" + repeated("N", 60'000) + repeated("e(", kMany), nested, memo,
        "N" + repeated("\x85", kMany), dict + repeated("q" + zero + "h" + zero + "h" + zero + "s", kMany)})
    expect_modest(torch_checkpoint_target(), testing::torch_zip(testing::pickle(value), {}));
}

TEST_F(ForeignGreed, ObjectsOfPickles) {
  constexpr int kMany = 300'000;
  const std::string object = testing::pickled_global("a", "b") + ")\x81", zero(1, '\0');
  // Lists that contain the previous one four times.
  std::string doubled = "]q" + zero;
  for (char i = 0; i < 12; ++i) {
    const std::string previous = std::string("h") + i;
    doubled +=
        std::string("]q") + static_cast<char>(i + 1) + "(" + previous + previous + previous + previous + "e";
  }
  const auto arguments = [](const std::string& value) {
    return "}" + testing::pickled_text("args") + value + "s";
  };
  for (const std::string& value :
       {repeated(object, kMany), object + "q" + zero + repeated("h" + zero + "b", kMany),
        "(" + repeated(object, 60'000) + "l", arguments(object + doubled + "b"),
        arguments("}(" + repeated(testing::pickled_text("a") + "N", kMany) + "u")})
    expect_modest(fairseq_checkpoint_target(), testing::torch_zip(testing::pickle(value), {}));
}

TEST_F(ForeignGreed, TensorsOfPickles) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const std::vector<testing::TorchStorage> storages = {{"0", 1, "abcd"}};
  for (const testing::TorchTensor& tensor :
       {testing::TorchTensor{"a", "FloatStorage", "0", 1, 0, {kLarge}, {0}},
        testing::TorchTensor{"a", "FloatStorage", "0", kLarge, 0, {kLarge}, {1}},
        testing::TorchTensor{"a", "FloatStorage", "0", 1, 0, {1, 1}, {kLarge, kLarge}}}) {
    const Target target = torch_checkpoint_target();
    target.load(target.seeds().front());
    for (const bool is_zip : {true, false}) {
      const std::string bytes = is_zip
                                    ? testing::torch_zip(testing::torch_pickle({tensor}), storages)
                                    : testing::torch_legacy(testing::torch_pickle({tensor}, "N"), storages);
      const MemoryPeak peak;
      refuses(target, bytes);
      EXPECT_LE(peak.bytes(), allowed(bytes));
    }
  }
}

}  // namespace
}  // namespace nmt::fuzz
