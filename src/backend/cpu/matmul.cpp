#include "backend/cpu/matmul.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <unordered_map>

#include "backend/cpu/memory.h"

namespace nmt::cpu {
namespace {

using dnnl::matmul;
using dnnl::memory;

// Shapes vary with every batch; beyond this many, all primitives are made anew as they are needed.
constexpr std::size_t most_primitives = 1024;

// oneDNN takes the number of its threads from OpenMP: one, as we share out the work ourselves.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() { omp_set_num_threads(before_); }

 private:
  int before_;
};

// The one place where oneDNN 2 and 3 differ for us: 3 has no descriptor between the shapes and the primitive.
template <class Matmul>
typename Matmul::primitive_desc describe(const dnnl::engine& engine, const memory::desc& a,
                                         const memory::desc& b, const memory::desc& c,
                                         const dnnl::primitive_attr& attributes) {
  if constexpr (requires { typename Matmul::desc; })
    return {typename Matmul::desc(a, b, c), attributes, engine};
  else
    return {engine, a, b, c, attributes};
}

// m x n elements without gaps.
memory::desc plain(std::int64_t m, std::int64_t n) {
  return {{m, n}, memory::data_type::f32, memory::format_tag::ab};
}

// The layout that the library's fast kernels read best: panels of 64 columns, padded to 16 rows.
memory::desc packed(std::int64_t k, std::int64_t n) {
  return {{k, n}, memory::data_type::f32, memory::format_tag::BA16a64b};
}

std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

// The fast kernels want the rows of a and c to follow each other without gaps, so others are copied.
class OneDnnProduct final : public MatrixProduct {
 public:
  explicit OneDnnProduct(const Kernels& kernels) : kernels_(kernels) {}

  /// Whether products run on kernels that treat all rows alike.
  bool keeps_rows_independent() const {
    const OneThread one;
    const auto description =
        describe<matmul>(engine_, plain(100, 500), packed(500, 500), plain(100, 500), {});
    return std::string_view(description.impl_info_str()).starts_with("brg");
  }

  std::int64_t packed_size(std::int64_t k, std::int64_t n) const override {
    return round_up(k, 16) * round_up(n, panel_columns);
  }

  void pack(const MatrixView& b, float* to) const override {
    kernels_.pack(b, panel_columns, round_up(b.rows, 16), to);
  }

  void multiply(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c) override {
    const OneThread one;
    Primitive& primitive = primitive_for({a.rows, a.columns, n});
    const bool direct = c.row_stride == n && !c.accumulate;
    float* product = direct ? c.data : product_.reserve(a.rows * n);
    primitive.a.set_data_handle(const_cast<float*>(without_gaps(a)));
    primitive.b.set_data_handle(const_cast<float*>(b));
    primitive.c.set_data_handle(product);
    const auto scratch_bytes = static_cast<std::int64_t>(primitive.scratch.get_desc().get_size());
    primitive.scratch.set_data_handle(scratch_.reserve(scratch_bytes));
    primitive.product.execute(stream_, primitive.arguments);
    if (!direct) deliver(product, a.rows, n, c);
  }

 private:
  using Shape = std::array<std::int64_t, 3>;  // m, k, n

  struct Primitive {
    matmul product;
    memory a, b, c, scratch;
    std::unordered_map<int, memory> arguments;
  };

  const float* without_gaps(const MatrixView& a) {
    if (a.row_stride == a.columns && a.column_stride == 1) return a.data;
    float* copy = copy_of_a_.reserve(a.rows * a.columns);
    kernels_.pack(a, a.columns, a.rows, copy);
    return copy;
  }

  void deliver(const float* product, std::int64_t m, std::int64_t n, const MatrixTarget& c) const {
    for (std::int64_t r = 0; r < m; ++r) {
      if (c.accumulate)
        kernels_.add(c.data + r * c.row_stride, product + r * n, n);
      else
        std::copy_n(product + r * n, n, c.data + r * c.row_stride);
    }
  }

  Primitive& primitive_for(const Shape& shape) {
    const auto found = primitives_.find(shape);
    if (found != primitives_.end()) return found->second;
    if (primitives_.size() >= most_primitives) primitives_.clear();
    return primitives_.emplace(shape, make(shape)).first->second;
  }

  Primitive make(const Shape& shape) const {
    const auto [m, k, n] = shape;
    dnnl::primitive_attr attributes;
    // The library's own scratch memory belongs to the thread that makes a primitive.
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto description = describe<matmul>(engine_, plain(m, k), packed(k, n), plain(m, n), attributes);
    const auto unbound = [&](const memory::desc& layout) { return memory(layout, engine_, nullptr); };
    Primitive primitive{matmul(description),
                        unbound(description.src_desc()),
                        unbound(description.weights_desc()),
                        unbound(description.dst_desc()),
                        unbound(description.scratchpad_desc()),
                        {}};
    primitive.arguments = {{DNNL_ARG_SRC, primitive.a},
                           {DNNL_ARG_WEIGHTS, primitive.b},
                           {DNNL_ARG_DST, primitive.c},
                           {DNNL_ARG_SCRATCHPAD, primitive.scratch}};
    return primitive;
  }

  const Kernels& kernels_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::map<Shape, Primitive> primitives_;
  Buffer<float> copy_of_a_, product_;
  Buffer<std::byte> scratch_;
};

class KernelProduct final : public MatrixProduct {
 public:
  explicit KernelProduct(const Kernels& kernels) : kernels_(kernels) {}

  std::int64_t packed_size(std::int64_t k, std::int64_t n) const override {
    return k * round_up(n, kernels_.packed_columns());
  }
  void pack(const MatrixView& b, float* to) const override {
    kernels_.pack(b, kernels_.packed_columns(), b.rows, to);
  }
  void multiply(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c) override {
    kernels_.multiply_packed(a, b, n, c, scratch_.reserve(kernels_.multiply_scratch(a.rows)));
  }

 private:
  const Kernels& kernels_;
  Buffer<float> scratch_;
};

}  // namespace

std::unique_ptr<MatrixProduct> make_matrix_product(const Kernels& kernels) {
  // Below AVX-512, oneDNN 2 multiplies edges of a matrix by other kernels, which add in another order.
  if (&kernels == &avx512::kernels) {
    auto product = std::make_unique<OneDnnProduct>(kernels);
    if (product->keeps_rows_independent()) return product;
  }
  return std::make_unique<KernelProduct>(kernels);
}

}  // namespace nmt::cpu
