// Attention of recurrent decoders, one query at a time. The hyperbolic tangents of additive energies are
// recomputed for the gradients: there is one for each feature of each pair of a query and a key.
#include "backend/cpu/kernels/activation.h"
#include "backend/cpu/kernels/attend.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

/// The queries and keys of a sequence.
struct AttendingPart {
  AttendingPart(const RecurrentAttention& attention, std::int64_t sequence)
      : first_query(attention.queries.begin.data<std::int32_t>()[sequence]),
        queries(attention.queries.length.data<std::int32_t>()[sequence]),
        first_key(attention.keys.begin.data<std::int32_t>()[sequence]),
        keys(attention.keys.length.data<std::int32_t>()[sequence]) {}
  std::int64_t first_query, queries, first_key, keys;
};

float additive_energy(std::int64_t n, const Real* __restrict query, const Real* __restrict key,
                      const float* __restrict weight) {
  float energy = 0;
  for (std::int64_t f = 0; f < n; ++f) energy += weight[f] * hyperbolic_tangent(key[f] + query[f]);
  return energy;
}

/// Computes sum += weight x.
template <class Sum>
void add_weighted(std::int64_t n, float weight, const Real* __restrict x, Sum* __restrict sum) {
  for (std::int64_t f = 0; f < n; ++f) sum[f] = sum[f] + weight * x[f];
}

float product_of(std::int64_t n, const Real* __restrict a, const Real* __restrict b) {
  float product = 0;
  for (std::int64_t f = 0; f < n; ++f) product += static_cast<float>(a[f]) * static_cast<float>(b[f]);
  return product;
}

/// Computes the gradients of everything that contributes to an additive energy.
void differentiate_additive(std::int64_t n, float d_energy, const Real* __restrict query,
                            const Real* __restrict key, const float* __restrict weight,
                            float* __restrict d_query, Real* __restrict d_key, float* __restrict d_weight) {
  for (std::int64_t f = 0; f < n; ++f) {
    const float tanh = hyperbolic_tangent(key[f] + query[f]);
    const float d_sum = d_energy * weight[f] * (1.0F - tanh * tanh);
    d_query[f] += d_sum;
    d_key[f] = d_key[f] + d_sum;
    d_weight[f] += d_energy * tanh;
  }
}

void add_elements(std::int64_t n, const float* __restrict x, float* __restrict sum) {
  for (std::int64_t i = 0; i < n; ++i) sum[i] += x[i];
}

/// Computes energies[j] := the gradient of energy j, w_j (p_j - sum_k w_k p_k), where p_j is the product of
/// the gradient of the output and value j, plus the additional gradient; adds to the gradient of the values.
void differentiate_weights(const RecurrentAttentionBackward& attention, const AttendingPart& part,
                           std::int64_t query, float* energies) {
  const std::int64_t d = attention.d_output.columns();
  const Real* d_output = attention.d_output.row<Real>(query);
  const float* weights = attention.forward.weights.row<float>(query);
  float mean = 0;
  // scalar: the features of a key are vectors
  for (std::int64_t j = 0; j < part.keys; ++j) {
    energies[j] = product_of(d, d_output, attention.forward.value.row<Real>(part.first_key + j));
    add_weighted(d, weights[j], d_output, attention.d_value.row<Real>(part.first_key + j));
    mean += weights[j] * energies[j];
  }
  for (std::int64_t j = 0; j < part.keys; ++j) energies[j] = weights[j] * (energies[j] - mean);
  if (attention.d_energies) add_elements(part.keys, attention.d_energies.row<float>(query), energies);
}

/// Returns the energy of a key for a query, given their rows.
float energy_of(const RecurrentAttention& attention, std::int64_t query_row, std::int64_t key_row) {
  const std::int64_t a = attention.query.columns();
  const Real *query = attention.query.row<Real>(query_row), *key = attention.key.row<Real>(key_row);
  return attention.energy_weight ? additive_energy(a, query, key, attention.energy_weight.row<float>(0))
                                 : product_of(a, query, key);
}

/// Adds the contributions of an energy's gradient to the gradients of the query, the key, and the weight of
/// additive energies.
void differentiate_energy(const RecurrentAttentionBackward& attention, std::int64_t query_row,
                          std::int64_t key_row, float d_energy, float* d_query, float* d_weight) {
  const RecurrentAttention& forward = attention.forward;
  const std::int64_t a = forward.query.columns();
  const Real *query = forward.query.row<Real>(query_row), *key = forward.key.row<Real>(key_row);
  Real* d_key = attention.d_key.row<Real>(key_row);
  if (forward.energy_weight) {
    differentiate_additive(a, d_energy, query, key, forward.energy_weight.row<float>(0), d_query, d_key,
                           d_weight);
  } else {
    add_weighted(a, d_energy, key, d_query);
    add_weighted(a, d_energy, query, d_key);
  }
}

}  // namespace

std::int64_t VectorKernels::recurrent_attention_scratch(const RecurrentAttention& attention) const {
  return whole_vectors(attention.keys.longest) + most(attention.query.columns(), attention.value.columns());
}

void VectorKernels::recurrent_attention(const RecurrentAttention& attention, std::int64_t sequence,
                                        float* scratch) const {
  const AttendingPart part(attention, sequence);
  const std::int64_t d = attention.value.columns();
  float *shares = scratch, *output = scratch + whole_vectors(attention.keys.longest);
  for (std::int64_t i = 0; i < part.queries; ++i) {
    const std::int64_t row = part.first_query + i;
    // scalar: the features of a key are vectors
    for (std::int64_t j = 0; j < part.keys; ++j) shares[j] = energy_of(attention, row, part.first_key + j);
    if (part.keys > 0) softmax_of_scores(shares, part.keys);
    std::memset(output, 0, static_cast<std::size_t>(d) * sizeof(float));
    // scalar: the features of a key are vectors
    for (std::int64_t j = 0; j < part.keys; ++j)
      add_weighted(d, shares[j], attention.value.row<Real>(part.first_key + j), output);
    convert_elements(output, attention.output.row<Real>(row), d);
    auto* weights = attention.weights.row<float>(row);
    std::memset(weights, 0, attention.weights.row_bytes());
    std::memcpy(weights, shares, static_cast<std::size_t>(part.keys) * sizeof(float));
  }
}

void VectorKernels::recurrent_attention_backward(const RecurrentAttentionBackward& attention,
                                                 std::int64_t sequence, float* d_energy_weight,
                                                 float* scratch) const {
  const RecurrentAttention& forward = attention.forward;
  const AttendingPart part(forward, sequence);
  const std::int64_t a = forward.query.columns();
  float *energies = scratch, *d_query = scratch + whole_vectors(forward.keys.longest);
  for (std::int64_t i = 0; i < part.queries; ++i) {
    const std::int64_t row = part.first_query + i;
    differentiate_weights(attention, part, row, energies);
    std::memset(d_query, 0, static_cast<std::size_t>(a) * sizeof(float));
    // scalar: the features of a key are vectors
    for (std::int64_t j = 0; j < part.keys; ++j)
      differentiate_energy(attention, row, part.first_key + j, energies[j], d_query, d_energy_weight);
    convert_elements(d_query, attention.d_query.row<Real>(row), a);
  }
}

}  // namespace nmt::cpu::NMT_ISA
