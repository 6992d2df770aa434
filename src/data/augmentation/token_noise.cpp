#include "data/augmentation/token_noise.h"

#include <algorithm>
#include <vector>

namespace nmt {
namespace {

/// Returns a token that stands for text.
int any_token(const Vocabulary& vocabulary, Draws& draws) {
  int token = vocabulary.unknown();
  do {
    token = static_cast<int>(draws.below(vocabulary.size()));
  } while (vocabulary.is_special(token) || token == vocabulary.unknown());
  return token;
}

/// Leaves out the links of dropped tokens, and renumbers the others.
void renumber(std::vector<Link>& links, const std::vector<int>& place_of) {
  std::erase_if(links, [&](const Link& link) { return place_of[static_cast<std::size_t>(link.source)] < 0; });
  for (Link& link : links) link.source = place_of[static_cast<std::size_t>(link.source)];
}

}  // namespace

void change_tokens(Example& example, const TokenNoise& noise, const Vocabulary& vocabulary, Draws& draws) {
  constexpr int kDropped = -1;
  const double all = noise.drop + noise.mask + noise.switched;
  std::vector<int>& tokens = example.source;
  std::vector<int> place_of;  // new places of tokens
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const double draw = draws.uniform();
    const bool may_change = draw < all && !vocabulary.is_special(tokens[i]);
    const bool is_needed = kept == 0 && i + 1 == tokens.size();
    if (may_change && draw < noise.drop && !is_needed) {
      place_of.push_back(kDropped);
      continue;
    }
    int token = tokens[i];
    if (may_change && draw >= noise.drop)
      token = draw < noise.drop + noise.mask ? vocabulary.unknown() : any_token(vocabulary, draws);
    place_of.push_back(static_cast<int>(kept));
    tokens[kept++] = token;
  }
  tokens.resize(kept);
  if (!example.links.empty()) renumber(example.links, place_of);
}

}  // namespace nmt
