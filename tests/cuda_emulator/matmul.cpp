#include "cuda_emulator/matmul.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/listing.h"
#include "cuda_emulator/rough.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

/// Rounds to 10 fractional bits, ties away from zero; if rough, truncates.
float to_tf32(float x) {
  const std::uint32_t half = settings().rough ? 0 : 0x1000u;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + half) & 0xffffe000u);
}

/// Returns the matrix in f32, column by column without gaps.
std::vector<float> widened(const Matrix& x, bool transposed, bool tf32) {
  std::vector<float> values(static_cast<std::size_t>(x.rows * x.columns));
  for (std::int64_t j = 0; j < x.columns; ++j)
    for (std::int64_t i = 0; i < x.rows; ++i)
      values[static_cast<std::size_t>(transposed ? i * x.columns + j : j * x.rows + i)] =
          read_element(x.column(j), x.type, i);
  if (tf32) std::transform(values.begin(), values.end(), values.begin(), to_tf32);
  return values;
}

/// Checks every column, because other data may be between them.
void note_read(const Matrix& x, const char* who) {
  for (std::int64_t j = 0; j < x.columns; ++j) reads(x.column(j), x.column_bytes(), who);
}

void note_written(const Matrix& x, const char* who) {
  for (std::int64_t j = 0; j < x.columns; ++j) wrote(x.column(j), x.column_bytes(), who);
}

void note(const MatrixProduct& p) {
  note_read(p.a, "cublasLtMatmul (A)");
  note_read(p.b, "cublasLtMatmul (B)");
  if (p.beta != 0) note_read(p.c, "cublasLtMatmul (C)");
  if (p.bias != nullptr) reads(p.bias, p.d.column_bytes(), "cublasLtMatmul (bias)");
  note_written(p.d, "cublasLtMatmul (D)");
}

std::uint64_t bytes_of(const Matrix& x) {
  return static_cast<std::uint64_t>(x.columns) * x.column_bytes();
}

void list_product(const MatrixProduct& p, std::size_t inner) {
  const std::int64_t rows = p.d.rows, columns = p.d.columns;
  list("product " + std::to_string(rows) + " x " + std::to_string(columns) + " x " + std::to_string(inner),
       2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner),
       {.read = bytes_of(p.a) + bytes_of(p.b) + (p.beta != 0 ? bytes_of(p.c) : 0) +
                (p.bias != nullptr ? p.d.column_bytes() : 0),
        .written = bytes_of(p.d)});
}

/// Computes a product of i8, whose a is transposed, alone.
void multiply_integers(const MatrixProduct& p) {
  for (std::int64_t j = 0; j < p.d.columns; ++j) {
    const auto* right = reinterpret_cast<const std::int8_t*>(p.b.column(j));
    auto* to = reinterpret_cast<std::int32_t*>(p.d.column(j));
    for (std::int64_t i = 0; i < p.d.rows; ++i) {
      const auto* left = reinterpret_cast<const std::int8_t*>(p.a.column(i));
      std::int32_t sum = 0;
      for (std::int64_t k = 0; k < p.b.rows; ++k) sum += left[k] * right[k];
      to[i] = sum;
    }
  }
}

void finish_column(const MatrixProduct& p, std::int64_t j, const std::vector<float>& sums) {
  for (std::int64_t i = 0; i < p.d.rows; ++i) {
    float x = p.alpha * sums[static_cast<std::size_t>(i)];
    if (p.beta != 0) x += p.beta * read_element(p.c.column(j), p.c.type, i);
    if (p.bias != nullptr) x += read_element(p.bias, p.d.type, i);
    write_element(p.d.column(j), p.d.type, i, p.relu && x < 0 ? 0.0f : x);  // NaN stays
  }
}

}  // namespace

std::byte* Matrix::column(std::int64_t j) const {
  return static_cast<std::byte*>(data) + j * stride * static_cast<std::int64_t>(size_of(type));
}

std::size_t Matrix::column_bytes() const {
  return static_cast<std::size_t>(rows) * size_of(type);
}

bool overlap(const Matrix& x, const Matrix& y) {
  for (std::int64_t i = 0, j = 0; i < x.columns && j < y.columns;) {
    if (x.column(i) + x.column_bytes() <= y.column(j))
      ++i;
    else if (y.column(j) + y.column_bytes() <= x.column(i))
      ++j;
    else
      return true;
  }
  return false;
}

void multiply(const MatrixProduct& p) {
  note(p);
  if (p.a.type == CUDA_R_8I) {
    if (is_listing()) list_product(p, static_cast<std::size_t>(p.b.rows));
    return multiply_integers(p);
  }
  const std::vector<float> a = widened(p.a, p.transpose_a, p.tf32), b = widened(p.b, p.transpose_b, p.tf32);
  const auto rows = static_cast<std::size_t>(p.d.rows);
  const std::size_t inner = a.size() / rows;
  if (is_listing()) list_product(p, inner);
  std::vector<float> sums(rows);
  const bool by_tensor_cores = p.tf32 || p.a.type != CUDA_R_32F;
  for (std::int64_t j = 0; j < p.d.columns; ++j) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    const float* right = b.data() + static_cast<std::size_t>(j) * inner;
    if (settings().rough && by_tensor_cores) {
      for (std::size_t i = 0; i < rows; ++i) {
        sums[i] = sum_products(0, &a[i], static_cast<int>(rows), right, 1, static_cast<int>(inner));
      }
      finish_column(p, j, sums);
      continue;
    }
    for (std::size_t k = 0; k < inner; ++k) {
      const float* left = a.data() + k * rows;
      for (std::size_t i = 0; i < rows; ++i) sums[i] += left[i] * right[k];
    }
    finish_column(p, j, sums);
  }
}

}  // namespace simt
