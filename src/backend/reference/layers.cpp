#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "backend/reference/dropout.h"
#include "backend/reference/product.h"
#include "backend/reference/reference.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

/// Returns scale * table[id]; the zero vector for -1.
std::vector<double> scaled_word(const Embedding& embedding, std::int32_t id) {
  std::vector<double> word(static_cast<std::size_t>(embedding.table.columns()));
  if (id < 0) return word;
  const bool quantized = embedding.table.dtype() == DType::i8;
  const double scale = embedding.scale * (quantized ? embedding.table_scale.row<float>(0)[id] : 1);
  for (std::int64_t f = 0; f < std::ssize(word); ++f)
    word[static_cast<std::size_t>(f)] =
        scale * (quantized ? embedding.table.row<std::int8_t>(id)[f] : embedding.table.row<double>(id)[f]);
  return word;
}

constexpr double kSqrtTwoByPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
constexpr double kCubic = 0.044715, kRate = 1.702;  // of the approximations of gelu

double activate(Activation activation, double z) {
  switch (activation) {
    case Activation::none:
      return z;
    case Activation::relu:
      return z > 0 ? z : 0;
    case Activation::gelu:
      return z / 2 * (1 + std::erf(z / std::numbers::sqrt2));
    case Activation::gelu_tanh:
      return z / 2 * (1 + std::tanh(kSqrtTwoByPi * (z + kCubic * z * z * z)));
    case Activation::gelu_sigmoid:
      return z * sigmoid(kRate * z);
    case Activation::swish:
      return z * sigmoid(z);
  }
  return z;
}

/// Returns d/dz z Phi(z) = Phi(z) + z phi(z), where Phi and phi are the distribution and the density of the
/// normal distribution.
double gelu_slope(double z) {
  const double distribution = (1 + std::erf(z / std::numbers::sqrt2)) / 2;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return distribution + z * density;
}

double gelu_tanh_slope(double z) {
  const double tanh = std::tanh(kSqrtTwoByPi * (z + kCubic * z * z * z));
  return (1 + tanh) / 2 + z / 2 * (1 - tanh * tanh) * kSqrtTwoByPi * (1 + 3 * kCubic * z * z);
}

/// Returns d/dz z sigmoid(rate z).
double sigmoid_slope(double rate, double z) {
  const double gate = sigmoid(rate * z);
  return gate + rate * z * gate * (1 - gate);
}

double slope(const LinearBackward& linear, std::int64_t row, std::int64_t o) {
  const double z = linear.pre_activation ? linear.pre_activation.row<double>(row)[o] : 0;
  switch (linear.activation) {
    case Activation::none:
      return 1;
    case Activation::relu:
      return linear.y.row<double>(row)[o] > 0 ? 1 : 0;
    case Activation::gelu:
      return gelu_slope(z);
    case Activation::gelu_tanh:
      return gelu_tanh_slope(z);
    case Activation::gelu_sigmoid:
      return sigmoid_slope(kRate, z);
    case Activation::swish:
      return sigmoid_slope(1, z);
  }
  return 1;
}

/// Computes dx = or += dz weight.
void input_gradient(const LinearBackward& linear) {
  for (std::int64_t r = 0; r < linear.dx.rows(); ++r)
    for (std::int64_t i = 0; i < linear.dx.columns(); ++i) {
      double sum = 0;
      for (std::int64_t o = 0; o < linear.weight.rows(); ++o)
        sum += linear.dy.row<double>(r)[o] * linear.weight.row<double>(o)[i];
      double& dx = linear.dx.row<double>(r)[i];
      dx = linear.accumulate_dx ? dx + sum : sum;
    }
}

/// Computes d_weight += dz^T x.
void weight_gradient(const LinearBackward& linear) {
  for (std::int64_t r = 0; r < linear.x.rows(); ++r)
    for (std::int64_t o = 0; o < linear.d_weight.rows(); ++o)
      for (std::int64_t i = 0; i < linear.d_weight.columns(); ++i)
        linear.d_weight.row<double>(o)[i] += linear.dy.row<double>(r)[o] * linear.x.row<double>(r)[i];
}

