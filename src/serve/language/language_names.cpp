#include "serve/language/language_names.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>

namespace nmt {

std::string language_name(const std::string& code) {
  const icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  icu::UnicodeString name;
  locale.getDisplayLanguage(icu::Locale::getEnglish(), name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? code : text;
}

}  // namespace nmt
