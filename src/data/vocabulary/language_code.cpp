#include "data/vocabulary/language_code.h"

#include <unicode/locid.h>

#include <algorithm>

#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns the only code that `is_meant` selects; empty if it selects none or several.
template <class IsMeant>
std::string only_one(const std::vector<std::string>& codes, const IsMeant& is_meant) {
  const auto found = std::ranges::find_if(codes, is_meant);
  if (found == codes.end() || std::find_if(found + 1, codes.end(), is_meant) != codes.end()) return "";
  return *found;
}

}  // namespace

LanguageCode::LanguageCode(const std::string& code) {
  icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  country = locale.getCountry();
  if (country == "XX") country.clear();
  language = locale.getLanguage();
  if (language.empty() || language == "und") return;  // whose usual script would be that of English
  UErrorCode status = U_ZERO_ERROR;
  locale.addLikelySubtags(status);
  script = locale.getScript();
  if (language == "nb") language = "no";
}

std::string code_meant(const std::string& code, const std::vector<std::string>& codes) {
  if (std::ranges::find(codes, code) != codes.end()) return code;
  const std::string spelled = comparable(code);
  const auto is_spelled_so = [&](const std::string& each) { return comparable(each) == spelled; };
  if (std::string same = only_one(codes, is_spelled_so); !same.empty()) return same;
  const LanguageCode meant(code);
  return only_one(codes, [&](const std::string& each) {
    const LanguageCode other(each);
    const bool is_elsewhere =
        !meant.country.empty() && !other.country.empty() && meant.country != other.country;
    return !meant.language.empty() && other.language == meant.language && other.script == meant.script &&
           !is_elsewhere;
  });
}

}  // namespace nmt
