#include "cuda_emulator/cudnn_layer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "cuda_emulator/cudnn_reserve.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

constexpr std::size_t kPartAlignment = 64;

/// Rows of numbers in contiguous memory.
struct Rows {
  Rows(int count, int width)
      : columns(width), values(static_cast<std::size_t>(count) * static_cast<std::size_t>(width)) {}
  float* row(int i) { return values.data() + static_cast<std::ptrdiff_t>(i) * columns; }
  const float* row(int i) const { return values.data() + static_cast<std::ptrdiff_t>(i) * columns; }

  int columns;
  std::vector<float> values;
};

/// Returns the data at a device address; zeros for a null address.
Rows load(const void* data, cudaDataType type, int count, int columns, const char* who) {
  Rows rows(count, columns);
  if (data == nullptr) return rows;
  reads(data, rows.values.size() * size_of(type), who);
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    rows.values[i] = read_element(data, type, static_cast<std::int64_t>(i));
  return rows;
}

void store(void* data, cudaDataType type, const Rows& rows, const char* who) {
  if (data == nullptr) return;
  wrote(data, rows.values.size() * size_of(type), who);
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    write_element(data, type, static_cast<std::int64_t>(i), rows.values[i]);
}

float rounded(cudaDataType type, float x) {
  float stored = 0;
  write_element(&stored, type, 0, x);
  return read_element(&stored, type, 0);
}

/// Returns the value with which the real library may leave its workspace.
void spoil(void* workspace, const RecurrentShape& shape, const char* who) {
  wrote(workspace, workspace_bytes(shape), who);
  std::memset(workspace, kPoison, workspace_bytes(shape));
}

/// For each gate, the matrices of the input and of the state, and the bias.
struct Weights {
  std::vector<Rows> input, recurrent, bias;
};

/// Calls f(rows of a parameter, its address in the space, its numbers of rows and columns) for each
/// parameter.
template <class F>
void for_each_parameter(const RecurrentShape& shape, const void* space, const F& f) {
  const WeightSpace places(shape);
  auto* const begin = const_cast<std::byte*>(static_cast<const std::byte*>(space));
  for (int gate = 0; gate < shape.gates(); ++gate) {
    f(&Weights::input, gate, begin + places.matrix(gate), shape.hidden, shape.inputs);
    f(&Weights::recurrent, gate, begin + places.matrix(shape.gates() + gate), shape.hidden, shape.hidden);
    f(&Weights::bias, gate, shape.has_bias ? begin + places.bias(gate) : nullptr, 1, shape.hidden);
  }
}

Weights load_weights(const RecurrentShape& shape, const void* space, const char* who) {
  Weights weights;
  for_each_parameter(shape, space, [&](auto kind, int, const void* data, int count, int columns) {
    (weights.*kind).push_back(load(data, shape.type, count, columns, who));
  });
  return weights;
}

void store_weights(const RecurrentShape& shape, void* space, const Weights& weights, const char* who) {
  for_each_parameter(shape, space, [&](auto kind, int gate, void* data, int, int) {
    store(data, shape.type, (weights.*kind)[static_cast<std::size_t>(gate)], who);
  });
}

std::uint64_t checksum(const Weights& weights) {
  std::uint64_t sum = 0;
  for (const auto kind : {&Weights::input, &Weights::recurrent, &Weights::bias})
    for (const Rows& rows : weights.*kind)
      sum = sum * 31 + simt::checksum(rows.values.data(), rows.values.size() * sizeof(float));
  return sum;
}

/// The rows of a step, and where those of the previous step begin; -1 for the first step.
struct Step {
  int begin = 0, count = 0, before = -1;
};

std::vector<Step> steps_of(const RecurrentShape& shape) {
  std::vector<Step> steps;
  int begin = 0, before = -1;
  for (const int count : shape.batch_sizes) {
    steps.push_back({begin, count, before});
    before = std::exchange(begin, begin + count);
  }
  return steps;
}

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

