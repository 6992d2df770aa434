// Prepacked weights: kept between calls in the layout that matrix products read.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "backend/cpu/kernels.h"
#include "backend/cpu/memory.h"

namespace nmt::cpu {

/// The packed forms of the weights seen so far. Thread-safe.
class PrepackedWeights {
 public:
  /// Returns the form of b, of `size` bytes; pack(form) fills it if b is new or has changed. The form stays
  /// valid until forget().
  template <class Pack>
  const std::byte* of(const Matrix& b, std::int64_t size, const Pack& pack) {
    const std::lock_guard lock(guard_);
    Form& form = forms_[{b.data, b.rows, b.columns, b.row_stride, b.column_stride}];
    std::byte* data = form.data.reserve(size);
    if (!form.current) pack(data);
    form.current = form.used = true;
    return data;
  }

  /// Marks all forms as outdated because the weights have changed.
  void expire() {
    const std::lock_guard lock(guard_);
    for (auto& [key, form] : forms_) form.current = false;
  }

  /// Fills again, by pack(b, form), all forms that were used since the weights last changed, before several
  /// threads ask for them at once. Called when the weights have changed.
  template <class Pack>
  void renew(const Pack& pack) {
    const std::lock_guard lock(guard_);
    for (auto& [key, form] : forms_) {
      form.current = form.used;
      const auto& [data, rows, columns, row_stride, column_stride] = key;
      if (form.used) pack(Matrix{data, rows, columns, row_stride, column_stride}, form.data.data());
      form.used = false;
    }
  }

  /// Frees the forms of weights in this memory, which is about to be freed.
  void forget(const void* memory, std::size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(memory);
    const std::lock_guard lock(guard_);
    forms_.erase(forms_.lower_bound({begin, 0, 0, 0, 0}), forms_.lower_bound({begin + bytes, 0, 0, 0, 0}));
  }

 private:
  using Key = std::tuple<const std::byte*, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct Form {
    Buffer<std::byte> data;
    bool current = false;  // whether it corresponds to the weight
    bool used = false;     // since the weight last changed
  };
  std::mutex guard_;
  std::map<Key, Form> forms_;
};

}  // namespace nmt::cpu
