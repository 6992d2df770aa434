// Divides texts that have more tokens than models accept.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "translate/search/length_limit.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Returns the name of a part of a request that concerns its whole text: an alignment, a prefix, constraints,
/// alternatives or a reference. Parts of such a text cannot be translated separately. Null if the request has
/// none of these.
const char* undivided_because(const TranslationRequest& request);

/// Divides sentences that have more tokens than a service accepts, or than its models were trained with, into
/// parts. Thread-safe.
class TextDivider {
 public:
  /// `limit` must outlive this object. `usual`: the vocabularies of requests that have none of their own.
  TextDivider(const LengthLimit& limit, std::shared_ptr<const Vocabularies> usual)
      : limit_(limit), usual_(std::move(usual)) {}

  /// Returns the language token at the beginning of a text, ">>deu<< ", which all of its parts need; empty if
  /// there is none.
  std::string_view language_of(const TranslationRequest& request, std::string_view text) const;
  /// Returns these sentences, with each one that is too long replaced by its parts if the request allows it
  /// (TooLong::split) and undivided_because() returns null. `language`: the text that is put before all parts
  /// but the first.
  std::vector<std::string_view> divided(const TranslationRequest& request,
                                        const std::vector<std::string_view>& sentences,
                                        std::string_view language) const;

 private:
  const Vocabulary& source_of(const TranslationRequest& request) const {
    return request.vocabularies ? request.vocabularies->source : usual_->source;
  }

  const LengthLimit& limit_;
  std::shared_ptr<const Vocabularies> usual_;
};

}  // namespace nmt
