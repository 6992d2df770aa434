// Weights in files: accepted and rejected ones.
#include "nn/weights/parameter_files.h"

#include <gmock/gmock.h>

#include <utility>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "nn/files/model_file.h"
#include "nn/three_parameters.h"
#include "nn/weights/inference_weights.h"
#include "nn/weights/small_matrices.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LoadTest : public testing::ThreeParameters {
 protected:
  LoadTest() { allocate_for_inference(parameters_, *backend_); }

  template <class T>
  static FileTensor view(const std::string& name, const std::vector<T>& values,
                         std::vector<std::int64_t> shape) {
    return {name, dtype_of<T>, std::move(shape), reinterpret_cast<const std::byte*>(values.data())};
  }

  /// Loads a file of these tensors; returns the error, or "".
  std::string load(const std::vector<FileTensor>& tensors) {
    write_model_file(folder_ / "m.safetensors", "model:\n", tensors);
    try {
      nmt::load(parameters_, *backend_, ModelFile(folder_ / "m.safetensors"));
      return "";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("m.safetensors"));
      return error.what();
    }
  }

  TemporaryFolder folder_;
  const std::vector<float> fifteen_ = std::vector<float>(15, 0.5F);
  const std::vector<double> seventy_ = std::vector<double>(70, 0.1);
  const std::vector<float> four_ = {1, 2, 3, 4};
  const std::vector<BFloat16> bfloats_ = {1, -2, 0.00390625F, 3e38F};
  const std::vector<Float16> halves_ = {Float16(1), Float16(-2), Float16(0x1p-24F), Float16(65504)};
  const std::vector<std::int32_t> integers_ = {1, 2, 3, 4};
  const std::vector<std::uint8_t> vocabulary_ = {7, 8};
  const FileTensor the_matrix_ = view("matrix", fifteen_, {3, 5});
  const FileTensor the_vector_ = view("vector", seventy_, {70});
  const FileTensor the_row_ = view("row", four_, {1, 4});
};

TEST_F(LoadTest, TakesBothPrecisionsAndLeavesVocabulariesAlone) {
  EXPECT_EQ(load({the_row_, the_matrix_, the_vector_, view("vocabulary.shared", vocabulary_, {2})}), "");
  EXPECT_THAT(reals(matrix_.value), Each(0.5));
  EXPECT_THAT(reals(vector_.value), Each(0.1));
  EXPECT_THAT(reals(row_.value), ElementsAre(1, 2, 3, 4));
}

TEST_F(LoadTest, TakesNumbersOf16Bits) {
  EXPECT_EQ(load({the_matrix_, the_vector_, view("row", bfloats_, {1, 4})}), "");
  EXPECT_THAT(reals(row_.value), ElementsAre(1, -2, 0.00390625, 0x1.c4p127));
  EXPECT_EQ(load({the_matrix_, the_vector_, view("row", halves_, {1, 4})}), "");
  EXPECT_THAT(reals(row_.value), ElementsAre(1, -2, 0x1p-24, 65504));
}

