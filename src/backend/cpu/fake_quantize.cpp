// Rounds to 8 bits by quantize_row() itself, because the arithmetic of the kernels would not reproduce its
// divisions.
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"
#include "tensor/half.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

/// Memory for a row: as f32, and its integers.
struct RowMemory {
  float* x;
  std::int8_t* q;
};

template <class T>
void fake_quantize(const FakeQuantize& quantize, cpu::Range rows, const RowMemory& memory) {
  const std::int64_t columns = quantize.x.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const T* x = quantize.x.row<T>(r);
    T* y = quantize.y.row<T>(r);
    for (std::int64_t i = 0; i < columns; ++i) memory.x[i] = x[i];
    const float scale = quantize_row(memory.x, columns, memory.q);
    for (std::int64_t i = 0; i < columns; ++i) y[i] = scale * static_cast<float>(memory.q[i]);
  }
}

}  // namespace

void CpuBackend::run(const FakeQuantize& quantize) {
  const std::int64_t columns = quantize.x.columns();
  cpu::parallel(pool_, quantize.x.rows(), cpu::grain_of(columns), [&](cpu::Range rows, int thread) {
    float* memory = scratch_[static_cast<std::size_t>(thread)].reserve(2 * columns);
    const RowMemory row{memory, reinterpret_cast<std::int8_t*>(memory + columns)};
    if (quantize.x.dtype() == DType::bf16) {
      fake_quantize<BFloat16>(quantize, rows, row);
    } else {
      fake_quantize<float>(quantize, rows, row);
    }
  });
}

}  // namespace nmt
