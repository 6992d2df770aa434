// The stand-in for cuDNN's recurrent layers: its formulas, for a layer that can be computed by hand, and
// reports of misuse. Tests of backends compare whole layers with the reference.
#include <cudnn.h>

#include <cmath>
#include <memory>

#include "cuda_emulator/cudnn_layer.h"
#include "cuda_emulator/testing.h"

namespace simt {
namespace {

using nmt::cuda::check;
using ::testing::HasSubstr;

constexpr int kInputs = 3, kHidden = 2;
const std::vector<int> kLengths = {3, 1};

/// The bytes of a buffer, which may be larger than necessary.
using Bytes = DeviceVector<std::byte>;

/// A GRU over two sequences of four rows in which all numbers are 0.5, with all arguments of its calls. Each
/// test changes one thing.
class Cudnn : public EmulatorTest {
 protected:
  Cudnn() {
    cudnnCreate(&handle_);
    cudnnSetStream(handle_, stream());
    cudnnCreateRNNDescriptor(&layer_);
    cudnnCreateRNNDataDescriptor(&x_rows_);
    cudnnCreateRNNDataDescriptor(&y_rows_);
    cudnnCreateTensorDescriptor(&state_shape_);
    EXPECT_EQ(set_layer(CUDNN_GRU, kInputs, kHidden), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(set_rows(x_rows_, kLengths, kInputs), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(set_rows(y_rows_, kLengths, kHidden), CUDNN_STATUS_SUCCESS);
    set_states({1, 2, kHidden}, {2 * kHidden, kHidden, 1});
  }
  ~Cudnn() override {
    cudnnDestroyTensorDescriptor(state_shape_);
    cudnnDestroyRNNDataDescriptor(y_rows_);
    cudnnDestroyRNNDataDescriptor(x_rows_);
    cudnnDestroyRNNDescriptor(layer_);
    cudnnDestroy(handle_);
  }

  cudnnStatus_t set_layer(cudnnRNNMode_t cell, int inputs, int hidden,
                          cudnnDataType_t sums = CUDNN_DATA_FLOAT) {
    return cudnnSetRNNDescriptor_v8(layer_, CUDNN_RNN_ALGO_STANDARD, cell, CUDNN_RNN_SINGLE_INP_BIAS,
                                    CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, sums,
                                    CUDNN_FMA_MATH, inputs, hidden, hidden, 1, nullptr, 0);
  }
  static cudnnStatus_t set_rows(cudnnRNNDataDescriptor_t rows, const std::vector<int>& lengths, int columns,
                                int longest = 3) {
    return cudnnSetRNNDataDescriptor(rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, longest,
                                     static_cast<int>(lengths.size()), columns, lengths.data(), nullptr);
  }
  void set_states(const std::vector<int>& shape, const std::vector<int>& strides) {
    cudnnSetTensorNdDescriptor(state_shape_, CUDNN_DATA_FLOAT, static_cast<int>(shape.size()), shape.data(),
                               strides.data());
  }

  cudnnStatus_t forward(const float* x, float* y, std::size_t work_bytes) {
    return cudnnRNNForward(handle_, layer_, CUDNN_FWD_MODE_TRAINING, nullptr, x_rows_, x, y_rows_, y,
                           state_shape_, state_.data(), nullptr, nullptr, nullptr, nullptr, weight_bytes(),
                           weights_.data(), work_bytes, workspace_.data(), reserve_bytes(), reserve_.data());
  }
  cudnnStatus_t forward() { return forward(x_.data(), y_.data(), workspace_bytes()); }
  cudnnStatus_t backward_data() {
    return cudnnRNNBackwardData_v8(handle_, layer_, nullptr, y_rows_, y_.data(), d_y_.data(), x_rows_,
                                   d_x_.data(), state_shape_, state_.data(), nullptr, d_state_.data(),
                                   nullptr, nullptr, nullptr, nullptr, weight_bytes(), weights_.data(),
                                   workspace_bytes(), workspace_.data(), reserve_bytes(), reserve_.data());
  }
  cudnnStatus_t backward_weights(cudnnWgradMode_t mode = CUDNN_WGRAD_MODE_ADD) {
    return cudnnRNNBackwardWeights_v8(handle_, layer_, mode, nullptr, x_rows_, x_.data(), state_shape_,
                                      state_.data(), y_rows_, y_.data(), weight_bytes(), d_weights_.data(),
                                      workspace_bytes(), workspace_.data(), reserve_bytes(), reserve_.data());
  }
  /// Returns the findings after all pending work.
  std::string found() {
    static_cast<void>(synchronize());
    return findings();
  }

  std::size_t weight_bytes() const {
    std::size_t bytes = 0;
    cudnnGetRNNWeightSpaceSize(handle_, layer_, &bytes);
    return bytes;
  }
  std::size_t workspace_bytes() const { return temporary_bytes().first; }
  std::size_t reserve_bytes() const { return temporary_bytes().second; }

  static std::vector<float> halves(std::size_t count) { return std::vector<float>(count, 0.5f); }

  cudnnHandle_t handle_ = nullptr;
  cudnnRNNDescriptor_t layer_ = nullptr;
  cudnnRNNDataDescriptor_t x_rows_ = nullptr, y_rows_ = nullptr;
  cudnnTensorDescriptor_t state_shape_ = nullptr;
  DeviceVector<float> x_{halves(4 * kInputs)}, y_{4 * kHidden}, state_{halves(2 * kHidden)},
      weights_{halves(1024)}, d_y_{halves(4 * kHidden)}, d_x_{4 * kInputs}, d_state_{2 * kHidden},
      d_weights_{halves(1024)};
  Bytes workspace_{1024}, reserve_{4096};

 private:
  std::pair<std::size_t, std::size_t> temporary_bytes() const {
    std::size_t workspace = 0, reserve = 0;
    cudnnGetRNNTempSpaceSizes(handle_, layer_, CUDNN_FWD_MODE_TRAINING, x_rows_, &workspace, &reserve);
    return {workspace, reserve};
  }
};

TEST_F(Cudnn, ComputesAGru) {
  ASSERT_EQ(forward(), CUDNN_STATUS_SUCCESS);
  const auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
  std::vector<float> expected;
  float h = 0.5f;
  for (int t = 0; t < 3; ++t) {
    const float input = 0.25f * kInputs + 0.5f, state = 0.5f * h * kHidden;
    const float gate = sigmoid(input + state), n = std::tanh(input + gate * state);
    h = (1 - gate) * n + gate * h;
    expected.insert(expected.end(), t == 0 ? 4 : 2, h);  // two sequences in the first step, one after it
  }
  EXPECT_THAT(y_.read(), ::testing::Pointwise(::testing::FloatNear(1e-6f), expected));
}

TEST_F(Cudnn, AddsToGradientsOfWeights) {
  ASSERT_EQ(forward(), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(backward_data(), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(backward_weights(), CUDNN_STATUS_SUCCESS);
  const std::vector<float> once = d_weights_.read();
  ASSERT_EQ(backward_weights(), CUDNN_STATUS_SUCCESS);
  const std::vector<float> twice = d_weights_.read();
  EXPECT_NE(once[0], 0.5f);
  EXPECT_NEAR(twice[0] - once[0], once[0] - 0.5f, 1e-6f);
}

TEST_F(Cudnn, HasAPlaceForEachParameter) {
  cudnnTensorDescriptor_t shape = nullptr, bias_shape = nullptr;
  cudnnCreateTensorDescriptor(&shape);
  cudnnCreateTensorDescriptor(&bias_shape);
  void *matrix = nullptr, *bias = nullptr;
  const auto place = [&](int id) {
    return cudnnGetRNNWeightParams(handle_, layer_, 0, weight_bytes(), weights_.data(), id, shape, &matrix,
                                   bias_shape, &bias);
  };
  EXPECT_EQ(place(0), CUDNN_STATUS_SUCCESS);
  EXPECT_NE(bias, nullptr) << "the bias of the input";
  EXPECT_EQ(place(5), CUDNN_STATUS_SUCCESS);
  EXPECT_NE(matrix, nullptr);
  EXPECT_EQ(bias, nullptr) << "the state has none";
  EXPECT_EQ(place(6), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("no such product"));
  cudnnDestroyTensorDescriptor(shape);
  cudnnDestroyTensorDescriptor(bias_shape);
}

TEST_F(Cudnn, RefusesWhatItDoesNotOffer) {
  EXPECT_EQ(set_layer(CUDNN_RNN_RELU, kInputs, kHidden), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(set_layer(CUDNN_GRU, kInputs, kHidden, CUDNN_DATA_HALF), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(backward_weights(CUDNN_WGRAD_MODE_SET), CUDNN_STATUS_NOT_SUPPORTED);
  settings().layers = false;
  EXPECT_EQ(set_layer(CUDNN_GRU, kInputs, kHidden), CUDNN_STATUS_NOT_SUPPORTED);
}

// The answer of the library itself.
TEST_F(Cudnn, SequencesHaveRowsAndStandInFallingOrder) {
  EXPECT_EQ(set_rows(x_rows_, {1, 3}, kInputs), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("falling order"));
  EXPECT_EQ(set_rows(x_rows_, {3, 0}, kInputs), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("without rows"));
  EXPECT_EQ(set_rows(x_rows_, {2, 1}, kInputs), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("another length"));
  EXPECT_EQ(set_rows(x_rows_, {}, kInputs), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("at least 1"));
  EXPECT_EQ(set_layer(CUDNN_GRU, kInputs, 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("at least 1"));
}

TEST_F(Cudnn, DescriptorsFitTogether) {
  set_rows(y_rows_, {3, 2}, kHidden);
  EXPECT_EQ(forward(), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("the same sequences"));
  set_rows(y_rows_, kLengths, kHidden + 1);
  EXPECT_EQ(forward(), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("as wide as"));
  set_rows(y_rows_, kLengths, kHidden);
  set_states({1, 1, kHidden}, {kHidden, kHidden, 1});
  EXPECT_EQ(forward(), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("states are not described"));
}

TEST_F(Cudnn, BuffersAndSpacesAreWhereTheyShouldBe) {
  const std::vector<float> host(4 * kInputs);
  EXPECT_EQ(forward(host.data(), y_.data(), workspace_bytes()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("x is not in device memory"));
  EXPECT_EQ(forward(x_.data(), x_.data(), workspace_bytes()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("y overlaps x"));
  EXPECT_EQ(forward(x_.data(), y_.data(), workspace_bytes() - 1), CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("the workspace is too small"));
  const cudnnStatus_t status = cudnnRNNForward(
      handle_, layer_, CUDNN_FWD_MODE_TRAINING, nullptr, x_rows_, x_.data(), y_rows_, y_.data(), state_shape_,
      nullptr, nullptr, nullptr, nullptr, nullptr, weight_bytes(), weights_.data() + 1, workspace_bytes(),
      workspace_.data(), reserve_bytes(), reserve_.data());
  EXPECT_EQ(status, CUDNN_STATUS_BAD_PARAM);
  EXPECT_THAT(findings(), HasSubstr("the weight space is not a multiple of 256 bytes"));
}

TEST_F(Cudnn, CallsComeInTheirOrder) {
  forward();
  backward_weights();
  EXPECT_THAT(found(), HasSubstr("the reserve space is not that of the call before"));
  forward();
  backward_data();
  backward_data();
  EXPECT_THAT(found(), HasSubstr("the reserve space is not that of the call before"));
}

TEST_F(Cudnn, NothingChangesBetweenCalls) {
  forward();
  check(synchronize());
  check(cudaMemset(reserve_.data() + reserve_bytes() - 1, 1, 1));
  backward_data();
  EXPECT_THAT(found(), HasSubstr("the reserve space has changed"));
  forward();
  check(synchronize());
  check(cudaMemset(weights_.data(), 0, weight_bytes()));
  backward_data();
  EXPECT_THAT(found(), HasSubstr("the weight space has changed since cudnnRNNForward"));
  forward();
  backward_data();
  check(synchronize());
  check(cudaMemset(x_.data(), 0, 4));
  backward_weights();
  EXPECT_THAT(found(), HasSubstr("x has changed since cudnnRNNForward"));
}

TEST_F(Cudnn, WeightsThatNobodyWrote) {
  SIMT_NEEDS_CHECKS();
  const DeviceVector<float> unwritten(1024);
  cudnnRNNForward(handle_, layer_, CUDNN_FWD_MODE_TRAINING, nullptr, x_rows_, x_.data(), y_rows_, y_.data(),
                  state_shape_, nullptr, nullptr, nullptr, nullptr, nullptr, weight_bytes(), unwritten.data(),
                  workspace_bytes(), workspace_.data(), reserve_bytes(), reserve_.data());
  EXPECT_THAT(found(), HasSubstr("cudnnRNNForward reads what nobody wrote"));
}

}  // namespace
}  // namespace simt
