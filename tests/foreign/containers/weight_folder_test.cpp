#include "foreign/containers/weight_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/reference_data.h"
#include "foreign/containers/torch_bytes.h"
#include "nn/safetensors_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::raw;
using ::testing::SizeIs;

/// Returns a file with one number.
std::string safetensors_of(const std::string& name, float value) {
  return safetensors_bytes(R"({")" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                           raw(value));
}

std::string torch_of(const std::string& name, float value) {
  return testing::torch_zip(testing::torch_pickle({{name, "FloatStorage", "0", 1, 0, {1}, {1}}}),
                            {{"0", 1, raw(value)}});
}

class WeightFolderTest : public ::testing::Test {
 protected:
  std::unique_ptr<TensorFile> opened() const { return open_weight_folder(folder_ / ""); }
  std::string complaint() const {
    return testing::complaint([&] { opened(); });
  }
  std::string complaint_of_map(const std::string& map) const {
    return testing::complaint([&] { read_weight_map(folder_.write("index.json", map)); });
  }

  TemporaryFolder folder_;
};

TEST_F(WeightFolderTest, NoWeights) {
  EXPECT_THAT(complaint(), AllOf(HasSubstr("holds no weights"), HasSubstr("pytorch_model.bin")));
}

TEST_F(WeightFolderTest, WholeFilesBeforeIndexes) {
  folder_.write("pytorch_model.bin", torch_of("a", 1));
  EXPECT_THAT(opened()->read("a"), ElementsAre(1));
  folder_.write("model.safetensors.index.json", R"({"weight_map":{"a":"part"}})");
  folder_.write("part", safetensors_of("a", 2));
  EXPECT_THAT(opened()->read("a"), ElementsAre(2));
  folder_.write("model.safetensors", safetensors_of("a", 3));
  EXPECT_THAT(opened()->read("a"), ElementsAre(3));
}

TEST_F(WeightFolderTest, PartsOfBothKinds) {
  folder_.write("pytorch_model.bin.index.json",
                R"({"metadata":{"total_size":8},"weight_map":{"a":"1.bin","b":"2.bin"}})");
  folder_.write("1.bin", torch_of("a", 1));
  folder_.write("2.bin", torch_of("b", 2));
  const auto file = opened();
  EXPECT_THAT(file->entries(), SizeIs(2));
  EXPECT_THAT(file->read("a"), ElementsAre(1));
  EXPECT_THAT(file->read("b"), ElementsAre(2));
}

TEST_F(WeightFolderTest, PartsThatLackSomething) {
  folder_.write("model.safetensors.index.json", R"({"weight_map":{"a":"part"}})");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("part"), HasSubstr("cannot read")));
  folder_.write("part", safetensors_of("b", 2));
  EXPECT_THAT(complaint(), AllOf(HasSubstr("part' has no tensor 'a'"), HasSubstr("copy both again")));
}

TEST_F(WeightFolderTest, MapsAmongOtherThings) {
  EXPECT_THAT(
      read_weight_map(folder_.write("i", R"({"metadata":{"weight_map":{"x":1},"list":[[{"a":[]}]]},)"
                                         R"("weight_map":{"a":"1","b":"2"},"rest":[null,true,1.5,-1]})")),
      ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST_F(WeightFolderTest, MapsOfAnotherForm) {
  for (const auto& [map, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "not valid JSON"},
           {"{", "not valid JSON"},
           {"[]", "no 'weight_map'"},
           {"{}", "no 'weight_map'"},
           {R"([{"weight_map":{"a":"b"}}])", "no 'weight_map'"},
           {R"({"weight_map":[{"a":"b"}]})", "no 'weight_map'"},
           {R"({"weight_map":{"a":1}})", "holds a number"},
           {R"({"weight_map":{"a":null}})", "holds null"},
           {R"({"weight_map":{"a":["b"]}})", "holds a list"},
           {R"({"weight_map":{"a":{"b":"c"}}})", "holds an object"},
           {R"({"weight_map":{"a":"b","a":"c"}})", "two entries 'a'"},
           {R"({"weight_map":{"a":"b"},"weight_map":{"b":"c"}})", "two entries 'weight_map'"},
           {R"({"weight_map":{"a":"../b"}})", "not in its folder"},
           {R"({"weight_map":{"a":"/etc/passwd"}})", "not in its folder"},
           {R"({"weight_map":{"a":".."}})", "not in its folder"},
           {R"({"weight_map":{"a":""}})", "not in its folder"},
           {R"({"weight_map":{"a":"b\u0000c"}})", "not in its folder"}})
    EXPECT_THAT(complaint_of_map(map), AllOf(HasSubstr("index.json' is damaged"), HasSubstr(reason))) << map;
  EXPECT_THAT(complaint_of_map(std::string(1'000'000, '[')), HasSubstr("not valid JSON"));
}

TEST_F(WeightFolderTest, HuggingFacesOwnFolder) {
  NMT_FOREIGN_MODEL(path, "huggingface/nllb");
  EXPECT_THAT(open_weight_folder(path)->find("model.shared.weight")->shape, SizeIs(2));
}

}  // namespace
}  // namespace nmt
