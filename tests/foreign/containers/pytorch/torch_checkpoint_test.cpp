#include "foreign/containers/pytorch/torch_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/containers/damage.h"
#include "foreign/containers/reference_data.h"
#include "foreign/containers/safetensors_file.h"
#include "foreign/containers/torch_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::pickle;
using testing::pickled_numbers;
using testing::pickled_ordered_dict;
using testing::pickled_tensor;
using testing::pickled_text;
using testing::raw;
using testing::torch_legacy;
using testing::torch_pickle;
using testing::torch_zip;
using testing::TorchStorage;
using testing::TorchTensor;
using testing::with;

const std::vector<TorchStorage> kStorages = {{"0", 6, raw(1.F, 2.F, 3.F, 4.F, 5.F, 6.F)},
                                             {"1", 2, raw(std::uint16_t{0x3C00}, std::uint16_t{0xC100})}};
const std::vector<TorchTensor> kTensors = {{"matrix", "FloatStorage", "0", 6, 0, {2, 3}, {3, 1}},
                                           {"tied", "FloatStorage", "0", 6, 0, {2, 3}, {3, 1}},
                                           {"transposed", "FloatStorage", "0", 6, 0, {3, 2}, {1, 3}},
                                           {"column", "FloatStorage", "0", 6, 1, {2, 1}, {3, 7}},
                                           {"cut", "FloatStorage", "0", 6, 1, {2, 2}, {3, 1}},
                                           {"last", "FloatStorage", "0", 6, 5, {}, {}},
                                           {"none", "FloatStorage", "0", 6, 6, {0, 3}, {3, 1}},
                                           {"half", "HalfStorage", "1", 2, 0, {2}, {1}}};

class TorchCheckpointTest : public ::testing::Test {
 protected:
  std::unique_ptr<TensorFile> opened(const std::string& bytes) const {
    return open_torch_checkpoint(folder_.write("m.bin", bytes));
  }
  std::string complaint(const std::string& bytes) const {
    return testing::complaint([&] { testing::read_all(*opened(bytes)); });
  }
  /// Returns the error about a zip archive with this dictionary.
  std::string complaint_of(const std::vector<TorchTensor>& tensors) const {
    return complaint(torch_zip(torch_pickle(tensors), kStorages));
  }

  TemporaryFolder folder_;
  const std::string zip_ = torch_zip(torch_pickle(kTensors), kStorages);
  const std::string legacy_ = torch_legacy(torch_pickle(kTensors, "N"), kStorages);
};

