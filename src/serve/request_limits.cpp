#include "serve/request_limits.h"

#include "common/error.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

void check(const char* name, std::int64_t count, std::int64_t most) {
  if (count > most) throw UsageError("'{}' has {} phrases; a request has at most {}", name, count, most);
}

}  // namespace

void check_limits(const TranslationRequest& request) {
  std::int64_t constraints = 0;
  for (const Alternatives& alternatives : request.constraints) constraints += std::ssize(alternatives);
  check("constraints", constraints, kMostConstraints);
  check("avoid", std::ssize(request.avoid), kMostAvoided);
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