float dot(const float* x, const float* y, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

/// y += factor x
void add(float* y, float factor, const float* x, int count) {
  for (int i = 0; i < count; ++i) y[i] += factor * x[i];
}

/// Computes elements of single rows.
struct Cell {
  const RecurrentShape& shape;
  const Weights& weights;
  Reserve& reserve;

  /// The contributions of the input and of the state to a gate.
  float input(int gate, int f, const float* x) const {
    const auto g = static_cast<std::size_t>(gate);
    return dot(weights.input[g].row(f), x, shape.inputs) + weights.bias[g].row(0)[f];
  }
  float recurrent(int gate, int f, const float* h) const {
    return dot(weights.recurrent[static_cast<std::size_t>(gate)].row(f), h, shape.hidden);
  }

  float gru(int row, int f, const float* x, const float* h) const {
    const float r = sigmoid(input(0, f, x) + recurrent(0, f, h)),
                i = sigmoid(input(1, f, x) + recurrent(1, f, h)), u = recurrent(2, f, h),
                n = std::tanh(input(2, f, x) + r * u);
    keep(row, f, {r, i, n, u});
    return (1 - i) * n + i * h[f];
  }
  float lstm(int row, int f, const float* x, const float* h, float& c) const {
    const float i = sigmoid(input(0, f, x) + recurrent(0, f, h)),
                forget = sigmoid(input(1, f, x) + recurrent(1, f, h)),
                g = std::tanh(input(2, f, x) + recurrent(2, f, h)),
                o = sigmoid(input(3, f, x) + recurrent(3, f, h));
    c = forget * c + i * g;
    keep(row, f, {i, forget, g, o, c});
    return o * std::tanh(c);
  }

  /// Stores the gradients of the inputs of gates; returns the gradient of the previous state without the part
  /// that comes through them.
  float gru_gradient(int row, int f, float before, float dh) const {
    const float r = reserve.gate(row, 0, f), i = reserve.gate(row, 1, f), n = reserve.gate(row, 2, f),
                u = reserve.gate(row, 3, f), dn = dh * (1 - i) * (1 - n * n);
    keep_gradients(row, f, {dn * u * r * (1 - r), dh * (before - n) * i * (1 - i), dn, dn * r});
    return dh * i;
  }
  /// Returns the gradient of the previous cell state in the same way.
  float lstm_gradient(int row, int f, float before, float dh, float dc) const {
    const float i = reserve.gate(row, 0, f), forget = reserve.gate(row, 1, f), g = reserve.gate(row, 2, f),
                o = reserve.gate(row, 3, f), tanh = std::tanh(reserve.gate(row, 4, f)),
                d = dc + dh * o * (1 - tanh * tanh);
    keep_gradients(row, f,
                   {d * g * i * (1 - i), d * before * forget * (1 - forget), d * i * (1 - g * g),
                    dh * tanh * o * (1 - o)});
    return d * forget;
  }
  /// Adds W^T (...) to dx and R^T (...) to dh for a row.
  void add_to_inputs(int row, float* dx, float* dh) const {
    for (int gate = 0; gate < shape.gates(); ++gate) {
      const auto g = static_cast<std::size_t>(gate);
      for (int f = 0; f < shape.hidden; ++f) {
        add(dx, reserve.gradient(row, gate, f), weights.input[g].row(f), shape.inputs);
        add(dh, reserve.recurrent_gradient(row, gate, f), weights.recurrent[g].row(f), shape.hidden);
      }
    }
  }

 private:
  void keep(int row, int f, const std::vector<float>& gates) const {
    for (std::size_t gate = 0; gate < gates.size(); ++gate)
      reserve.gate(row, static_cast<int>(gate), f) = gates[gate];
  }
  void keep_gradients(int row, int f, const std::vector<float>& gradients) const {
    for (std::size_t gate = 0; gate < gradients.size(); ++gate)
      reserve.gradient(row, static_cast<int>(gate), f) = gradients[gate];
  }
};

/// Computes the gradients of a step: of its input and, in place, of the states after it, which become those
/// of the states before it.
struct StepGradients {
  const Rows &y, &dy, &hx, &cx;
  Rows &dx, &dh, &dc;

  void compute(const Cell& cell, const Step& step, int i) {
    const int row = step.begin + i, before = step.before + i;
    const bool is_first = step.before < 0;
    std::vector<float> to_before(static_cast<std::size_t>(cell.shape.hidden));
    for (int f = 0; f < cell.shape.hidden; ++f) {
      const float d = dh.row(i)[f] + dy.row(row)[f];
      if (cell.shape.is_lstm) {
        const float c = is_first ? cx.row(i)[f] : cell.reserve.gate(before, 4, f);
        dc.row(i)[f] = cell.lstm_gradient(row, f, c, d, dc.row(i)[f]);
      } else {
        const float h = is_first ? hx.row(i)[f] : y.row(before)[f];
        to_before[static_cast<std::size_t>(f)] = cell.gru_gradient(row, f, h, d);
      }
    }
    cell.add_to_inputs(row, dx.row(row), to_before.data());
    std::copy(to_before.begin(), to_before.end(), dh.row(i));
  }
};

/// Returns false, and reports a finding, if data of the forward call has changed.
bool is_same(std::uint64_t before, std::uint64_t now, const char* what, const char* who) {
  if (before != now) report(std::string(who) + ": " + what + " has changed since cudnnRNNForward");
  return before == now;
}

}  // namespace

