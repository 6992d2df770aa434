#include <array>
#include <cmath>

#include "backend/reference/reference.h"
#include "backend/reference/sigmoid.h"

namespace nmt {
namespace {

/// Returns the contribution of the input to a gate (0 without an input), plus the bias.
double input_of(const RecurrentStep& step, std::int64_t row, std::int64_t column) {
  return (step.x ? step.x.row<double>(row)[column] : 0) + (step.bias ? step.bias.row<double>(0)[column] : 0);
}

/// Stores the gradients of the contributions of the input and of the state to gate number `gate` of element
/// f.
void put_gradient(const RecurrentStepBackward& step, std::int64_t row, std::int64_t f, std::int64_t gate,
                  double d_x, double d_u) {
  const std::int64_t column = gate * step.d_previous.columns() + f;
  if (step.d_x) step.d_x.row<double>(row)[column] = d_x;
  step.d_u.row<double>(row)[column] = d_u;
  if (step.d_bias) step.d_bias.row<double>(0)[column] += d_x;
}

/// Element f of a row of a GRU.
struct GruElement {
  GruElement(const RecurrentStep& step, std::int64_t row, std::int64_t f) {
    const std::int64_t h = step.previous.columns();
    const double* u = step.u.row<double>(row);
    r = sigmoid(input_of(step, row, f) + u[f]);
    z = sigmoid(input_of(step, row, h + f) + u[h + f]);
    u_n = u[2 * h + f];
    n = std::tanh(input_of(step, row, 2 * h + f) + r * u_n);
    previous = step.previous.row<double>(row)[f];
  }
  double r, z, u_n, n, previous;
};

void differentiate_gru(const RecurrentStepBackward& step, std::int64_t row, std::int64_t f) {
  const auto [r, z, u_n, n, previous] = GruElement(step.forward, row, f);
  const double d_state = step.d_state.row<double>(row)[f];
  const double d_n = d_state * (1 - z) * (1 - n * n);
  const double d_z = d_state * (previous - n) * z * (1 - z);
  const double d_r = d_n * u_n * r * (1 - r);
  put_gradient(step, row, f, 0, d_r, d_r);
  put_gradient(step, row, f, 1, d_z, d_z);
  put_gradient(step, row, f, 2, d_n, d_n * r);
  step.d_previous.row<double>(row)[f] = d_state * z;
}

/// Element f of a row of an LSTM.
struct LstmElement {
  LstmElement(const RecurrentStep& step, std::int64_t row, std::int64_t f) {
    const std::int64_t h = step.previous.columns();
    const auto argument = [&](std::int64_t gate) {
      return input_of(step, row, gate * h + f) + step.u.row<double>(row)[gate * h + f];
    };
    i = sigmoid(argument(0));
    forget = sigmoid(argument(1));
    g = std::tanh(argument(2));
    o = sigmoid(argument(3));
    previous = step.previous.row<double>(row)[f];
    memory = forget * previous + i * g;
  }
  double i, forget, g, o, previous, memory;
};

void differentiate_lstm(const RecurrentStepBackward& step, std::int64_t row, std::int64_t f) {
  const auto [i, forget, g, o, previous, memory] = LstmElement(step.forward, row, f);
  const double d_state = step.d_state.row<double>(row)[f], tanh = std::tanh(memory);
  const double d_memory =
      d_state * o * (1 - tanh * tanh) + (step.d_memory ? step.d_memory.row<double>(row)[f] : 0);
  const std::array gradients{d_memory * g * i * (1 - i), d_memory * previous * forget * (1 - forget),
                             d_memory * i * (1 - g * g), d_state * tanh * o * (1 - o)};
  for (std::size_t gate = 0; gate < gradients.size(); ++gate)
    put_gradient(step, row, f, static_cast<std::int64_t>(gate), gradients[gate], gradients[gate]);
  step.d_previous.row<double>(row)[f] = d_memory * forget;
}

}  // namespace

void ReferenceBackend::run(const RecurrentStep& step) {
  for (std::int64_t row = 0; row < step.state.rows(); ++row)
    for (std::int64_t f = 0; f < step.state.columns(); ++f) {
      double& state = step.state.row<double>(row)[f];
      if (step.cell == RecurrentCell::gru) {
        const GruElement e(step, row, f);
        state = (1 - e.z) * e.n + e.z * e.previous;
      } else {
        const LstmElement e(step, row, f);
        step.memory.row<double>(row)[f] = e.memory;
        state = e.o * std::tanh(e.memory);
      }
    }
}

void ReferenceBackend::run(const RecurrentStepBackward& step) {
  const bool is_gru = step.forward.cell == RecurrentCell::gru;
  for (std::int64_t row = 0; row < step.d_previous.rows(); ++row)
    for (std::int64_t f = 0; f < step.d_previous.columns(); ++f)
      is_gru ? differentiate_gru(step, row, f) : differentiate_lstm(step, row, f);
}

void ReferenceBackend::run(const SequenceMean& mean) {
  for (std::int64_t s = 0; s < mean.sequences.count; ++s) {
    const std::int64_t begin = mean.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = mean.sequences.length.data<std::int32_t>()[s];
    for (std::int64_t f = 0; f < mean.y.columns(); ++f) {
      double sum = 0;
      for (std::int64_t i = 0; i < length; ++i) sum += mean.x.row<double>(begin + i)[f];
      mean.y.row<double>(s)[f] = length == 0 ? 0 : sum / static_cast<double>(length);
    }
  }
}

void ReferenceBackend::run(const SequenceMeanBackward& mean) {
  for (std::int64_t s = 0; s < mean.sequences.count; ++s) {
    const std::int64_t begin = mean.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = mean.sequences.length.data<std::int32_t>()[s];
    for (std::int64_t i = 0; i < length; ++i)
      for (std::int64_t f = 0; f < mean.dy.columns(); ++f)
        mean.dx.row<double>(begin + i)[f] = mean.dy.row<double>(s)[f] / static_cast<double>(length);
  }
}

void ReferenceBackend::run(const TanhOfSum& tanh) {
  for (std::int64_t row = 0; row < tanh.y.rows(); ++row)
    for (std::int64_t f = 0; f < tanh.y.columns(); ++f) {
      double sum = 0;
      for (const Tensor& x : tanh.x) sum += x.row<double>(row)[f];
      tanh.y.row<double>(row)[f] = std::tanh(sum);
    }
}

void ReferenceBackend::run(const TanhOfSumBackward& tanh) {
  for (std::int64_t row = 0; row < tanh.y.rows(); ++row)
    for (std::int64_t f = 0; f < tanh.y.columns(); ++f) {
      const double y = tanh.y.row<double>(row)[f];
      tanh.dx.row<double>(row)[f] = tanh.dy.row<double>(row)[f] * (1 - y * y);
    }
}

}  // namespace nmt