TEST_F(LoadTest, FillsAnyBufferByPrefix) {
  const TrainingWeights weights(parameters_, *backend_);
  const Tensor moment =
      allocate_tensor(*backend_, 1, weights.values().columns(), backend_->precision().master);
  FileTensor matrix = the_matrix_, vector = the_vector_, row = the_row_;
  for (FileTensor* tensor : {&matrix, &vector, &row}) tensor->name.insert(0, "moment.");
  write_model_file(folder_ / "m.safetensors", "model:\n", {matrix, vector, row, the_row_});
  const ModelFile file(folder_ / "m.safetensors");
  nmt::load(weights, file, "moment.", moment);
  EXPECT_THAT(reals(TrainingWeights::span(moment, parameters_.entries()[2])), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(reals(row_.value), Each(0.0));
  EXPECT_THROW(nmt::load(weights, file, "other.", moment), Error);
}

TEST_F(LoadTest, AMissingTensor) {
  EXPECT_THAT(load({the_matrix_, the_row_}), HasSubstr("has no tensor 'vector'"));
}

TEST_F(LoadTest, AnotherShape) {
  EXPECT_THAT(load({view("matrix", fifteen_, {5, 3}), the_vector_, the_row_}),
              AllOf(HasSubstr("'matrix' has shape [5, 3]"), HasSubstr("[3, 5]")));
  EXPECT_THAT(load({view("matrix", fifteen_, {15}), the_vector_, the_row_}), HasSubstr("has shape [15]"));
  EXPECT_THAT(load({the_matrix_, the_vector_, view("row", four_, {4})}), HasSubstr("has shape [4]"));
}

TEST_F(LoadTest, AnUnknownTensor) {
  EXPECT_THAT(load({the_matrix_, the_vector_, the_row_, view("extra", four_, {4})}),
              HasSubstr("unexpected tensor 'extra'"));
}

TEST_F(LoadTest, AnotherType) {
  EXPECT_THAT(load({the_matrix_, the_vector_, view("row", integers_, {1, 4})}),
              HasSubstr("'row' is of type i32"));
}

/// The matrix of the file is stored as integers: 2, 0.5 and 0 times the numbers of a row.
class QuantizedTest : public LoadTest {
 protected:
  /// Loads that file with some tensors replaced; an empty one is left out.
  std::string load_quantized(const std::vector<FileTensor>& others = {}, const std::string& missing = "") {
    std::vector<FileTensor> tensors = {the_integers_, the_scale_, the_vector_, the_row_};
    for (FileTensor& tensor : tensors)
      for (const FileTensor& other : others)
        if (other.name == tensor.name) tensor = other;
    std::erase_if(tensors, [&](const FileTensor& tensor) { return tensor.name == missing; });
    return load(tensors);
  }

  void open_quantized() {
    const auto before = std::exchange(backend_, open_backend({.device = "reference", .precision = "int8"}));
    allocate_for_inference(parameters_, *backend_);
  }

  template <class T>
  std::vector<T> elements(const Tensor& tensor) const {
    std::vector<T> values(static_cast<std::size_t>(tensor.size()));
    backend_->download(values.data(), tensor);
    return values;
  }

  const std::vector<std::int8_t> rows_ = {127, -127, 1, 0, -3, 5, 4, 3, 2, 127, 0, 0, 0, 0, 0};
  const std::vector<float> scales_ = {2, 0.5F, 0};
  const FileTensor the_integers_ = view("matrix", rows_, {3, 5});
  const FileTensor the_scale_ = view("matrix.scale", scales_, {3});
};

TEST_F(QuantizedTest, IntegersBecomeNumbersByTheirScales) {
  EXPECT_EQ(load_quantized(), "");
  EXPECT_THAT(reals(matrix_.value), ElementsAre(254, -254, 2, 0, -6, 2.5, 2, 1.5, 1, 63.5, 0, 0, 0, 0, 0));
}

TEST_F(QuantizedTest, IntegersBecomeNumbersInMatricesThatStayPrecise) {
  keep_small_matrices_precise(parameters_);
  open_quantized();
  EXPECT_EQ(load_quantized(), "");
  EXPECT_THAT(reals(matrix_.value), ElementsAre(254, -254, 2, 0, -6, 2.5, 2, 1.5, 1, 63.5, 0, 0, 0, 0, 0));
}

TEST_F(QuantizedTest, IntegersStayWhatTheyAre) {
  open_quantized();
  EXPECT_EQ(load_quantized(), "");
  EXPECT_EQ(elements<std::int8_t>(matrix_.value), rows_);
  EXPECT_EQ(elements<float>(matrix_.scale), scales_);
  EXPECT_EQ(vector_.value.dtype(), DType::f64);
  EXPECT_FALSE(vector_.scale);
}

TEST_F(QuantizedTest, NumbersAreQuantizedByRows) {
  open_quantized();
  EXPECT_EQ(load({the_matrix_, the_vector_, the_row_}), "");
  EXPECT_THAT(elements<std::int8_t>(matrix_.value), Each(127));
  EXPECT_THAT(elements<float>(matrix_.scale), Each(0.5F / 127));
  EXPECT_THAT(elements<std::int8_t>(row_.value), ElementsAre(32, 64, 95, 127)) << "31.75, 63.5, 95.25, 127";
  EXPECT_THAT(elements<float>(row_.scale), ElementsAre(4.0F / 127));
  EXPECT_THAT(reals(vector_.value), Each(0.1));
}

TEST_F(QuantizedTest, EveryScaleIsNeeded) {
  EXPECT_THAT(load_quantized({}, "matrix.scale"), HasSubstr("has no tensor 'matrix.scale', the scales"));
  const std::vector<float> two = {1, 2};
  EXPECT_THAT(load_quantized({view("matrix.scale", two, {2})}),
              AllOf(HasSubstr("'matrix.scale' has shape [2]"), HasSubstr("[3]")));
  EXPECT_THAT(load_quantized({view("matrix.scale", scales_, {3, 1})}), HasSubstr("has shape [3, 1]"));
  const std::vector<double> wide = {1, 2, 3};
  EXPECT_THAT(load_quantized({view("matrix.scale", wide, {3})}), HasSubstr("scales are f32"));
}

TEST_F(QuantizedTest, ScalesOfNumbersAreUnknown) {
  EXPECT_THAT(load_quantized({the_matrix_}), HasSubstr("unexpected tensor 'matrix.scale'"));
}

TEST_F(QuantizedTest, VectorsAreNoIntegers) {
  const std::vector<std::int8_t> bytes(70);
  EXPECT_THAT(load_quantized({view("vector", bytes, {70})}), HasSubstr("'vector' is of type i8"));
}

}  // namespace
}  // namespace nmt
