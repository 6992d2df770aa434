#include "nn/files/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/temporary_folder.h"
#include "common/test_data.h"
#include "nn/safetensors_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

constexpr const char* kConfig = "model:\n  type: transformer\n  name: \"Über\"\n";
const std::string kTinyModel = testing::test_data("model/tiny.safetensors");

template <class T>
FileTensor view(const std::string& name, const std::vector<T>& values, std::vector<std::int64_t> shape) {
  return {name, dtype_of<T>, std::move(shape), reinterpret_cast<const std::byte*>(values.data())};
}

template <class T>
std::vector<T> values_of(const FileTensor* tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor->size()));
  std::memcpy(values.data(), tensor->data, tensor->bytes());
  return values;
}

/// Returns the error of opening `path`; "" if it succeeds.
std::string opening_error(const std::string& path) {
  try {
    const ModelFile file(path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class ModelFileTest : public ::testing::Test {
 protected:
  /// Writes a small model with a tensor of each dtype.
  std::string write_small(const std::string& name) const {
    write_model_file(folder_ / name, kConfig,
                     {view("vocabulary.shared", vocabulary_, {5}), view("weight", weight_, {2, 3}),
                      view("wide", wide_, {2}), view("ids", ids_, {1, 1, 1}), view("empty", none_, {0, 3})});
    return folder_ / name;
  }

  /// Returns the error about a file of these bytes.
  std::string complaint_about(const std::string& bytes) const {
    std::filesystem::remove(folder_ / "m.safetensors");  // truncating it instead costs some systems a sync
    return opening_error(folder_.write("m.safetensors", bytes));
  }

  TemporaryFolder folder_;
  std::vector<std::uint8_t> vocabulary_ = {1, 0, 255, 3, 4};
  std::vector<float> weight_ = {1.5F, -0.0F, 1e-45F, std::numeric_limits<float>::max(), 0, -7};
  std::vector<double> wide_ = {0.1, -std::numeric_limits<double>::max()};
  std::vector<std::int32_t> ids_ = {-1};  // all bits set: a NaN, were it a float
  std::vector<float> none_;
};

TEST_F(ModelFileTest, RoundTrip) {
  const ModelFile file(write_small("m.safetensors"));
  EXPECT_EQ(file.path(), folder_ / "m.safetensors");
  EXPECT_EQ(file.config(), kConfig);
  ASSERT_EQ(file.tensors().size(), 5U);
  EXPECT_EQ(file.find("missing"), nullptr);
  EXPECT_EQ(file.find("zzz"), nullptr);
  EXPECT_THAT(file.find("weight")->shape, ElementsAre(2, 3));
  EXPECT_EQ(values_of<float>(file.find("weight")), weight_);
  EXPECT_EQ(values_of<double>(file.find("wide")), wide_);
  EXPECT_EQ(values_of<std::int32_t>(file.find("ids")), ids_);
  EXPECT_EQ(values_of<std::uint8_t>(file.find("vocabulary.shared")), vocabulary_);
  EXPECT_THAT(file.find("empty")->shape, ElementsAre(0, 3));
}

TEST_F(ModelFileTest, BytesDoNotDependOnTheOrderOfTensors) {
  write_model_file(folder_ / "a", kConfig, {view("w", weight_, {6}), view("v", vocabulary_, {5})});
  write_model_file(folder_ / "b", kConfig, {view("v", vocabulary_, {5}), view("w", weight_, {6})});
  EXPECT_EQ(folder_.read("a"), folder_.read("b"));
  const ModelFile loaded(folder_ / "a");
  write_model_file(folder_ / "c", loaded.config(), loaded.tensors());
  EXPECT_EQ(folder_.read("a"), folder_.read("c"));
}

TEST_F(ModelFileTest, ReadsAFileThatPyTorchMade) {
  const ModelFile file(kTinyModel);
  EXPECT_THAT(file.config(), HasSubstr("  d_model: 8\n"));
  EXPECT_EQ(file.tensors().size(), 32U);
  EXPECT_THAT(file.find("embedding.weight")->shape, ElementsAre(11, 8));
  EXPECT_THAT(file.find("encoder.layers.0.self_attn.in_proj_weight")->shape, ElementsAre(24, 8));
  // Values come from disjoint intervals, so that any wrong offset is detected.
  EXPECT_THAT(values_of<float>(file.find("decoder.layers.0.norm3.weight")), Each(AllOf(Ge(0.8F), Le(1.2F))));
  EXPECT_THAT(values_of<float>(file.find("output.bias")), Each(AllOf(Ge(-0.1F), Le(0.1F))));
  EXPECT_EQ(values_of<float>(file.find("output.bias")).size(), 11U);
}

TEST_F(ModelFileTest, EveryTruncationIsAnError) {
  write_small("whole");
  const std::string whole = folder_.read("whole");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_THAT(complaint_about(whole.substr(0, size)), HasSubstr("is damaged: ")) << size;
  }
  EXPECT_THAT(complaint_about(whole + '\0'), HasSubstr("is damaged: its checksum does not match"));
}

TEST_F(ModelFileTest, TruncationsShowWithoutAChecksumToo) {
  std::string tiny;
  {
    const MemoryMap map = map_file(kTinyModel);
    tiny = map.text();
  }
  ASSERT_EQ(complaint_about(tiny), "");
  for (std::size_t size = 0; size < tiny.size(); size += size < 3'000 ? 1 : 37) {
    ASSERT_THAT(complaint_about(tiny.substr(0, size)), HasSubstr("is damaged: ")) << size;
  }
  EXPECT_THAT(complaint_about(tiny + '\0'), HasSubstr("it has 1 byte after its last tensor"));
}

TEST_F(ModelFileTest, EveryFlippedBitIsAnError) {
  write_small("whole");
  std::string bytes = folder_.read("whole");
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char mask = static_cast<char>(1U << bit % 8);
    bytes[bit / 8] ^= mask;
    ASSERT_THAT(complaint_about(bytes), HasSubstr("m.safetensors")) << "bit " << bit;
    bytes[bit / 8] ^= mask;
  }
}

TEST_F(ModelFileTest, VerifiesChecksumsOfOthers) {
  const auto file_with = [](const std::string& metadata) {
    return safetensors_bytes(R"({"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"__metadata__":{)"
                             R"("format":"nmt.model",)" +
                                 metadata + R"("format_version":"1","config":""}})",
                             "abc");
  };
  // The digits are the result of Python's xxhash.xxh3_64_hexdigest for this file with sixteen zeros.
  EXPECT_EQ(complaint_about(file_with(R"("checksum" : "cd3b6732c8fe9001",)")), "");
  EXPECT_THAT(complaint_about(file_with(R"("checksum" : "cd3b6732c8fe9002",)")), HasSubstr("does not match"));
  EXPECT_THAT(complaint_about(file_with(R"("checksum":"cd3b",)")), HasSubstr("not made of 16"));
  EXPECT_THAT(complaint_about(file_with(R"("checksum_type":"XXH3-64",)")), HasSubstr("checksum is missing"));
  EXPECT_THAT(complaint_about(file_with(R"("checksum_type":"MD5",)")), HasSubstr("unknown type 'MD5'"));
}

TEST_F(ModelFileTest, RefusesForeignFiles) {
  const std::string tensor = R"("w":{"dtype":"I16","shape":[1],"data_offsets":[0,2]})";
  EXPECT_THAT(complaint_about(safetensors_bytes("{" + tensor + "}", "xx")), HasSubstr("not an nmt model"));
  EXPECT_THAT(complaint_about(safetensors_bytes(R"({"__metadata__":{"format":"pt"},)" + tensor + "}", "xx")),
              HasSubstr("not an nmt model"));
  EXPECT_THAT(complaint_about(safetensors_bytes("{" + kModelMetadata + "," + tensor + "}", "xx")),
              HasSubstr("tensor 'w' has dtype 'I16'"));
  EXPECT_THAT(complaint_about("A text, and no model at all.\n"), HasSubstr("it is text"));
  std::string later = kModelMetadata;
  later.replace(later.find("\"1\""), 3, "\"2\"");
  EXPECT_THAT(complaint_about(safetensors_bytes("{" + later + "}", "")), HasSubstr("has version '2'"));
}

TEST_F(ModelFileTest, RefusesPathsThatAreNoFiles) {
  EXPECT_THAT(opening_error(folder_ / "missing"), HasSubstr("missing': No such file"));
  EXPECT_THAT(opening_error(folder_ / "."), HasSubstr("not a regular file"));
}

TEST_F(ModelFileTest, RefusesValuesThatAreNotFinite) {
  const auto file_of = [](const std::string& dtype, const auto& value) {
    const std::string size = std::to_string(sizeof value);
    return safetensors_bytes("{" + kModelMetadata + R"(,"w":{"dtype":")" + dtype +
                                 R"(","shape":[],"data_offsets":[0,)" + size + "]}}",
                             std::string(reinterpret_cast<const char*>(&value), sizeof value));
  };
  EXPECT_EQ(complaint_about(file_of("F32", 1.0F)), "");
  EXPECT_EQ(complaint_about(file_of("F64", 1.0)), "");
  EXPECT_EQ(complaint_about(file_of("BF16", BFloat16(-1.0F))), "");
  EXPECT_EQ(complaint_about(file_of("F16", Float16(-1.0F))), "");
  EXPECT_THAT(complaint_about(file_of("F32", -std::numeric_limits<float>::infinity())),
              HasSubstr("tensor 'w' holds NaN or infinity"));
  EXPECT_THAT(complaint_about(file_of("F64", std::numeric_limits<double>::quiet_NaN())),
              HasSubstr("tensor 'w' holds NaN or infinity"));
  EXPECT_THAT(complaint_about(file_of("BF16", BFloat16(NAN))), HasSubstr("tensor 'w' holds NaN or infinity"));
  EXPECT_THAT(complaint_about(file_of("F16", Float16(1e6F))), HasSubstr("tensor 'w' holds NaN or infinity"));
  EXPECT_THAT(complaint_about(file_of("I8", std::int8_t{-128})), HasSubstr("tensor 'w' holds -128"));
  EXPECT_EQ(complaint_about(file_of("I8", std::int8_t{-127})), "");
}

