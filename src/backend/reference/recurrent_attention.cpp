#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/reference/reference.h"
#include "backend/reference/softmax.h"

namespace nmt {
namespace {

/// Calls body(query, first key, keys) for each row of a query.
template <class Body>
void for_queries(const RecurrentAttention& attention, const Body& body) {
  for (std::int64_t s = 0; s < attention.queries.count; ++s) {
    const std::int64_t first = attention.queries.begin.data<std::int32_t>()[s];
    const std::int64_t key = attention.keys.begin.data<std::int32_t>()[s];
    for (std::int64_t i = 0; i < attention.queries.length.data<std::int32_t>()[s]; ++i)
      body(first + i, key, attention.keys.length.data<std::int32_t>()[s]);
  }
}

double tanh_of(const RecurrentAttention& attention, std::int64_t query, std::int64_t key, std::int64_t f) {
  return std::tanh(attention.key.row<double>(key)[f] + attention.query.row<double>(query)[f]);
}

double energy_of(const RecurrentAttention& attention, std::int64_t query, std::int64_t key) {
  double energy = 0;
  for (std::int64_t f = 0; f < attention.query.columns(); ++f) {
    energy += attention.energy_weight
                  ? attention.energy_weight.row<double>(0)[f] * tanh_of(attention, query, key, f)
                  : attention.key.row<double>(key)[f] * attention.query.row<double>(query)[f];
  }
  return energy;
}

/// Computes the gradients of everything that contributes to the energy of a key.
void differentiate_energy(const RecurrentAttentionBackward& attention, std::int64_t query, std::int64_t key,
                          double d_energy) {
  const RecurrentAttention& forward = attention.forward;
  for (std::int64_t f = 0; f < attention.d_query.columns(); ++f) {
    double& d_query = attention.d_query.row<double>(query)[f];
    double& d_key = attention.d_key.row<double>(key)[f];
    if (!forward.energy_weight) {
      d_query += d_energy * forward.key.row<double>(key)[f];
      d_key += d_energy * forward.query.row<double>(query)[f];
      continue;
    }
    const double tanh = tanh_of(forward, query, key, f);
    const double d_sum = d_energy * forward.energy_weight.row<double>(0)[f] * (1 - tanh * tanh);
    d_query += d_sum;
    d_key += d_sum;
    attention.d_energy_weight.row<double>(0)[f] += d_energy * tanh;
  }
}

}  // namespace

void ReferenceBackend::run(const RecurrentAttention& attention) {
  for_queries(attention, [&](std::int64_t query, std::int64_t first, std::int64_t keys) {
    double* weights = attention.weights.row<double>(query);
    std::fill_n(weights, attention.weights.columns(), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) weights[j] = energy_of(attention, query, first + j);
    const double total = log_sum_exp(weights, keys);
    double* output = attention.output.row<double>(query);
    std::fill_n(output, attention.output.columns(), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) {
      weights[j] = std::exp(weights[j] - total);
      for (std::int64_t f = 0; f < attention.output.columns(); ++f)
        output[f] += weights[j] * attention.value.row<double>(first + j)[f];
    }
  });
}

/// Computes the gradients. The gradient of energy j is w_j (p_j - sum_k w_k p_k), where p_j is the product of
/// d_output and value j.
void ReferenceBackend::run(const RecurrentAttentionBackward& attention) {
  const RecurrentAttention& forward = attention.forward;
  for_queries(forward, [&](std::int64_t query, std::int64_t first, std::int64_t keys) {
    const double* weights = forward.weights.row<double>(query);
    const double* d_output = attention.d_output.row<double>(query);
    std::vector<double> products(static_cast<std::size_t>(keys));
    double mean = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      for (std::int64_t f = 0; f < attention.d_output.columns(); ++f) {
        products[static_cast<std::size_t>(j)] += d_output[f] * forward.value.row<double>(first + j)[f];
        attention.d_value.row<double>(first + j)[f] += weights[j] * d_output[f];
      }
      mean += weights[j] * products[static_cast<std::size_t>(j)];
    }
    std::fill_n(attention.d_query.row<double>(query), attention.d_query.columns(), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) {
      const double added = attention.d_energies ? attention.d_energies.row<double>(query)[j] : 0;
      differentiate_energy(attention, query, first + j,
                           weights[j] * (products[static_cast<std::size_t>(j)] - mean) + added);
    }
  });
}

}  // namespace nmt
