#include "engine/json_result.h"

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>

#include "common/text/spelling.h"

namespace nmt {
namespace {

using nlohmann::ordered_json;

double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

void put_scored(const std::vector<ScoredPart>& scored, const std::string& name, ordered_json& target) {
  ordered_json texts = ordered_json::array(), log_probabilities = ordered_json::array();
  for (const ScoredPart& each : scored) {
    texts.push_back(each.text);
    log_probabilities.push_back(rounded(each.log_probability));
  }
  target[name + "s"] = std::move(texts);
  target[name + "_log_probabilities"] = std::move(log_probabilities);
}

ordered_json json_of(const Alignment& alignment, const AlignmentForm& form) {
  ordered_json list = ordered_json::array();
  if (!form.is_soft) {
    for (const auto& [source, target] : alignment_points(alignment, form)) list.push_back({source, target});
    return list;
  }
  for (std::int64_t target = 0; target <= alignment.target_words; ++target) {
    ordered_json row = ordered_json::array();
    for (std::int64_t source = 0; source <= alignment.source_words; ++source)
      row.push_back(rounded(alignment.weight(target, source)));
    list.push_back(std::move(row));
  }
  return list;
}

void put_judged(const std::vector<JudgedSentence>& judged, ordered_json& target) {
  ordered_json sentences = ordered_json::array();
  double sum = 0;
  for (const auto& [source, translation, quality] : judged) {
    sum += quality;
    sentences.push_back({{"source", source}, {"text", translation}, {"quality", rounded(quality)}});
  }
  target["quality"] = rounded(sum / static_cast<double>(judged.size()));
  target["sentences"] = std::move(sentences);
}

void put_terms(const std::vector<FoundTerm>& found, ordered_json& target) {
  ordered_json terms = ordered_json::array();
  for (const auto& [source, targets, is_met] : found)
    terms.push_back({{"source", source}, {"targets", targets}, {"met", is_met}});
  target["terms"] = std::move(terms);
}

ordered_json json_of(const Translation& translation, const JsonForm& form) {
  ordered_json object = {{"text", translation.text},
                         {"score", rounded(translation.score)},
                         {"log_probability", rounded(translation.log_probability)}};
  if (form.has_tokens) {
    put_scored(translation.tokens, "token", object);
    put_scored(translation.words, "word", object);
  }
  if (translation.alternative) {
    object["alternative"] = translation.alternative->text;
    object["alternative_log_probability"] = rounded(translation.alternative->log_probability);
  }
  if (translation.missing > 0) object["missing_constraints"] = translation.missing;
  if (!translation.terms.empty()) put_terms(translation.terms, object);
  if (form.alignment) object["alignment"] = json_of(translation.alignment, *form.alignment);
  if (!translation.sentences.empty()) put_judged(translation.sentences, object);
  return object;
}

}  // namespace

ordered_json json_of(const TranslationResult& result, const JsonForm& form) {
  if (result.failure) return {{"error", with_fields(message_of(result.failure))}};
  ordered_json object = json_of(result.translations.front(), form);
  if (form.is_n_best) {
    object["n_best"] = ordered_json::array();
    for (const Translation& translation : result.translations)
      object["n_best"].push_back(json_of(translation, form));
  }
  if (result.truncated_from) object["truncated"] = true;
  for (const std::string& notice : result.notices) object["notices"].push_back(with_fields(notice));
  return object;
}

std::string json_line(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string message_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "there is no memory left; use smaller batches (`batch_tokens`), a smaller `beam` or a smaller "
           "model";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace nmt
