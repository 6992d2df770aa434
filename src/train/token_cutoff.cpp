#include "train/token_cutoff.h"

#include "data/augmentation/draws.h"

namespace nmt {

void cut_tokens(Batch& batch, double rate, std::uint64_t key) {
  constexpr std::uint32_t kUse = 0;  // the only one of this key and these ids
  for (Example& example : batch.examples) {
    Draws draws(key, example.id, kUse);
    example.other_source = example.source;
    example.other_target = example.target;
    for (std::vector<int>* side : {&example.other_source, &example.other_target}) {
      for (int& token : *side) {
        if (draws.chance(rate)) token = kCutToken;
      }
    }
  }
}

}  // namespace nmt