TEST_F(TorchCheckpointTest, ViewsOfStoragesInBothForms) {
  for (const std::string& bytes : {zip_, legacy_}) {
    const auto file = opened(bytes);
    EXPECT_EQ(file->entries().size(), kTensors.size());
    EXPECT_THAT(file->read("matrix"), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(file->read("tied"), file->read("matrix"));
    EXPECT_THAT(file->read("transposed"), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(file->read("column"), ElementsAre(2, 5));
    EXPECT_THAT(file->read("cut"), ElementsAre(2, 3, 5, 6));
    EXPECT_THAT(file->read("last"), ElementsAre(6));
    EXPECT_THAT(file->find("last")->shape, IsEmpty());
    EXPECT_THAT(file->read("none"), IsEmpty());
    EXPECT_THAT(file->read("half"), ElementsAre(1, -2.5));
  }
}

TEST_F(TorchCheckpointTest, TypesOfStorages) {
  for (const auto& [name, type, data] : std::vector<std::tuple<std::string, ElementType, std::string>>{
           {"BFloat16Storage", ElementType::bf16, raw(std::uint16_t{0x4040})},
           {"DoubleStorage", ElementType::f64, raw(3.0)},
           {"LongStorage", ElementType::i64, raw(std::int64_t{3})},
           {"IntStorage", ElementType::i32, raw(3)},
           {"ShortStorage", ElementType::i16, raw(std::int16_t{3})},
           {"CharStorage", ElementType::i8, "\3"},
           {"ByteStorage", ElementType::u8, "\3"},
           {"BoolStorage", ElementType::boolean, "\3"}}) {
    const auto file = opened(torch_zip(torch_pickle({{"a", name, "0", 1, 0, {1}, {1}}}), {{"0", 1, data}}));
    EXPECT_EQ(file->find("a")->type, type);
    if (is_real(type)) {
      EXPECT_THAT(file->read("a"), ElementsAre(3)) << name;
    } else {
      EXPECT_THAT(file->read_integers("a"), ElementsAre(3)) << name;
    }
  }
}

TEST_F(TorchCheckpointTest, ParametersAndPlainDictionaries) {
  const std::string parameter =
      testing::pickled_global("torch._utils", "_rebuild_parameter") +
      testing::pickled_tuple({pickled_tensor(kTensors[0]), "\x88", pickled_ordered_dict()}) + "R";
  const auto file = opened(torch_zip(pickle("}" + pickled_text("a") + parameter + "s"), kStorages));
  EXPECT_THAT(file->read("a"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(TorchCheckpointTest, ViewsThatDoNotFitTheirStorage) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const auto view = [](std::int64_t offset, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& strides) {
    return TorchTensor{"a", "FloatStorage", "0", 6, offset, shape, strides};
  };
  EXPECT_EQ(complaint_of({view(3, {3}, {1})}), "");
  for (const TorchTensor& tensor :
       {view(4, {3}, {1}), view(-1, {3}, {1}), view(0, {3}, {-1}), view(0, {3}, {3}), view(0, {3}, {kHuge}),
        view(kHuge, {1}, {1}), view(0, {3, 3}, {0, 0}), view(0, {2, 3}, {1}), view(0, {2}, {1, 1}),
        view(0, {kHuge / 8}, {0}), view(7, {0}, {1})})
    EXPECT_THAT(complaint_of({tensor}), HasSubstr("'a' does not fit its storage"))
        << tensor.offset
        << fmt::format(" {} {}", fmt::join(tensor.shape, ","), fmt::join(tensor.strides, ","));
  EXPECT_THAT(complaint_of({view(0, {-3}, {1})}), HasSubstr("means nothing"));
  EXPECT_THAT(complaint_of({view(0, {kHuge, 4}, {1, 1})}), HasSubstr("means nothing"));
  EXPECT_THAT(complaint_of({kTensors[0], kTensors[0]}), HasSubstr("two tensors 'matrix'"));
}

TEST_F(TorchCheckpointTest, StoragesThatAreNotWhatThePickleSays) {
  for (const TorchTensor& tensor :
       {TorchTensor{"a", "FloatStorage", "7", 6, 0, {1}, {1}},
        TorchTensor{"a", "FloatStorage", "0", 7, 0, {1}, {1}},
        TorchTensor{"a", "DoubleStorage", "0", 6, 0, {1}, {1}},
        TorchTensor{"a", "FloatStorage", "0", std::int64_t{1} << 62, 0, {1}, {1}}}) {
    EXPECT_THAT(complaint_of({tensor}), HasSubstr("missing or of another size"));
    EXPECT_NE(complaint(torch_legacy(torch_pickle({tensor}, "N"), kStorages)), "");
  }
}

TEST_F(TorchCheckpointTest, DictionariesOfMoreThanTensors) {
  const auto complaint_of_value = [this](const std::string& value) {
    return complaint(torch_zip(pickle(value), kStorages));
  };
  EXPECT_THAT(complaint_of_value("}" + pickled_text("epoch") + "K\3s"),
              AllOf(HasSubstr("'epoch' in its dictionary is a whole number"),
                    HasSubstr("save only the state_dict()")));
  EXPECT_THAT(complaint_of_value(pickled_tensor(kTensors[0])),
              HasSubstr("it holds a tensor, not a dictionary"));
  EXPECT_THAT(complaint_of_value("}K\1" + pickled_tensor(kTensors[0]) + "s"), HasSubstr("not text"));
  EXPECT_THAT(complaint_of_value("cos\nsystem\n" + pickled_text("x") + "\x85R"),
              HasSubstr("asks for 'os system'"));
}

TEST_F(TorchCheckpointTest, OtherArchivesAndOrders) {
  const std::string dictionary = torch_pickle(kTensors);
  EXPECT_EQ(complaint(torch_zip(dictionary, kStorages, {{"archive/byteorder", "little"}})), "");
  EXPECT_THAT(complaint(torch_zip(dictionary, kStorages, {{"archive/byteorder", "big"}})),
              HasSubstr("big-endian"));
  EXPECT_THAT(complaint(torch_zip(dictionary, kStorages, {{"archive/constants.pkl", ""}})),
              HasSubstr("TorchScript"));
  EXPECT_THAT(complaint(testing::zip_bytes({{"data.pkl", ""}})), HasSubstr("without a data.pkl"));
  EXPECT_THAT(complaint(torch_legacy(torch_pickle(kTensors, "N"), kStorages, "\x89")),
              HasSubstr("big-endian"));
  EXPECT_THAT(complaint(with(legacy_, "M\xE9\3", "M\xEA\3")), HasSubstr("unknown version"));
  EXPECT_THAT(complaint(std::string(257, 'x') + "ustar"), HasSubstr("before 0.2"));
  EXPECT_THAT(complaint("text"), HasSubstr("not a checkpoint of PyTorch"));
}

TEST_F(TorchCheckpointTest, DamagedFilesAreReadOrRefused) {
  for (const std::string& bytes : {zip_, legacy_}) {
    testing::expect_no_part_is_read(open_torch_checkpoint, bytes);
    EXPECT_GT(testing::refused_after_flips(open_torch_checkpoint, bytes), 250);
  }
}

TEST_F(TorchCheckpointTest, TheSameModelAsSafetensors) {
  NMT_FOREIGN_MODEL(path, "huggingface/marian");
  const auto torch = open_torch_checkpoint(path + "/pytorch_model.bin");
  const auto safetensors = open_safetensors(path + "/model.safetensors");
  EXPECT_GT(safetensors->entries().size(), 80U);
  for (const auto& [name, entry] : safetensors->entries()) {
    EXPECT_EQ(torch->entries().at(name).shape, entry.shape) << name;
    EXPECT_EQ(torch->read(name), safetensors->read(name)) << name;
  }
  EXPECT_EQ(torch->read("lm_head.weight"), torch->read("model.shared.weight"));
}

}  // namespace
}  // namespace nmt
