#include "translate/service/request_rules.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/text/number.h"

namespace nmt {

RequestRules::Phrases RequestRules::phrases_to_avoid(const TranslationRequest& request) {
  const Phrases& besides = request.allowed->forbidden_phrases;
  const bool has_texts =
      avoided_.texts == request.avoid || (avoided_.texts && *avoided_.texts == *request.avoid);
  if (has_texts && avoided_.besides == besides && avoided_.vocabularies == request.vocabularies)
    return avoided_.phrases;
  std::vector<Phrase> phrases = besides ? *besides : std::vector<Phrase>();
  for (const std::string& text : *request.avoid) phrases.emplace_back(text, request.vocabularies->target);
  avoided_ = {request.avoid, besides, request.vocabularies,
              std::make_shared<const std::vector<Phrase>>(std::move(phrases))};
  return avoided_.phrases;
}

std::vector<std::int32_t> RequestRules::tokens_of_prefix(const std::string& prefix,
                                                         const Vocabulary& target) const {
  const std::string_view text = limit_.beginning_of(prefix);
  std::vector<std::int32_t> tokens = target.encode(text);
  if (text.size() < prefix.size() || std::ssize(tokens) > limit_.most())
    throw SentenceError("its prefix has more than {}; shorten it", count_of(limit_.most(), "token"));
  return tokens;
}

std::shared_ptr<const SentenceRules> RequestRules::of(const TranslationRequest& request) {
  const Vocabulary& target = request.vocabularies->target;
  SentenceRules rules{.allowed = *request.allowed};
  rules.first_tokens =
      request.prefix.empty() ? target.first_tokens() : tokens_of_prefix(request.prefix, target);
  if (!request.constraints.empty())
    rules.constraints = std::make_shared<const Constraints>(request.constraints, target);
  if (request.avoid) rules.allowed.forbidden_phrases = phrases_to_avoid(request);
  if (request.search->distinct) {
    rules.reading = [target, is_reversed = is_right_to_left_](std::vector<std::int32_t> ids) {
      if (is_reversed) std::ranges::reverse(ids);
      return target.decode(ids);
    };
  }
  return std::make_shared<const SentenceRules>(std::move(rules));
}

}  // namespace nmt
