// Parameters: spans of flat buffers by name, and their way in from model files.
#include "nn/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "backend/factory.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "nn/model_file.h"
#include "optim/device_figures.h"
#include "optim/optimizer.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ParametersTest : public ::testing::Test {
 protected:
  ParametersTest()
      : matrix_(parameters_.add("matrix", 3, 5, Initializer::glorot)),
        vector_(parameters_.add("vector", 0, 70, Initializer::ones)),
        row_(parameters_.add("row", 1, 4, Initializer::embedding)) {}

  void fill(const Parameter& parameter, double value) const {
    upload_reals(*backend_, parameter.value,
                 std::vector<double>(static_cast<std::size_t>(parameter.value.size()), value));
  }

  std::vector<double> reals(const Tensor& tensor) const { return download_reals(*backend_, tensor); }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Parameters parameters_;
  Parameter& matrix_;
  Parameter& vector_;
  Parameter& row_;
};

TEST_F(ParametersTest, EntriesStandInTheOrderOfAdding) {
  const auto& entries = parameters_.entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].parameter.name, "matrix");
  EXPECT_THAT(entries[0].shape(), ElementsAre(3, 5));
  EXPECT_THAT(entries[1].shape(), ElementsAre(70));
  EXPECT_THAT(entries[2].shape(), ElementsAre(1, 4)) << "a matrix of one row is no vector";
  EXPECT_EQ(parameters_.count(), 15 + 70 + 4);
}

TEST_F(ParametersTest, ValuesAreAlignedSpansOfOneZeroedBuffer) {
  parameters_.allocate(*backend_, true);
  EXPECT_EQ(parameters_.values().rows(), 1);
  EXPECT_THAT(reals(parameters_.values()), Each(0.0));
  EXPECT_THAT(reals(parameters_.gradients()), Each(0.0));
  const auto* begin = static_cast<const char*>(parameters_.values().raw());
  for (const Parameters::Entry& entry : parameters_.entries()) {
    const Tensor& value = entry.parameter.value;
    EXPECT_EQ(static_cast<const char*>(value.raw()) - begin, entry.offset * 8);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value.raw()) % 64, 0U);
    EXPECT_TRUE(value.contiguous());
    EXPECT_EQ(entry.parameter.gradient.rows(), value.rows());
    EXPECT_EQ(entry.parameter.gradient.columns(), value.columns());
    EXPECT_LE(entry.offset + value.size(), parameters_.values().columns());
  }
  fill(matrix_, 1);
  fill(vector_, 2);
  fill(row_, 3);
  EXPECT_THAT(reals(matrix_.value), Each(1.0)) << "spans do not overlap";
  EXPECT_THAT(reals(vector_.value), Each(2.0));
  double sum = 0;
  for (const double x : reals(parameters_.values())) sum += x;
  EXPECT_EQ(sum, 15 * 1 + 70 * 2 + 4 * 3) << "gaps hold zeros";
  EXPECT_THAT(reals(parameters_.gradients()), Each(0.0));
}

TEST_F(ParametersTest, ForInferenceThereAreNoFlatBuffers) {
  parameters_.allocate(*backend_, false);
  EXPECT_FALSE(matrix_.gradient);
  EXPECT_FALSE(parameters_.gradients());
  EXPECT_FALSE(parameters_.values());
  fill(matrix_, 1);
  fill(vector_, 2);
  fill(row_, 3);
  EXPECT_THAT(reals(matrix_.value), Each(1.0)) << "they do not overlap";
  EXPECT_THAT(reals(vector_.value), Each(2.0));
}

TEST_F(ParametersTest, InitializationFollowsTheSeed) {
  parameters_.allocate(*backend_, false);
  const auto drawn = [&](std::uint64_t seed) {
    parameters_.initialize(seed);
    return reals(matrix_.value);
  };
  const std::vector<double> first = drawn(1);
  EXPECT_NE(drawn(2), first);
  EXPECT_EQ(drawn(1), first);
  EXPECT_THAT(reals(vector_.value), Each(1.0));
}

class MirrorTest : public ParametersTest {
 protected:
  MirrorTest() {
    backend_ = open_backend({.device = "cpu", .precision = "bf16"});
    parameters_.allocate(*backend_, true);
    parameters_.initialize(1);
  }

  /// The values of an entry as they are kept, rounded to bf16 where `round` says so.
  std::vector<double> masters(std::size_t entry, bool round) const {
    std::vector<double> values = reals(Parameters::span(parameters_.values(), parameters_.entries()[entry]));
    for (double& value : values)
      if (round) value = static_cast<float>(BFloat16(static_cast<float>(value)));
    return values;
  }

  void expect_mirrored() const {
    EXPECT_EQ(reals(matrix_.value), masters(0, true));
    EXPECT_NE(reals(matrix_.value), masters(0, false));
    EXPECT_EQ(reals(vector_.value), masters(1, false));
    EXPECT_EQ(reals(row_.value), masters(2, true));
  }
};

TEST_F(MirrorTest, MatricesAreReadRoundedAndVectorsAsTheyAreKept) {
  EXPECT_EQ(matrix_.value.dtype(), DType::bf16);
  EXPECT_EQ(vector_.value.dtype(), DType::f32);
  EXPECT_EQ(matrix_.gradient.dtype(), DType::f32);
  expect_mirrored();
}

TEST_F(MirrorTest, FollowsWhatIsWrittenToTheMasters) {
  const std::vector<double> before = reals(matrix_.value);
  std::vector<double> values = reals(parameters_.values());
  for (double& value : values) value /= 3;
  upload_reals(*backend_, parameters_.values(), values);
  parameters_.values_changed();
  EXPECT_NE(reals(matrix_.value), before);
  expect_mirrored();
}

