#include "serve/request_limits.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

void check_count(const char* name, std::int64_t count, std::int64_t most) {
  if (count > most) throw UsageError("'{}' has {} phrases; a request has at most {}", name, count, most);
}

template <class T>
void check_setting(const char* name, T value, T most, T usual) {
  most = std::max(most, usual);
  if (value > most) throw UsageError("'{}' is {}; a request has at most {}", name, value, most);
}

void check_search(const SearchSettings& search, const char* n_best, const SearchSettings& usual) {
  check_setting<std::int64_t>("beam", search.beam, kMostHypotheses, usual.beam);
  check_setting<std::int64_t>(n_best, search.n_best, kMostHypotheses, usual.n_best);
  check_setting<std::int64_t>("n_best' times 'beam", search.width(), kMostOfAlternatives, usual.width());
  check_setting("min_length", search.min_length, kMostMinLength, usual.min_length);
  check_setting("max_length_extra", search.max_length_extra, kMostLengthExtra, usual.max_length_extra);
  check_setting("max_length_factor", search.max_length_factor, kMostLengthFactor, usual.max_length_factor);
}

}  // namespace

void check_limits(const TranslationRequest& request, const SearchSettings& usual) {
  check_search(*request.search, request.minimum_risk ? "candidates" : "n_best", usual);
  std::int64_t constraints = 0;
  for (const Alternatives& alternatives : request.constraints) constraints += std::ssize(alternatives);
  check_count("constraints", constraints, kMostConstraints);
  check_count("avoid", std::ssize(request.avoid), kMostAvoided);
}

std::int64_t characters_of(const TranslationRequest& request) {
  std::size_t characters = characters_in(request.text) + characters_in(request.prefix);
  for (const Alternatives& alternatives : request.constraints) {
    for (const std::string& text : alternatives) characters += characters_in(text);
  }
  for (const std::string& text : request.avoid) characters += characters_in(text);
  return static_cast<std::int64_t>(characters);
}

}  // namespace nmt
