#include <algorithm>
#include <functional>

#include "cuda_emulator/cudnn.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"

namespace simt {
namespace {

constexpr std::uintptr_t kSpaceAlignment = 256;  // that of cudaMalloc, whose memory all examples give

bool offers(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16;
}

bool offers(const RnnSettings& s) {
  return settings().layers && s.algorithm == CUDNN_RNN_ALGO_STANDARD &&
         (s.cell == CUDNN_GRU || s.cell == CUDNN_LSTM) &&
         (s.bias == CUDNN_RNN_NO_BIAS || s.bias == CUDNN_RNN_SINGLE_INP_BIAS) &&
         s.direction == CUDNN_UNIDIRECTIONAL && s.input == CUDNN_LINEAR_INPUT && offers(s.type) &&
         s.sums == CUDNN_DATA_FLOAT && s.projection == s.hidden && s.layers == 1 &&
         s.flags == CUDNN_RNN_PADDED_IO_DISABLED;
}

bool is_set(const RnnRequest& r) {
  return r.handle != nullptr && r.layer != nullptr && r.layer->set && r.x != nullptr &&
         !r.x->lengths.empty() && r.y != nullptr && !r.y->lengths.empty();
}

std::string fault_of_state(const cudnnTensorStruct* state, const RnnRequest& r) {
  const int sequences = static_cast<int>(r.x->lengths.size()), h = r.layer->hidden;
  if (state == nullptr || state->type != r.layer->type || state->shape != std::vector{1, sequences, h} ||
      state->strides != std::vector{sequences * h, h, 1})
    return "states are not described as 1 x sequences x hidden size without gaps, of the layer's type";
  return {};
}

bool overlap(const Buffer& a, const Buffer& b) {
  const auto *x = static_cast<const std::byte*>(a.data), *y = static_cast<const std::byte*>(b.data);
  return x != nullptr && y != nullptr && x < y + b.bytes && y < x + a.bytes;
}

}  // namespace

cudnnStatus_t refuse_call(const char* function, const std::string& why) {
  report(std::string(function) + ": " + why);
  return CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t verify(const RnnSettings& s, const char* function) {
  if (s.inputs < 1 || s.hidden < 1 || s.projection < 1 || s.layers < 1)
    return refuse_call(function, "sizes have to be at least 1, and a layer without a projection has its own");
  return offers(s) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t verify(const cudnnRNNDataStruct& rows, int longest, int sequences, const char* function) {
  if (sequences < 1 || rows.columns < 1) return refuse_call(function, "sizes have to be at least 1");
  const std::vector<int>& lengths = rows.lengths;
  if (lengths.back() < 1) return refuse_call(function, "a packed sequence without rows");
  if (!std::is_sorted(lengths.begin(), lengths.end(), std::greater<>()))
    return refuse_call(function, "packed sequences do not stand in falling order of their lengths");
  if (lengths.front() != longest) return refuse_call(function, "the longest sequence has another length");
  return offers(rows.type) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

RecurrentShape shape_of(const cudnnRNNStruct& layer, const cudnnRNNDataStruct& x) {
  const auto type = layer.type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF
                    : layer.type == CUDNN_DATA_HALF   ? CUDA_R_16F
                                                      : CUDA_R_32F;
  const int longest = x.lengths.empty() ? 0 : x.lengths[0];
  RecurrentShape shape{.is_lstm = layer.cell == CUDNN_LSTM,
                       .has_bias = layer.bias != CUDNN_RNN_NO_BIAS,
                       .type = type,
                       .inputs = layer.inputs,
                       .hidden = layer.hidden,
                       .batch_sizes = std::vector<int>(static_cast<std::size_t>(longest))};
  for (std::size_t t = 0; t < shape.batch_sizes.size(); ++t)
    shape.batch_sizes[t] = static_cast<int>(std::count_if(
        x.lengths.begin(), x.lengths.end(), [t](int length) { return length > static_cast<int>(t); }));
  return shape;
}

std::string fault(const RnnRequest& r) {
  if (!is_set(r)) return "a handle or a descriptor that was not set";
  if (r.x->lengths != r.y->lengths) return "x and y are not described as rows of the same sequences";
  if (r.x->columns != r.layer->inputs || r.y->columns != r.layer->hidden)
    return "rows are not described as wide as those of the layer";
  if (r.x->type != r.layer->type || r.y->type != r.layer->type)
    return "rows are not described as of the layer's type";
  const std::string of_state = fault_of_state(r.state, r);
  if (!of_state.empty() || r.layer->cell != CUDNN_LSTM) return of_state;
  return fault_of_state(r.memory_state, r);
}

std::string fault(const std::vector<Buffer>& buffers) {
  for (const Buffer& buffer : buffers) {
    const std::string name = buffer.name;
    if (buffer.data == nullptr && buffer.may_be_missing) continue;
    if (!is_allocated(buffer.data, buffer.bytes)) return name + " is not in device memory";
    for (const Buffer& other : buffers)
      if (buffer.is_written && &other != &buffer && overlap(buffer, other))
        return name + " overlaps " + other.name;
  }
  return {};
}

std::string fault(const std::vector<Space>& spaces) {
  for (const Space& space : spaces) {
    const std::string name = space.name;
    if (space.bytes < space.needed) return name + " is too small";
    if (!is_allocated(space.data, space.bytes)) return name + " is not in device memory";
    if (reinterpret_cast<std::uintptr_t>(space.data) % kSpaceAlignment != 0)
      return name + " is not a multiple of 256 bytes";
  }
  return {};
}

}  // namespace simt
