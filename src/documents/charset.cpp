#include "documents/charset.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/case_conv.hpp>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

constexpr std::size_t kMostEncoded = std::size_t{1} << 28;

std::int32_t size_of(std::string_view text) {
  return static_cast<std::int32_t>(text.size());
}

}  // namespace

void Charset::Close::operator()(UConverter* converter) const {
  ucnv_close(converter);
}

bool Charset::is_known(const std::string& name) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, Close> converter(ucnv_open(name.c_str(), &status));
  return U_SUCCESS(status);
}

Charset::Charset(std::string name, Missing missing, std::string document)
    : name_(std::move(name)), document_(std::move(document)) {
  UErrorCode status = U_ZERO_ERROR;
  converter_.reset(ucnv_open(name_.c_str(), &status));
  if (U_FAILURE(status))
    throw Error("cannot translate '{}': its encoding {} is not known; convert it to UTF-8", document_, name_);
  ucnv_setToUCallBack(converter_.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  const bool refers = missing == Missing::references;
  ucnv_setFromUCallBack(converter_.get(), refers ? UCNV_FROM_U_CALLBACK_ESCAPE : UCNV_FROM_U_CALLBACK_STOP,
                        refers ? UCNV_ESCAPE_XML_DEC : nullptr, nullptr, nullptr, &status);
  if (U_FAILURE(status)) throw Error("cannot convert '{}': {}", document_, u_errorName(status));
}

std::string Charset::to_utf8(std::string_view bytes) const {
  if (bytes.size() > kMostEncoded)
    throw Error("cannot translate '{}': it is in {} and larger than {} MiB; convert it to UTF-8", document_,
                name_, kMostEncoded >> 20);
  UErrorCode status = U_ZERO_ERROR;
  std::u16string units(bytes.size() + 1, u'\0');  // no encoding has more units than bytes
  const std::int32_t count =
      ucnv_toUChars(converter_.get(), units.data(), static_cast<std::int32_t>(units.size()), bytes.data(),
                    size_of(bytes), &status);
  if (U_FAILURE(status))
    throw Error("cannot translate '{}': it is not in {}; name its encoding, or convert it to UTF-8",
                document_, name_);
  std::string text;
  return icu::UnicodeString(units.data(), count).toUTF8String(text);
}

std::string Charset::from_utf8(std::string_view text) const {
  const auto units = icu::UnicodeString::fromUTF8({text.data(), size_of(text)});
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size =
      ucnv_fromUChars(converter_.get(), nullptr, 0, units.getBuffer(), units.length(), &status);
  std::string bytes(static_cast<std::size_t>(std::max(size, 0)), '\0');
  if (status == U_BUFFER_OVERFLOW_ERROR || U_SUCCESS(status)) {
    status = U_ZERO_ERROR;
    ucnv_fromUChars(converter_.get(), bytes.data(), size, units.getBuffer(), units.length(), &status);
  }
  if (U_SUCCESS(status)) return bytes;
  std::array<UChar, 4> lacking{};
  auto length = static_cast<std::int8_t>(lacking.size());
  UErrorCode found = U_ZERO_ERROR;
  ucnv_getInvalidUChars(converter_.get(), lacking.data(), &length, &found);
  std::string character;
  icu::UnicodeString(lacking.data(), U_SUCCESS(found) ? length : 0).toUTF8String(character);
  throw Error(
      "cannot translate '{}': its encoding {} lacks the character {} of a translation; convert it to UTF-8",
      document_, name_, quoted(character));
}

bool means_utf8(std::string_view name) {
  const std::string lower = boost::algorithm::to_lower_copy(std::string(name));
  return lower == "utf-8" || lower == "utf8" || lower == "us-ascii" || lower == "ascii";
}

}  // namespace nmt
