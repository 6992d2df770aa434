// philox4x32 of common/philox.h on a GPU.
#pragma once

#include "backend/cuda/runtime/cuda_api.h"

namespace nmt::cuda {

struct PhiloxWords {
  unsigned word[4];
};

/// Returns the random words for a counter under this key.
__device__ inline PhiloxWords philox(PhiloxWords c, unsigned k0, unsigned k1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c.word[0], b = 0xCD9E8D57ull * c.word[2];
    c = {static_cast<unsigned>(b >> 32) ^ c.word[1] ^ k0, static_cast<unsigned>(b),
         static_cast<unsigned>(a >> 32) ^ c.word[3] ^ k1, static_cast<unsigned>(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

}  // namespace nmt::cuda