double mean_of(const double* x, std::int64_t d) {
  double sum = 0;
  for (std::int64_t f = 0; f < d; ++f) sum += x[f];
  return sum / static_cast<double>(d);
}

double variance_of(const double* x, double mean, std::int64_t d) {
  double sum = 0;
  for (std::int64_t f = 0; f < d; ++f) sum += (x[f] - mean) * (x[f] - mean);
  return sum / static_cast<double>(d);
}

}  // namespace

void ReferenceBackend::run(const Embedding& embedding) {
  const std::int64_t d = embedding.y.columns();
  for (std::int64_t r = 0; r < embedding.y.rows(); ++r) {
    const std::vector<double> word = scaled_word(embedding, embedding.ids.data<std::int32_t>()[r]);
    const double* position =
        embedding.position_table
            ? embedding.position_table.row<double>(embedding.positions.data<std::int32_t>()[r])
            : nullptr;
    const DropoutRow dropout(embedding.dropout, r);
    dropout.draw(mask_bytes(d), d);
    double* y = embedding.y.row<double>(r);
    for (std::int64_t f = 0; f < d; ++f)
      y[f] =
          dropout.factor(f) * (word[static_cast<std::size_t>(f)] + (position == nullptr ? 0 : position[f]));
  }
}

void ReferenceBackend::run(const EmbeddingBackward& embedding) {
  run(DropoutBackward{.dropout = embedding.dropout, .dy = embedding.dy, .dx = embedding.dy});
  const std::int64_t d = embedding.dy.columns();
  for (std::int64_t r = 0; r < embedding.dy.rows(); ++r) {
    const std::int32_t id = embedding.ids.data<std::int32_t>()[r];
    const double* dy = embedding.dy.row<double>(r);
    if (id >= 0)
      for (std::int64_t f = 0; f < d; ++f) embedding.d_table.row<double>(id)[f] += embedding.scale * dy[f];
    if (embedding.d_position_table) {
      double* d_position =
          embedding.d_position_table.row<double>(embedding.positions.data<std::int32_t>()[r]);
      for (std::int64_t f = 0; f < d; ++f) d_position[f] += dy[f];
    }
  }
}

void ReferenceBackend::run(const Linear& linear) {
  const std::int64_t out = linear.weight.rows();
  for (std::int64_t r = 0; r < linear.y.rows(); ++r) {
    const DropoutRow dropout(linear.dropout, r);
    dropout.draw(mask_bytes(out), out);
    const std::vector<double> products =
        multiply_row(linear.x.row<double>(r), linear.weight, linear.weight_scale);
    for (std::int64_t o = 0; o < out; ++o) {
      const double bias = linear.bias ? linear.bias.row<double>(0)[o] : 0;
      const double z = bias + products[static_cast<std::size_t>(o)];
      if (linear.pre_activation) linear.pre_activation.row<double>(r)[o] = z;
      linear.y.row<double>(r)[o] = dropout.factor(o) * activate(linear.activation, z);
    }
  }
}

void ReferenceBackend::run(const LinearBackward& linear) {
  // Replace dy by dz, the gradient of z = x weight^T + bias.
  for (std::int64_t r = 0; r < linear.dy.rows(); ++r) {
    const DropoutRow dropout(linear.dropout, r);
    for (std::int64_t o = 0; o < linear.dy.columns(); ++o)
      linear.dy.row<double>(r)[o] *= dropout.factor(o) * slope(linear, r, o);
  }
  if (linear.dx) input_gradient(linear);
  if (linear.d_weight) weight_gradient(linear);
  if (linear.d_bias)
    for (std::int64_t r = 0; r < linear.dy.rows(); ++r)
      for (std::int64_t o = 0; o < linear.dy.columns(); ++o)
        linear.d_bias.row<double>(0)[o] += linear.dy.row<double>(r)[o];
}

void ReferenceBackend::run(const FakeQuantize& quantize) {
  const std::int64_t columns = quantize.x.columns();
  std::vector<std::int8_t> q(static_cast<std::size_t>(columns));
  for (std::int64_t r = 0; r < quantize.x.rows(); ++r) {
    const double* x = quantize.x.row<double>(r);
    const std::vector<float> narrowed(x, x + columns);
    const float scale = quantize_row(narrowed.data(), columns, q.data());
    for (std::int64_t i = 0; i < columns; ++i)
      quantize.y.row<double>(r)[i] = scale * static_cast<float>(q[static_cast<std::size_t>(i)]);
  }
}