TEST_F(MirrorTest, IsWrittenByAdam) {
  const std::vector<double> before = reals(matrix_.value);
  upload_reals(*backend_, parameters_.gradients(),
               std::vector<double>(static_cast<std::size_t>(parameters_.gradients().size()), 1));
  DeviceFigures figures(*backend_, 1);
  figures.begin(1);
  AdamOptimizer(parameters_, {}).update(figures, 1, {0.1, 0.1});
  EXPECT_NE(reals(matrix_.value), before);
  expect_mirrored();
}

TEST_F(MirrorTest, FreezingLeavesWhatInferenceReads) {
  const std::vector<double> vector = reals(vector_.value), row = reals(row_.value);
  parameters_.freeze();
  EXPECT_FALSE(parameters_.values());
  EXPECT_EQ(reals(vector_.value), vector);
  EXPECT_EQ(vector_.value.dtype(), DType::f32);
  EXPECT_EQ(reals(row_.value), row) << "the rows of tables are looked up";
}

TEST_F(MirrorTest, InferenceReadsTheSameWithoutMasters) {
  const std::vector<double> matrix = reals(matrix_.value), vector = reals(vector_.value);
  Parameters lean;
  const Parameter& lean_matrix = lean.add("matrix", 3, 5, Initializer::glorot);
  const Parameter& lean_vector = lean.add("vector", 0, 70, Initializer::ones);
  lean.allocate(*backend_, false);
  lean.initialize(1);
  EXPECT_EQ(lean_matrix.value.dtype(), DType::bf16);
  EXPECT_EQ(lean_vector.value.dtype(), DType::f32);
  EXPECT_EQ(reals(lean_matrix.value), matrix);
  EXPECT_EQ(reals(lean_vector.value), vector);
}

TEST_F(ParametersTest, NeedNoMirrorOfTheSameType) {
  parameters_.allocate(*backend_, true);
  EXPECT_FALSE(parameters_.mirror());
}

class LoadTest : public ParametersTest {
 protected:
  LoadTest() { parameters_.allocate(*backend_, false); }

  template <class T>
  static FileTensor view(const std::string& name, const std::vector<T>& values,
                         std::vector<std::int64_t> shape) {
    return {name, dtype_of<T>, std::move(shape), reinterpret_cast<const std::byte*>(values.data())};
  }

  /// Loads a file of these tensors; returns the complaint, "" when there is none.
  std::string load(const std::vector<FileTensor>& tensors) {
    write_model_file(folder_ / "m.safetensors", "model:\n", tensors);
    try {
      parameters_.load(ModelFile(folder_ / "m.safetensors"));
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
  parameters_.allocate(*backend_, true);
  const Tensor moment =
      allocate_tensor(*backend_, 1, parameters_.values().columns(), backend_->precision().master);
  FileTensor matrix = the_matrix_, vector = the_vector_, row = the_row_;
  for (FileTensor* tensor : {&matrix, &vector, &row}) tensor->name.insert(0, "moment.");
  write_model_file(folder_ / "m.safetensors", "model:\n", {matrix, vector, row, the_row_});
  const ModelFile file(folder_ / "m.safetensors");
  parameters_.load(file, "moment.", moment);
  EXPECT_THAT(reals(Parameters::span(moment, parameters_.entries()[2])), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(reals(row_.value), Each(0.0));
  EXPECT_THROW(parameters_.load(file, "other.", moment), Error);
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
              HasSubstr("a tensor 'extra'"));
}

TEST_F(LoadTest, AnotherType) {
  EXPECT_THAT(load({the_matrix_, the_vector_, view("row", integers_, {1, 4})}),
              HasSubstr("'row' is of type i32"));
}

/// With a file whose matrix is of integers: 2, 0.5 and 0 times the numbers of a row.
class QuantizedTest : public LoadTest {
 protected:
  /// Loads that file, or one in which tensors of the same name are replaced; "": left out.
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
    parameters_.allocate(*backend_, false);
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

TEST_F(QuantizedTest, TablesOfPositionsAreNot) {
  open_quantized();
  Parameters parameters;
  const Parameter& table = parameters.add("positions", 2, 3, Initializer::positions);
  parameters.allocate(*backend_, false);
  EXPECT_EQ(table.value.dtype(), DType::f64);
  EXPECT_FALSE(table.scale);
}

TEST_F(QuantizedTest, PartsOfAMatrixHaveTheirScales) {
  open_quantized();
  EXPECT_EQ(load_quantized(), "");
  matrix_.parts = 3;
  const Parameter part = matrix_.slice_parts(1, 2);
  EXPECT_THAT(elements<float>(part.scale), ElementsAre(0.5, 0));
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
  EXPECT_THAT(load_quantized({the_matrix_}), HasSubstr("a tensor 'matrix.scale'"));
}

TEST_F(QuantizedTest, VectorsAreNoIntegers) {
  const std::vector<std::int8_t> bytes(70);
  EXPECT_THAT(load_quantized({view("vector", bytes, {70})}), HasSubstr("'vector' is of type i8"));
}

TEST_F(QuantizedTest, RowsThatAreTooLongForIntegersAreRefused) {
  open_quantized();
  for (const std::int64_t columns : {133'144, 133'145}) {
    Parameters parameters;
    parameters.add("wide", 1, columns, Initializer::glorot);
    std::string complaint;
    try {
      parameters.allocate(*backend_, false);
    } catch (const Error& error) {
      complaint = error.what();
    }
    EXPECT_EQ(complaint.find("'wide' has rows of 133145 weights") != std::string::npos, columns == 133'145)
        << complaint;
  }
}

}  // namespace
}  // namespace nmt
