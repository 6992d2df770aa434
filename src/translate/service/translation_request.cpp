#include "translate/service/translation_request.h"

#include <utility>

namespace nmt {

std::shared_ptr<const std::vector<std::string>> shared_phrases(std::vector<std::string> phrases) {
  if (phrases.empty()) return nullptr;
  return std::make_shared<const std::vector<std::string>>(std::move(phrases));
}

void set_apart(TranslationRequest& request) {
  if (!request.has_markup && !request.keep) return;
  if (request.align) {
    throw UsageError(
        "{} and `alignment` exclude each other: words that are kept or inside tags have no numbers; leave "
        "one out",
        request.has_markup ? "`markup`" : "`keep`");
  }
  if (request.has_markup) {
    request.markup =
        std::make_shared<const MarkedText>(request.text, request.keep.get(), request.markup_ends);
    request.kept = std::shared_ptr<const KeptParts>(request.markup, &request.markup->kept());
    request.text = request.markup->plain();
  } else {
    auto parts = std::make_shared<KeptParts>(request.text);
    request.text = with_stand_ins(request.text, *request.keep, *parts);
    request.kept = std::move(parts);
  }
  if (request.kept->empty()) request.kept = nullptr;
  // A translation begins with the kept parts that its prefix has.
  if (request.kept) request.prefix = request.kept->with_stand_ins(request.prefix);
}

}  // namespace nmt
