// A server of a small model, and requests of its clients.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <latch>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/temporary_folder.h"
#include "http/http_client.h"
#include "serve/translation_server.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {

/// Parses the source of one model.
inline ModelSource model_source(const std::string& text) {
  const std::vector<ModelSource> sources = model_sources(text);
  EXPECT_EQ(sources.size(), 1U);
  return sources.at(0);
}

/// Keeps a model that is idle from translating, so that requests stay in progress while this object exists.
class HeldModel {
 public:
  /// `text`: anything that the model translates.
  HeldModel(ServedModelPtr model, const std::string& text)
      : model_(std::move(model)),
        result_(model_->service().submit({.text = text,
                                          .search = model_->search(),
                                          .on_progress = [this](const std::string&) { wait(); }})) {
    begun_.wait();
  }
  ~HeldModel() {
    released_.count_down();
    result_.wait();
  }
  HeldModel(const HeldModel&) = delete;
  HeldModel& operator=(const HeldModel&) = delete;

 private:
  void wait() {
    if (!std::exchange(has_begun_, true)) begun_.count_down();
    released_.wait();
  }

  ServedModelPtr model_;
  bool has_begun_ = false;  // of the thread of the model
  std::latch begun_{1}, released_{1};
  std::future<TranslationResult> result_;
};

class ServingTest : public ::testing::Test {
 protected:
  ServingTest() {
    const SavedModel model = testing::text_model(*backend_, testing::text_vocabulary());
    save_model(path_, write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
  }

  /// Serves the model as "en-de" after it is open.
  TranslationServer& serve(ServerSettings settings = {}, std::int64_t cached_sentences = 0) {
    settings.port = 0;
    // Not even a slow machine takes so long.
    if (settings.timeout == ServerSettings().timeout) settings.timeout = std::chrono::minutes(10);
    ServingSettings serving = kServing;
    serving.cached_sentences = cached_sentences;
    server_ = std::make_unique<TranslationServer>(settings, std::vector{model_source("en-de=" + path_)},
                                                  serving, silent_log());
    EXPECT_TRUE(serve_until(*server_, [this] { return server_->models().are_ready(); }));
    return *server_;
  }

  /// Serves the model under each of these names.
  TranslationServer& serve_as(const std::vector<std::string>& names, ServerSettings settings,
                              const ServingSettings& serving = kServing) {
    settings.port = 0;
    std::vector<ModelSource> sources;
    for (const std::string& name : names) sources.push_back(model_source(name + '=' + path_));
    server_ = std::make_unique<TranslationServer>(settings, sources, serving, silent_log());
    EXPECT_TRUE(serve_until(*server_, [this] { return server_->models().are_ready(); }));
    return *server_;
  }

  /// Returns copies of the model with these names, which share no memory.
  std::vector<ModelSource> copies_of_model(const std::vector<std::string>& names) {
    std::vector<ModelSource> copies;
    for (const std::string& name : names) {
      const std::string copy = folder_ / (name + ".safetensors");
      std::filesystem::copy_file(path_, copy);
      copies.push_back(model_source(copy));
    }
    return copies;
  }

  /// Keeps the first model from translating.
  std::unique_ptr<HeldModel> hold_model() {
    return std::make_unique<HeldModel>(server_->models().take(0), lines_[0]);
  }

  static std::string head_of(const std::string& method, const std::string& path, const std::string& fields) {
    return method + ' ' + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields;
  }
  static std::string post_of(const std::string& path, const std::string& body,
                             const std::string& type = "application/json") {
    return head_of("POST", path,
                   "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size())) +
           "\r\n\r\n" + body;
  }
  /// Return complete answers.
  std::string get(const std::string& path, const std::string& fields = "") {
    return HttpClient(*server_, head_of("GET", path, fields) + "\r\n").hear_all();
  }
  std::string post(const std::string& path, const std::string& body,
                   const std::string& type = "application/json") {
    return HttpClient(*server_, post_of(path, body, type)).hear_all();
  }
  static nlohmann::json body_of(const std::string& answer) {
    return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  /// Returns the translations of these lines by nmt translate, all of an n-best list in a row.
  std::vector<std::string> expected(const std::vector<std::string>& lines, int n_best = 1) {
    const SavedModel model = open_model(path_, *backend_);
    Workers workers(*backend_);
    std::vector<std::string> texts;
    for (const NBest& list :
         Translator(model, workers, {.search = {.n_best = n_best}}).translate_n_best(lines)) {
      for (const Translation& translation : list) texts.push_back(translation.text);
    }
    return texts;
  }

  static inline const ServingSettings kServing = {.device = {.device = "cpu", .threads = 2}};
  const std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 2});
  const std::vector<std::string> lines_ = testing::source_lines(4);
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "model.safetensors";
  std::unique_ptr<TranslationServer> server_;
};

}  // namespace nmt