void ReferenceBackend::run(const ElementProduct& product) {
  for (std::int64_t r = 0; r < product.y.rows(); ++r)
    for (std::int64_t f = 0; f < product.y.columns(); ++f)
      product.y.row<double>(r)[f] = product.x.row<double>(r)[f] * product.z.row<double>(r)[f];
}

void ReferenceBackend::run(const ElementProductBackward& product) {
  for (std::int64_t r = 0; r < product.dy.rows(); ++r)
    for (std::int64_t f = 0; f < product.dy.columns(); ++f) {
      const double dy = product.dy.row<double>(r)[f];
      product.dx.row<double>(r)[f] = product.z.row<double>(r)[f] * dy;
      product.dz.row<double>(r)[f] = product.x.row<double>(r)[f] * dy;
    }
}

void ReferenceBackend::run(const AddNorm& norm) {
  const std::int64_t d = norm.x.columns();
  for (std::int64_t r = 0; r < norm.x.rows(); ++r) {
    const double* sum = norm.x.row<double>(r);
    if (norm.h) {
      const DropoutRow dropout(norm.dropout, r);
      dropout.draw(mask_bytes(d), d);
      for (std::int64_t f = 0; f < d; ++f)
        norm.sum.row<double>(r)[f] = norm.x.row<double>(r)[f] + dropout.factor(f) * norm.h.row<double>(r)[f];
      sum = norm.sum.row<double>(r);
    }
    if (!norm.gain) continue;
    const double mean = norm.kind == NormKind::rms ? 0 : mean_of(sum, d);
    const double inverse_std = 1 / std::sqrt(variance_of(sum, mean, d) + norm.epsilon);
    for (std::int64_t f = 0; f < d; ++f)
      norm.y.row<double>(r)[f] = norm.gain.row<double>(0)[f] * (sum[f] - mean) * inverse_std +
                                 (norm.bias ? norm.bias.row<double>(0)[f] : 0);
    if (norm.mean) norm.mean.row<double>(0)[r] = mean;
    if (norm.inverse_std) norm.inverse_std.row<double>(0)[r] = inverse_std;
  }
}

/// Computes the gradients. With n = (sum - mean) inverse_std and g = gain dy, the gradient of sum is
/// inverse_std (g - mean(g) - n mean(g n)). The term mean(g) comes from the mean of the row.
void ReferenceBackend::run(const AddNormBackward& norm) {
  const std::int64_t d = norm.sum.columns();
  for (std::int64_t r = 0; r < norm.sum.rows(); ++r) {
    const double* dy = norm.dy.row<double>(r);
    const double* gain = norm.gain.row<double>(0);
    const double inverse_std = norm.inverse_std.row<double>(0)[r];
    const auto normal = [&](std::int64_t f) {
      return (norm.sum.row<double>(r)[f] - norm.mean.row<double>(0)[r]) * inverse_std;
    };
    double mean_g = 0;
    double mean_gn = 0;
    for (std::int64_t f = 0; f < d; ++f) {
      mean_g += gain[f] * dy[f] / static_cast<double>(d);
      mean_gn += gain[f] * dy[f] * normal(f) / static_cast<double>(d);
      norm.d_gain.row<double>(0)[f] += dy[f] * normal(f);
      if (norm.d_bias) norm.d_bias.row<double>(0)[f] += dy[f];
    }
    if (norm.kind == NormKind::rms) mean_g = 0;
    for (std::int64_t f = 0; f < d; ++f) {
      const double gradient = inverse_std * (gain[f] * dy[f] - mean_g - normal(f) * mean_gn);
      double& d_sum = norm.d_sum.row<double>(r)[f];
      d_sum = norm.accumulate_d_sum ? d_sum + gradient : gradient;
    }
  }
  // sum = x + dropout(h), so the gradient of sum also passes to h.
  if (norm.d_h) run(DropoutBackward{.dropout = norm.dropout, .dy = norm.d_sum, .dx = norm.d_h});
}

}  // namespace nmt
