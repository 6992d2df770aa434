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

// A product with this many rows decides the layout of packed matrices (it is the same for all numbers of
// rows).
constexpr std::int64_t typical_rows = 64;
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

memory::desc plain(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                   std::int64_t column_stride) {
  return {{rows, columns}, memory::data_type::f32, {row_stride, column_stride}};
}

memory::desc plain(const MatrixView& x) {
  return plain(x.rows, x.columns, x.row_stride, x.column_stride);
}

// The library's fast kernels want the rows of a and c to follow each other without gaps, so others are
// copied.
class OneDnnProduct final : public MatrixProduct {
 public:
  explicit OneDnnProduct(const Kernels& kernels) : kernels_(kernels) {}

  /// Whether packed products run on kernels that treat all rows alike.
  bool keeps_rows_independent() {
    const OneThread one;
    const auto any = memory::desc({512, 512}, memory::data_type::f32, memory::format_tag::any);
    const auto rows = plain(typical_rows, 512, 512, 1);
    return std::string_view(describe<matmul>(engine_, rows, any, rows, {}).impl_info_str())
        .starts_with("brg");
  }

  std::int64_t packed_size(std::int64_t k, std::int64_t n) override {
    return static_cast<std::int64_t>((packed(k, n).get_size() + sizeof(float) - 1) / sizeof(float));
  }

  void pack(const MatrixView& b, float* to) override {
    const OneThread one;
    memory from(plain(b), engine_, const_cast<float*>(b.data));
    memory target(packed(b.rows, b.columns), engine_, to);
    dnnl::reorder(from, target).execute(stream_, from, target);
  }

  void multiply_packed(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c) override {
    const MatrixView rows = without_gaps(a);
    run(rows, b, {rows.rows, rows.columns, n, rows.row_stride, 1, 0, 0}, c,
        [&] { return packed(rows.columns, n); });
  }

  void multiply(const MatrixView& a, const MatrixView& b, const MatrixTarget& c) override {
    run(a, b.data,
        {a.rows, a.columns, b.columns, a.row_stride, a.column_stride, b.row_stride, b.column_stride}, c,
        [&] { return plain(b); });
  }

 private:
  // m, k, n, and the strides of a and of b (0: packed).
  using Shape = std::array<std::int64_t, 7>;

  struct Hash {
    std::size_t operator()(const Shape& shape) const {
      std::size_t hash = 0;
      for (const std::int64_t value : shape)
        hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::size_t>(value);
      return hash;
    }
  };

  struct Primitive {
    matmul product;
    memory a, b, c, scratch;
    std::unordered_map<int, memory> arguments;
  };

  MatrixView without_gaps(const MatrixView& a) {
    if (a.row_stride == a.columns && a.column_stride == 1) return a;
    float* to = copy_of_a_.reserve(a.rows * a.columns);
    for (std::int64_t r = 0; r < a.rows; ++r)
      std::copy_n(a.data + r * a.row_stride, a.columns, to + r * a.columns);
    return {to, a.rows, a.columns, a.columns, 1};
  }

  template <class Layout>
  void run(const MatrixView& a, const float* b, const Shape& shape, const MatrixTarget& c,
           const Layout& layout_of_b) {
    const OneThread one;
    auto found = primitives_.find(shape);
    if (found == primitives_.end()) {
      if (primitives_.size() >= most_primitives) primitives_.clear();
      found = primitives_.emplace(shape, make(a, layout_of_b(), shape[2])).first;
    }
    Primitive& primitive = found->second;
    const std::int64_t n = shape[2];
    const bool direct = c.row_stride == n && !c.accumulate;
    float* product = direct ? c.data : product_.reserve(a.rows * n);
    primitive.a.set_data_handle(const_cast<float*>(a.data));
    primitive.b.set_data_handle(const_cast<float*>(b));
    primitive.c.set_data_handle(product);
    const auto scratch_bytes = static_cast<std::int64_t>(primitive.scratch.get_desc().get_size());
    primitive.scratch.set_data_handle(scratch_.reserve(scratch_bytes));
    primitive.product.execute(stream_, primitive.arguments);
    if (!direct) deliver(product, a.rows, n, c);
  }

  void deliver(const float* product, std::int64_t m, std::int64_t n, const MatrixTarget& c) const {
    for (std::int64_t r = 0; r < m; ++r) {
      if (c.accumulate)
        kernels_.add(c.data + r * c.row_stride, product + r * n, n);
      else
        std::copy_n(product + r * n, n, c.data + r * c.row_stride);
    }
  }

  Primitive make(const MatrixView& a, const memory::desc& b, std::int64_t n) {
    dnnl::primitive_attr attributes;
    // The library's own scratch memory belongs to the thread that makes a primitive.
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto description = describe<matmul>(engine_, plain(a), b, plain(a.rows, n, n, 1), attributes);
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

  // The layout in which the library wants a k x n matrix.
  const memory::desc& packed(std::int64_t k, std::int64_t n) {
    const auto found = layouts_.find({k, n});
    if (found != layouts_.end()) return found->second;
    const OneThread one;
    const auto any = memory::desc({k, n}, memory::data_type::f32, memory::format_tag::any);
    const auto description =
        describe<matmul>(engine_, plain(typical_rows, k, k, 1), any, plain(typical_rows, n, n, 1), {});
    return layouts_.emplace(std::pair{k, n}, description.weights_desc()).first->second;
  }

  const Kernels& kernels_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::map<std::pair<std::int64_t, std::int64_t>, memory::desc> layouts_;
  std::unordered_map<Shape, Primitive, Hash> primitives_;
  Buffer<float> copy_of_a_, product_;
  Buffer<std::byte> scratch_;
};

class KernelProduct final : public MatrixProduct {
 public:
  explicit KernelProduct(const Kernels& kernels) : kernels_(kernels) {}

  std::int64_t packed_size(std::int64_t k, std::int64_t n) override { return kernels_.packed_size(k, n); }
  void pack(const MatrixView& b, float* to) override { kernels_.pack(b, to); }
  void multiply_packed(const MatrixView& a, const float* b, std::int64_t n, const MatrixTarget& c) override {
    kernels_.multiply_packed(a, b, n, c, scratch_.reserve(kernels_.multiply_scratch(a.rows)));
  }
  void multiply(const MatrixView& a, const MatrixView& b, const MatrixTarget& c) override {
    kernels_.multiply(a, b, c, scratch_.reserve(kernels_.multiply_scratch(a.rows)));
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
