// What a layer says of a parameter that it needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/precision.h"

namespace nmt {

/// What a parameter is for. From that follow the type in which it is read and how it may be laid out.
enum class Role : std::uint8_t {
  matrix,     // of matrix products alone
  output,     // an output layer, a row for each word: of matrix products, too, but a search may look up rows
  words,      // a table of words, whose rows are looked up; it can be an output layer as well
  positions,  // a table of positions, which are added to words
  vector,     // a gain, or what else is added in f32
  bias,       // of a linear layer
};

/// How the elements of a parameter start.
enum class Initializer : std::uint8_t {
  zeros,
  ones,
  glorot,  // each part uniform in +-sqrt(6 / (rows + columns)) (Glorot and Bengio, 2010)
  normal,  // with standard deviation columns^-0.5
};

/// The role of a parameter, its shape and its first values.
struct ParameterSpec {
  Role role;
  std::int64_t rows, columns;  // rows 0: a vector
  Initializer initializer;
  std::int64_t parts =
      1;  // matrices of equally many rows, one below the other, which products may read alone

  /// A matrix [parts * out, in], such as the fused projection of attention, which has 3 parts.
  static ParameterSpec matrix(std::int64_t out, std::int64_t in, std::int64_t parts = 1) {
    return {Role::matrix, parts * out, in, Initializer::glorot, parts};
  }
  static ParameterSpec output_layer(std::int64_t vocabulary, std::int64_t d) {
    return {Role::output, vocabulary, d, Initializer::glorot};
  }
  static ParameterSpec word_table(std::int64_t vocabulary, std::int64_t d) {
    return {Role::words, vocabulary, d, Initializer::normal};
  }
  static ParameterSpec position_table(std::int64_t positions, std::int64_t d,
                                      Initializer initializer = Initializer::normal) {
    return {Role::positions, positions, d, initializer};
  }
  static ParameterSpec vector(std::int64_t size, Initializer initializer = Initializer::zeros) {
    return {Role::vector, 0, size, initializer};
  }
  static ParameterSpec bias(std::int64_t size) { return {Role::bias, 0, size, Initializer::zeros}; }

  bool operator==(const ParameterSpec&) const = default;

  std::int64_t size() const { return std::max<std::int64_t>(rows, 1) * columns; }
  /// As in files: [columns] for vectors.
  std::vector<std::int64_t> shape() const {
    return rows == 0 ? std::vector<std::int64_t>{columns} : std::vector<std::int64_t>{rows, columns};
  }
  /// Whether matrix products alone read it, but for rows of an output layer that are looked up.
  bool is_for_products() const { return role == Role::matrix || role == Role::output; }
  /// Whether it is a matrix of weights in the sense of Precision: for matrix products, or a table of words.
  bool is_matrix_of_weights() const { return is_for_products() || role == Role::words; }
  /// The type in which it is read: matrices of weights as such, tables of positions as activations, vectors,
  /// few as they are, as masters.
  DType type_in(const Precision& precision) const {
    if (rows == 0) return precision.master;
    return is_matrix_of_weights() ? precision.weights : precision.compute;
  }
};

}  // namespace nmt
