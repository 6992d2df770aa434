// Prepacked weights: in the layout that matrix products read, kept from call to call.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "backend/cpu/kernels.h"
#include "backend/cpu/memory.h"

namespace nmt::cpu {

/// The packed forms of the weights seen so far. Several threads may ask for them at the same time.
class PrepackedWeights {
 public:
  /// The form of b, of `size` bytes; pack(form) fills it when b is new or has changed. It stays where it is
  /// until forget().
  template <class Pack>
  const std::byte* of(const Matrix& b, std::int64_t size, const Pack& pack) {
    const std::lock_guard lock(guard_);
    Form& form = forms_[{b.data, b.rows, b.columns, b.row_stride, b.column_stride}];
    std::byte* data = form.data.reserve(size);
    if (!form.current) pack(data);
    form.current = form.used = true;
    return data;
  }

  /// The weights have changed: no form is current.
  void expire() {
    const std::lock_guard lock(guard_);
    for (auto& [key, form] : forms_) form.current = false;
  }

  /// The weights have changed: all forms that were asked for since they changed last are filled anew, by
  /// pack(b, form), before several threads ask for them at once.
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

  /// This memory is about to go: frees the forms of weights in it.
  void forget(const void* memory, std::size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(memory);
    const std::lock_guard lock(guard_);
    forms_.erase(forms_.lower_bound({begin, 0, 0, 0, 0}), forms_.lower_bound({begin + bytes, 0, 0, 0, 0}));
  }

 private:
  using Key = std::tuple<const std::byte*, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct Form {
    Buffer<std::byte> data;
    bool current = false;  // holds what the weight holds
    bool used = false;     // since the weight has changed
  };
  std::mutex guard_;
  std::map<Key, Form> forms_;
};

}  // namespace nmt::cpu