/// Limits the size of files that this process writes, like a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(ModelFileTest, BytesCanBeMadeWhenTheyAreWritten) {
  const auto made = [](const FileTensor& tensor) {
    const auto make = [tensor](RowRange) { return std::vector(tensor.data, tensor.data + tensor.bytes()); };
    return FileTensor{tensor.name, tensor.dtype, tensor.shape, nullptr, make};
  };
  const FileTensor w = view("w", weight_, {6}), v = view("v", vocabulary_, {5});
  write_model_file(folder_ / "a", kConfig, {w, v});
  write_model_file(folder_ / "b", kConfig, {made(w), v});
  EXPECT_EQ(folder_.read("a"), folder_.read("b"));
  const std::vector<float> bad = {1, NAN};
  EXPECT_THROW(write_model_file(folder_ / "c", kConfig, {made(view("w", bad, {2}))}), Error);
  EXPECT_EQ(folder_.count(), 2);
}

TEST_F(ModelFileTest, IsMadeOfTensorsThatLieElsewhere) {
  const ModelFile written(write_small("m.safetensors"));
  std::vector<FileTensor> tensors = written.tensors();
  std::ranges::reverse(tensors);
  const auto files = std::make_shared<const ModelFile>(folder_ / "m.safetensors");
  const ModelFile made("name", kConfig, tensors, files, {{"updates", "7"}});
  EXPECT_EQ(made.path(), "name");
  EXPECT_EQ(made.config(), kConfig);
  EXPECT_EQ(made.metadata("updates"), "7");
  EXPECT_EQ(made.find("weight")->data, written.find("weight")->data) << "not copied";
  EXPECT_EQ(ModelFile("name", kConfig, tensors, files).checksum(), written.checksum());
  EXPECT_NE(made.checksum(), written.checksum()) << "it has further metadata";
  std::filesystem::resize_file(folder_ / "m.safetensors", 0);
  EXPECT_THAT([&] { made.check_unchanged(); },
              ::testing::ThrowsMessage<Error>(HasSubstr("m.safetensors' was truncated")));
}

TEST_F(ModelFileTest, AFailedWriteLeavesTheOldFile) {
  const std::string path = write_small("m.safetensors");
  const std::string before = folder_.read("m.safetensors");
  const std::vector<float> large(100'000, 1.0F);
  {
    const SmallDisk disk(4'096);
    EXPECT_THROW(write_model_file(path, kConfig, {view("w", large, {100'000})}), Error);
  }
  EXPECT_THROW(write_model_file(path, kConfig, {view("w", weight_, {6}), view("w", weight_, {6})}), Error);
  EXPECT_THROW(write_model_file(path, kConfig, {view("w", std::vector<float>{1, NAN}, {2})}), Error);
  EXPECT_EQ(folder_.read("m.safetensors"), before);
  EXPECT_EQ(folder_.count(), 1);
  write_model_file(path, kConfig, {view("w", large, {100'000})});
  EXPECT_EQ(values_of<float>(ModelFile(path).find("w")), large);
}

}  // namespace
}  // namespace nmt
