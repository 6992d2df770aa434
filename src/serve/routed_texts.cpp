#include "serve/routed_texts.h"

#include <algorithm>
#include <utility>

namespace nmt {
namespace {

/// Adds to the result of a model what the models before it reported about the same text.
void add_report_of(TranslationResult before, TranslationResult& result) {
  if (before.failure) result.failure = before.failure;
  if (before.truncated_from) result.truncated_from = before.truncated_from;
  for (std::string& notice : result.notices) {
    if (std::ranges::count(before.notices, notice) == 0) before.notices.push_back(std::move(notice));
  }
  result.notices = std::move(before.notices);
}

}  // namespace

TranslationRequest usual_request(const ServedModel& model) {
  return {.search = model.search(),
          .replace_unknown = model.replaces_unknown(true),
          .keep = model.keep(true),
          .too_long = model.too_long()};
}

std::shared_ptr<TextTask> RoutedTexts::next_task() {
  static const auto kSearch = std::make_shared<const SearchSettings>();
  const auto is_done = [this](const ModelRoute& route) { return route.size() <= tasks_; };
  if (tasks_ > 0 && std::ranges::all_of(request_.routes, is_done)) return nullptr;
  std::vector<ModelText> texts;
  texts.reserve(request_.texts.size());
  for (std::size_t i = 0; i < request_.texts.size(); ++i) {
    const ModelRoute& models = route(i);
    ModelText& text = texts.emplace_back(ModelText{.request = {.search = kSearch}});
    if (!is_done(models)) text = {.request = models[tasks_].asked, .model = models[tasks_].model};
    text.request.text = std::exchange(request_.texts[i], {});
    text.request.line = static_cast<std::int64_t>(i);
  }
  ++tasks_;
  return std::make_shared<TextTask>(request_.client, std::move(texts), request_.splits);
}

void RoutedTexts::put(std::vector<TranslationResult> results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t models = route(i).size();
    if (tasks_ > std::max<std::size_t>(models, 1)) {
      results[i] = std::move(results_[i]);  // this text was finished before
    } else if (tasks_ > 1) {
      add_report_of(std::move(results_[i]), results[i]);
    }
    if (models > tasks_ && !results[i].failure) request_.texts[i] = results[i].translations.front().text;
  }
  results_ = std::move(results);
}

}  // namespace nmt