int RecurrentShape::rows() const {
  return std::accumulate(batch_sizes.begin(), batch_sizes.end(), 0);
}

std::size_t RecurrentShape::bytes_of(int row_count, int columns) const {
  return static_cast<std::size_t>(row_count) * static_cast<std::size_t>(columns) * size_of(type);
}

WeightSpace::WeightSpace(const RecurrentShape& shape) {
  const auto gates = static_cast<std::size_t>(shape.gates());
  for (std::size_t gate = gates; shape.has_bias && gate-- > 0;)
    biases_[gate] = take(shape.bytes_of(1, shape.hidden));
  for (std::size_t id = 2 * gates; id-- > 0;)
    matrices_[id] = take(shape.bytes_of(shape.hidden, id < gates ? shape.inputs : shape.hidden));
}

std::size_t WeightSpace::take(std::size_t bytes) {
  return std::exchange(bytes_, bytes_ + (bytes + kPartAlignment - 1) / kPartAlignment * kPartAlignment);
}

std::size_t workspace_bytes(const RecurrentShape& shape) {
  return shape.bytes_of(shape.rows(), shape.gates() * shape.hidden);
}

void run(const LayerForward& call) {
  const RecurrentShape& s = call.shape;
  const char* who = "cudnnRNNForward";
  const Rows x = load(call.x, s.type, s.rows(), s.inputs, who);
  Rows h = load(call.hx, s.type, s.sequences(), s.hidden, who),
       c = load(call.cx, s.type, s.sequences(), s.hidden, who), y(s.rows(), s.hidden);
  const Weights weights = load_weights(s, call.weights, who);
  Reserve reserve(s);
  const Cell cell{s, weights, reserve};
  for (const Step& step : steps_of(s)) {
    for (int i = 0; i < step.count; ++i) {
      const int row = step.begin + i;
      for (int f = 0; f < s.hidden; ++f) {
        y.row(row)[f] = rounded(s.type, s.is_lstm ? cell.lstm(row, f, x.row(row), h.row(i), c.row(i)[f])
                                                  : cell.gru(row, f, x.row(row), h.row(i)));
      }
      std::copy_n(y.row(row), s.hidden, h.row(i));
    }
  }
  spoil(call.workspace, s, who);
  store(call.y, s.type, y, who);
  store(call.hy, s.type, h, who);
  store(call.cy, s.type, c, who);
  if (!call.training) return;
  const std::size_t states = s.bytes_of(s.sequences(), s.hidden);
  reserve.header.x = checksum(call.x, s.bytes_of(s.rows(), s.inputs));
  reserve.header.y = checksum(call.y, s.bytes_of(s.rows(), s.hidden));
  reserve.header.hx = checksum(call.hx, states);
  reserve.header.cx = checksum(call.cx, states);
  reserve.header.weights = checksum(weights);
  reserve.store(call.reserve, who);
}

