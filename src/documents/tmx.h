// Translation memories in TMX 1.4.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "documents/document.h"

namespace nmt {

/// Writes texts and their translations as a translation memory.
class TmxWriter {
 public:
  /// `write` takes the bytes of the file. The languages are codes such as "en"; empty: unknown.
  TmxWriter(std::function<void(std::string_view)> write, std::string_view source_language,
            std::string_view target_language);

  void add(std::string_view source, std::string_view target);
  /// Completes the file. Call it once, last.
  void finish();

 private:
  std::function<void(std::string_view)> write_;
  std::string source_language_, target_language_;
};

/// Translates a document as translate_document() does, but writes its texts and their translations as a
/// translation memory. The languages: see TmxWriter.
void translate_to_tmx(const DocumentInput& source, const DocumentFormat& format, TranslateTexts translate,
                      const std::function<void(std::string_view)>& write, std::string_view source_language,
                      std::string_view target_language);

}  // namespace nmt
