// The interface of the REST server of OpenNMT-py (onmt_server).
#include <nlohmann/json.hpp>

#include "common/text/utf8.h"
#include "serve/interfaces/interfaces.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Returns the model that an item asks for, by number or name; the first one if it does not ask for any.
std::size_t model_of(const Call& call, const json& item) {
  if (!item.contains("id")) return 0;
  const json& id = item["id"];
  if (id.is_string()) return call.model_named(id.get<std::string>());
  const auto count = call.models().sources().size();
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= count)
    throw CallError(404, "unknown model {}; /translator/models lists them", id.dump());
  return id.get<std::size_t>();
}

/// Answers with a list for each of the n best, which has the translations of all texts.
HttpResponse lists(const std::vector<std::string>& sources, const std::vector<TranslationResult>& results) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].failure) std::rethrow_exception(results[i].failure);
    const Translation& best = results[i].translations.front();
    list.push_back({{"src", sources[i]}, {"tgt", best.text}, {"n_best", 1}, {"pred_score", best.score}});
    if (results[i].truncated_from) list.back()["truncated"] = true;
  }
  return json_response(ordered_json::array({list}));
}

}  // namespace

void answer_opennmt(Call& call) {
  const json items = call.json_body();
  if (!items.is_array() || items.empty())
    throw CallError(400, "a request is a list of texts, such as [{{\"src\": \"...\", \"id\": 0}}]");
  call.admit(items.size());
  const std::size_t model = model_of(call, items[0]);
  std::optional<ModelRoute> route =
      call.open({model}, [](const ServedModel& opened, bool) { return usual_request(opened); });
  if (!route) return;
  std::vector<std::string> sources;
  for (const json& item : items) {
    if (!item.is_object() || !item.contains("src") || !item["src"].is_string())
      throw CallError(400, "each item of a request has a text 'src'");
    if (model_of(call, item) != model) throw CallError(400, "all items of a request are for the same model");
    repair_utf8(sources.emplace_back(item["src"].get<std::string>()));
  }
  TextsRequest request{
      .texts = sources, .routes = {std::move(*route)}, .numbers = std::vector<std::size_t>(items.size(), 0)};
  call.translate(std::move(request),
                 [sources = std::move(sources)](const std::vector<TranslationResult>& results) {
                   return lists(sources, results);
                 });
}

void answer_opennmt_models(Call& call) {
  ordered_json models = ordered_json::array();
  for (std::size_t i = 0; i < call.models().sources().size(); ++i) {
    const bool is_open = call.models().is_open(i);
    models.push_back({{"model_id", i},
                      {"model", call.models().sources()[i].name},
                      {"status", is_open ? "loaded" : "loading"},
                      {"loaded", is_open}});
  }
  call.answer(json_response(models));
}

}  // namespace nmt
