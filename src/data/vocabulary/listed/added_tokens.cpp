#include "data/vocabulary/listed/added_tokens.h"

#include "common/error.h"

namespace nmt {

AddedTokens::AddedTokens(const std::vector<int>& ids, const WordIndex& words) {
  for (const int id : ids) {
    const std::string& word = words[id];
    if (word.empty()) throw Error("its added token {} has no text", id);
    ids_[word] = id;
    lengths_.insert(word.size());
    if (first_.find(word[0]) == first_.npos) first_ += word[0];
  }
}

std::optional<FoundToken> AddedTokens::find(std::string_view text, std::size_t from) const {
  for (std::size_t place = text.find_first_of(first_, from); place != text.npos;
       place = text.find_first_of(first_, place + 1)) {
    for (const std::size_t length : lengths_) {
      const std::string_view token = text.substr(place, length);
      const auto found = ids_.find(token);
      if (found != ids_.end()) return FoundToken{token, found->second, place};
    }
  }
  return std::nullopt;
}

}  // namespace nmt
