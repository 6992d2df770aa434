// Passes the texts of a request from model to model.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/text_task.h"

namespace nmt {

/// A model of a route, and the request to it, without a text.
struct RouteStep {
  ServedModelPtr model;
  TranslationRequest asked;
};
/// The models that translate a text, each of which gets the best translation of the one before; none: the
/// text is its own translation.
using ModelRoute = std::vector<RouteStep>;

/// Returns the request to a model for texts of another program's interface: unknown words are copied by
/// default.
TranslationRequest usual_request(const ServedModel& model);

/// The request of a client.
struct TextsRequest {
  std::string client = {};  // see FairTurns
  std::vector<std::string> texts = {};
  std::vector<ModelRoute> routes = {};
  std::vector<std::size_t> numbers = {};  // for each text, the number of its route
  /// Whether the sentences of a text are translated one by one (see Paragraph); none: the default of its
  /// model.
  std::optional<bool> splits = {};
};

/// Makes the tasks that translate the texts of a request: the first is for the first models of all routes,
/// the next one for the second models, and so on.
class RoutedTexts {
 public:
  explicit RoutedTexts(TextsRequest request) : request_(std::move(request)) {}

  /// Returns the next task; null after the last one. All but the first need the results of the task before.
  std::shared_ptr<TextTask> next_task();
  /// Takes the results of a task.
  void put(std::vector<TranslationResult> results);
  /// Returns the results of all tasks. A text that one model could not translate has failed.
  std::vector<TranslationResult> take_results() { return std::move(results_); }

 private:
  const ModelRoute& route(std::size_t text) const { return request_.routes[request_.numbers[text]]; }

  TextsRequest request_;
  std::size_t tasks_ = 0;  // made so far
  std::vector<TranslationResult> results_;
};

}  // namespace nmt