void run(const LayerBackwardData& call) {
  const RecurrentShape& s = call.shape;
  const char* who = "cudnnRNNBackwardData_v8";
  const auto load_states = [&](const void* data) { return load(data, s.type, s.sequences(), s.hidden, who); };
  const Rows y = load(call.y, s.type, s.rows(), s.hidden, who),
             dy = load(call.dy, s.type, s.rows(), s.hidden, who), hx = load_states(call.hx),
             cx = load_states(call.cx);
  Rows dx(s.rows(), s.inputs), dh = load_states(call.dhy), dc = load_states(call.dcy);
  const Weights weights = load_weights(s, call.weights, who);
  Reserve reserve(s);
  const std::size_t states = s.bytes_of(s.sequences(), s.hidden);
  if (!reserve.load(call.reserve, ReserveHeader::Stage::forward, who) ||
      !is_same(reserve.header.y, checksum(call.y, s.bytes_of(s.rows(), s.hidden)), "y", who) ||
      !is_same(reserve.header.hx, checksum(call.hx, states), "hx", who) ||
      !is_same(reserve.header.cx, checksum(call.cx, states), "cx", who) ||
      !is_same(reserve.header.weights, checksum(weights), "the weight space", who))
    return;

  const Cell cell{s, weights, reserve};
  StepGradients gradients{y, dy, hx, cx, dx, dh, dc};
  const std::vector<Step> steps = steps_of(s);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    for (int i = 0; i < step->count; ++i) gradients.compute(cell, *step, i);
  spoil(call.workspace, s, who);
  store(call.dx, s.type, dx, who);
  store(call.dhx, s.type, dh, who);
  store(call.dcx, s.type, dc, who);
  reserve.header.stage = ReserveHeader::Stage::backward_data;
  reserve.store(call.reserve, who);
}

void run(const LayerBackwardWeights& call) {
  const RecurrentShape& s = call.shape;
  const char* who = "cudnnRNNBackwardWeights_v8";
  const Rows x = load(call.x, s.type, s.rows(), s.inputs, who),
             y = load(call.y, s.type, s.rows(), s.hidden, who),
             hx = load(call.hx, s.type, s.sequences(), s.hidden, who);
  Reserve reserve(s);
  if (!reserve.load(call.reserve, ReserveHeader::Stage::backward_data, who) ||
      !is_same(reserve.header.x, checksum(call.x, s.bytes_of(s.rows(), s.inputs)), "x", who) ||
      !is_same(reserve.header.y, checksum(call.y, s.bytes_of(s.rows(), s.hidden)), "y", who) ||
      !is_same(reserve.header.hx, checksum(call.hx, s.bytes_of(s.sequences(), s.hidden)), "hx", who))
    return;

  Weights sums = load_weights(s, call.d_weights, who);
  for (const Step& step : steps_of(s)) {
    for (int i = 0; i < step.count; ++i) {
      const int row = step.begin + i;
      const float* h = step.before < 0 ? hx.row(i) : y.row(step.before + i);
      for (int gate = 0; gate < s.gates(); ++gate) {
        const auto g = static_cast<std::size_t>(gate);
        for (int f = 0; f < s.hidden; ++f) {
          add(sums.input[g].row(f), reserve.gradient(row, gate, f), x.row(row), s.inputs);
          add(sums.recurrent[g].row(f), reserve.recurrent_gradient(row, gate, f), h, s.hidden);
          sums.bias[g].row(0)[f] += reserve.gradient(row, gate, f);
        }
      }
    }
  }
  spoil(call.workspace, s, who);
  store_weights(s, call.d_weights, sums, who);
}

}  // namespace simt
