#include "backend/cuda/runtime/card.h"

#include <cuda_runtime.h>

#include "backend/cuda/plugin.h"
#include "backend/cuda/runtime/status.h"
#include "common/error.h"

namespace nmt::cuda {
namespace {

std::string version(int thousands) {
  return fmt::format("{}.{}", thousands / 1000, thousands % 1000 / 10);
}

[[noreturn]] void refuse_driver() {
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaGetLastError());
  if (driver == 0) throw NoCard("this machine has no driver for NVIDIA cards");
  throw UsageError("the NVIDIA driver knows CUDA {}, and this build needs {}: update the driver",
                   version(driver), version(CUDART_VERSION));
}

/// At least one.
int count_cards() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver || status == cudaErrorStubLibrary) refuse_driver();
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    static_cast<void>(cudaGetLastError());
    throw NoCard("there is no NVIDIA card that this process may use (CUDA_VISIBLE_DEVICES hides cards)");
  }
  check(status);
  return count;
}

cudaDeviceProp facts_of(int card) {
  cudaDeviceProp facts{};
  check(cudaGetDeviceProperties(&facts, card));
  return facts;
}

}  // namespace

std::vector<std::string> names_of_cards() {
  std::vector<std::string> names;
  for (int card = 0, count = count_cards(); card < count; ++card) {
    std::string& name = names.emplace_back();
    for (const char byte : facts_of(card).uuid.bytes)
      name += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return names;
}

Card find_card(int number) {
  const int count = count_cards();
  if (number >= count) {
    throw UsageError("there is no cuda:{}: this machine has {}", number,
                     count == 1 ? "cuda:0 alone" : fmt::format("cuda:0 to cuda:{}", count - 1));
  }
  const cudaDeviceProp facts = facts_of(number);
  Card card{number, facts.name, facts.major * 10 + facts.minor};
  if (card.capability < NMT_OLDEST_CUDA_CARD) {
    throw UsageError("cuda:{}, {}, has compute capability {}.{}, and this build takes {}.{} or more", number,
                     card.name, facts.major, facts.minor, NMT_OLDEST_CUDA_CARD / 10,
                     NMT_OLDEST_CUDA_CARD % 10);
  }
  return card;
}

}  // namespace nmt::cuda
