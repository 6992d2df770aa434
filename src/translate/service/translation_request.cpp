#include "translate/service/translation_request.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "common/text/number.h"

namespace nmt {

std::shared_ptr<const std::vector<std::string>> shared_phrases(std::vector<std::string> phrases) {
  if (phrases.empty()) return nullptr;
  return std::make_shared<const std::vector<std::string>>(std::move(phrases));
}

namespace {

/// Returns the places of the terms of a request in a sentence, but for the language token and stand-ins.
std::vector<TermPlace> places_of_terms(const TranslationRequest& request, std::string_view sentence,
                                       std::string_view language) {
  if (!request.glossary) return {};
  const std::size_t first = sentence.starts_with(language) ? language.size() : 0;
  std::vector<TermPlace> places = request.glossary->places_in(sentence.substr(first));
  for (TermPlace& place : places) {
    place.begin += first;
    place.end += first;
  }
  std::erase_if(places, [&](const TermPlace& place) {
    const std::string source(sentence.substr(place.begin, place.end - place.begin));
    return request.kept && request.kept->restored(source) != source;
  });
  return places;
}

}  // namespace

std::vector<FoundTerm> terms_of(const TranslationRequest& request, std::string_view sentence,
                                std::string_view language) {
  std::vector<FoundTerm> terms;
  std::set<std::pair<const Term*, std::string>> found;
  for (const auto& [begin, end, term] : places_of_terms(request, sentence, language)) {
    const std::string source(sentence.substr(begin, end - begin));
    const bool is_kept = term->targets.empty();
    if (!found.emplace(term, is_kept ? source : "").second) continue;
    terms.push_back({.source = source, .targets = is_kept ? Alternatives{source} : term->targets});
  }
  return terms;
}

std::vector<TermAnnotation> annotations_of(const TranslationRequest& request, std::string_view sentence,
                                           std::string_view language) {
  std::vector<TermAnnotation> annotations;
  if (request.search->glossary_by != GlossaryBy::annotation) return annotations;
  std::size_t bytes = 0;
  for (const auto& [begin, end, term] : places_of_terms(request, sentence, language)) {
    const std::string translation(term->targets.empty() ? sentence.substr(begin, end - begin)
                                                        : term->targets.front());
    bytes += translation.size();
    if (annotations.size() == kMostTermsOfSentence || bytes > kMostTermBytes) break;
    annotations.push_back({begin, end, translation});
  }
  return annotations;
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
    request.markup = std::make_shared<const MarkedText>(request.text, request.keep.get(), request.markup_ends,
                                                        request.blocks ? *request.blocks : BlockRules());
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

std::shared_ptr<const Constraints> RequestRules::with_terms(const TranslationRequest& request) {
  if (request.terms.empty()) return nullptr;
  std::vector<Alternatives> constraints = request.constraints;
  const Vocabulary& target = request.vocabularies->target;
  std::size_t bytes = 0;
  const std::span<const FoundTerm> terms(request.terms);
  for (const FoundTerm& term : terms.first(std::min(terms.size(), kMostTermsOfSentence))) {
    for (const std::string& text : term.targets) bytes += text.size();
    if (bytes > kMostTermBytes) break;
    constraints.push_back(term.targets);
    // A vocabulary may have nothing for a text, such as invisible characters.
    std::erase_if(constraints.back(), [&](const std::string& text) { return target.encode(text).empty(); });
  }
  return made(constraints, request.vocabularies);
}

std::shared_ptr<const Constraints> RequestRules::made(
    const std::vector<Alternatives>& constraints, const std::shared_ptr<const Vocabularies>& vocabularies) {
  if (vocabularies_ != vocabularies) within_words_ = Constraints::tokens_within_words(vocabularies->target);
  vocabularies_ = vocabularies;
  return std::make_shared<const Constraints>(constraints, vocabularies->target, within_words_);
}

std::shared_ptr<const SentenceRules> RequestRules::of(const TranslationRequest& request) {
  const Vocabulary& target = request.vocabularies->target;
  SentenceRules rules{.allowed = *request.allowed};
  rules.first_tokens =
      request.prefix.empty() ? target.first_tokens() : tokens_of_prefix(request.prefix, target);
  if (!request.constraints.empty()) rules.constraints = made(request.constraints, request.vocabularies);
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
