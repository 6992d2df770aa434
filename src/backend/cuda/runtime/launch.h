// Kernels as commands for a stream.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "backend/cuda/runtime/cuda_api.h"
#include "backend/cuda/runtime/stream.h"

namespace nmt::cuda {

struct Launch {
  dim3 grid, block;
  std::size_t shared_bytes;
  Stream& stream;
};

/// Clears padding. An object without members may share its byte with another one.
template <class T>
void clear_padding(T& x) {
  if constexpr (!std::is_empty_v<T>) __builtin_clear_padding(&x);
}

/// Requests kernel(arguments...), which depends on nothing but its arguments.
template <class... P, class... A>
void launch(const Launch& l, void (*kernel)(P...), A&&... arguments) {
  static_assert((std::is_trivially_copyable_v<P> && ...));
  std::tuple<P...> own(std::forward<A>(arguments)...);
  std::apply([](P&... parameter) { (clear_padding(parameter), ...); }, own);
  const auto command = [kernel, own, grid = l.grid, block = l.block,
                        shared_bytes = l.shared_bytes](cudaStream_t stream) {
    std::apply(
        [&](const P&... parameter) {
          launch(DirectLaunch{grid, block, shared_bytes, stream}, kernel, parameter...);
        },
        own);
  };
  std::apply(
      [&](const P&... parameter) {
        l.stream.ask(command, kernel, l.grid, l.block, l.shared_bytes, parameter...);
      },
      own);
}

}  // namespace nmt::cuda
