#include "translate/service/translation_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "backend/devices.h"
#include "backend/little_memory.h"
#include "common/error.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using testing::source_lines;
using ::testing::StartsWith;
using testing::text_model;
using testing::text_vocabulary;

std::shared_ptr<const SearchSettings> search_of(const SearchSettings& settings) {
  return std::make_shared<const SearchSettings>(settings);
}

const std::shared_ptr<const SearchSettings> kShort = search_of({.beam = 2, .max_length_extra = 5});

/// Returns the message of a failure; empty if there is none.
std::string failure_of(const TranslationResult& result) {
  try {
    if (result.failure) std::rethrow_exception(result.failure);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void expect_same(const TranslationResult& found, const TranslationResult& expected) {
  EXPECT_EQ(failure_of(found), failure_of(expected));
  ASSERT_EQ(found.translations.size(), expected.translations.size());
  for (std::size_t i = 0; i < found.translations.size(); ++i) {
    EXPECT_EQ(found.translations[i].text, expected.translations[i].text);
    EXPECT_EQ(found.translations[i].score, expected.translations[i].score);
  }
}

/// Made once, before there are threads, because it is trained in a child process.
const Vocabulary& vocabulary() {
  static const Vocabulary made = text_vocabulary();
  return made;
}

/// A model on a device, and its service.
struct Serving {
  explicit Serving(const std::string& device, int threads = 2, TranslationSettings settings = {})
      : backend(open_backend({.device = device, .threads = threads})),
        model(text_model(*backend, vocabulary())),
        service(std::in_place, std::vector<const SavedModel*>{&model}, workers, settings) {}

  TranslationResult translate(const std::string& text,
                              const std::shared_ptr<const SearchSettings>& search = kShort) {
    return service->submit({.text = text, .search = search}).get();
  }

  std::unique_ptr<Backend> backend;
  SavedModel model;
  Workers workers{*backend};
  std::optional<TranslationService> service;
};

class TranslationServiceTest : public ::testing::TestWithParam<std::string> {
 protected:
  Serving serving_{GetParam()};
};

TEST_P(TranslationServiceTest, RequestsHaveSettingsOfTheirOwn) {
  const std::vector<std::shared_ptr<const SearchSettings>> settings = {
      kShort,
      search_of({.beam = 1, .max_length_extra = 3}),
      search_of({.beam = 5, .length_penalty = 1.2, .max_length_extra = 7, .n_best = 4}),
      search_of({.beam = 3, .max_length_extra = 5, .patience = 0.5}),
      search_of({.beam = 2, .max_length_extra = 5}),
  };
  const std::vector<std::string> lines = source_lines(40);
  const auto request = [&](std::size_t i) {
    const std::size_t kind = i % settings.size();
    const AllowedTokens allowed{.forbidden = kind == 4 ? token_list({4, 6, 9}) : nullptr};
    return TranslationRequest{.text = lines[i],
                              .search = settings[kind],
                              .allowed = std::make_shared<const AllowedTokens>(allowed)};
  };
  std::vector<TranslationResult> alone;
  for (std::size_t i = 0; i < lines.size(); ++i) alone.push_back(serving_.service->submit(request(i)).get());
  EXPECT_EQ(alone[2].translations.size(), 4U);
  std::vector<std::future<TranslationResult>> together;
  for (std::size_t i = 0; i < lines.size(); ++i) together.push_back(serving_.service->submit(request(i)));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(together[i].get(), alone[i]);
  }
}

TEST_P(TranslationServiceTest, WhatMustOccurDoesWhateverStandsBeside) {
  const auto settings = search_of({.beam = 4, .max_length_extra = 12, .n_best = 2});
  const std::vector<std::vector<Alternatives>> all = {
      {}, {{"hund"}}, {{"das haus"}, {"und"}}, {{"frau", "mann"}, {"sieht"}}};
  const std::vector<std::vector<std::string>> avoided = {{"der"}, {"der", "die"}, {"der"}};
  const std::vector<std::string> lines = source_lines(12);
  const auto request = [&](std::size_t i) {
    return TranslationRequest{.text = lines[i],
                              .search = settings,
                              .constraints = all[i % all.size()],
                              .avoid = shared_phrases(avoided[i % avoided.size()])};
  };
  std::vector<TranslationResult> alone;
  for (std::size_t i = 0; i < lines.size(); ++i) alone.push_back(serving_.service->submit(request(i)).get());
  std::vector<std::future<TranslationResult>> together;
  for (std::size_t i = 0; i < lines.size(); ++i) together.push_back(serving_.service->submit(request(i)));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    SCOPED_TRACE(i);
    const TranslationResult result = together[i].get();
    expect_same(result, alone[i]);
    for (const Translation& translation : result.translations) {
      const std::string text = " " + translation.text + " ";
      for (const std::string& word : avoided[i % avoided.size()])
        EXPECT_THAT(text, ::testing::Not(HasSubstr(" " + word + " ")));
      EXPECT_EQ(translation.missing, 0);
      for (const Alternatives& any : request(i).constraints) {
        EXPECT_TRUE(std::ranges::any_of(
            any, [&](const std::string& phrase) { return text.find(phrase) != std::string::npos; }))
            << text << " lacks " << any[0];
      }
    }
  }
  EXPECT_THAT(
      failure_of(
          serving_.service->submit({.text = lines[0], .search = settings, .constraints = {{" "}}}).get()),
      HasSubstr("no word"));
}

// The mask for avoided phrases is kept from one request to the next, as long as nothing else is forbidden.
TEST_P(TranslationServiceTest, WhatIsAvoidedDoesNotHideWhatIsForbiddenBesides) {
  const std::string text = source_lines(1)[0], avoided = "hund";
  const auto translate = [&](const AllowedTokens& allowed, const std::string& avoid) {
    TranslationRequest request{.text = text,
                               .search = search_of({.beam = 2, .max_length_extra = 12}),
                               .allowed = std::make_shared<const AllowedTokens>(allowed),
                               .avoid = shared_phrases({avoid})};
    return " " + serving_.service->submit(std::move(request)).get().translations.at(0).text + " ";
  };
  const AllowedTokens free;
  const std::string before = translate(free, avoided);
  const std::size_t begin = before.rfind(' ', before.size() - 2) + 1;
  const std::string word = before.substr(begin, before.size() - 1 - begin);  // the last one
  ASSERT_FALSE(word.empty());
  AllowedTokens without_word;
  without_word.forbidden_phrases =
      std::make_shared<const std::vector<Phrase>>(std::vector{Phrase(word, vocabulary())});
  const std::string after = translate(without_word, avoided);
  EXPECT_THAT(after, ::testing::Not(HasSubstr(" " + word + " ")));
  EXPECT_EQ(translate(without_word, avoided), after);
  EXPECT_EQ(translate(free, avoided), before);
  EXPECT_THAT(translate(free, word), ::testing::Not(HasSubstr(" " + word + " "))) << "another text";
}

TEST_P(TranslationServiceTest, CountsTokensAndTellsOfCuts) {
  const TranslationResult whole = serving_.translate("the dog runs.");
  EXPECT_GT(whole.source_tokens, 2);
  EXPECT_EQ(whole.truncated_from, std::nullopt);
  Serving short_ones(GetParam(), 2, {.max_length = 2});
  const TranslationResult cut = short_ones.translate("the dog runs.");
  EXPECT_EQ(cut.source_tokens, 2);
  EXPECT_EQ(cut.truncated_from, whole.source_tokens);
  const TranslationResult empty = serving_.translate(" ");
  EXPECT_EQ(empty.source_tokens, 0);
  ASSERT_EQ(empty.translations.size(), 1U);
  EXPECT_EQ(empty.translations[0].text, "");
}

TEST_P(TranslationServiceTest, TellsHowFarItIs) {
  const std::string text = source_lines(1)[0];
  const auto told = [&](const SearchSettings& settings, std::string& last) {
    const auto parts = std::make_shared<std::vector<std::string>>();
    TranslationRequest request{.text = text, .search = search_of(settings)};
    request.on_progress = [parts](std::string so_far) { parts->push_back(std::move(so_far)); };
    last = serving_.service->submit(std::move(request)).get().translations[0].text;
    return *parts;
  };
  const SamplingSettings sampling{.seed = 3};
  for (const SearchSettings& settings :
       {SearchSettings{.beam = 1}, SearchSettings{.beam = 4}, SearchSettings{.sampling = sampling}}) {
    std::string last;
    std::vector<std::string> parts = told(settings, last);
    if (serving_.backend->unread_steps() == 1) {
      EXPECT_GT(parts.size(), 3);
    }
    if (settings.width() > 1) continue;  // it may prefer another one
    parts.push_back(last);
    for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_THAT(parts[i], StartsWith(parts[i - 1]));
  }
}

TEST_P(TranslationServiceTest, WhatBreaksWorkOffIsTheFailureOfWhatWasSubmitted) {
  std::atomic<bool> broken = false;
  TranslationSettings settings;
  settings.before_step = [&] {
    if (broken) throw Error("enough");
  };
  // They outlive the service, because the thread sanitizer does not see how exceptions are counted.
  std::vector<TranslationResult> failed;
  Serving serving(GetParam(), 2, settings);
  const TranslationResult before = serving.translate("the dog runs.");
  broken = true;
  std::vector<std::future<TranslationResult>> all;
  for (const std::string& line : source_lines(30))
    all.push_back(serving.service->submit({.text = line, .search = kShort}));
  for (auto& one : all) {
    failed.push_back(one.get());
    EXPECT_EQ(failure_of(failed.back()), "enough");
  }
  broken = false;
  expect_same(serving.translate("the dog runs."), before);
}

TEST_P(TranslationServiceTest, NobodyHearsOfWhatWasCancelled) {
  std::latch begun(1), go_on(1);
  std::atomic<bool> held = true;
  TranslationSettings settings;
  settings.before_step = [&] {
    if (held.exchange(false)) {
      begun.count_down();
      go_on.wait();
    }
  };
  Serving serving(GetParam(), 2, settings);
  std::atomic<int> heard = 0;
  const auto hear = [&](const TranslationResult&) { ++heard; };
  std::vector<std::uint64_t> ids;
  for (const std::string& line : source_lines(20))
    ids.push_back(serving.service->submit({.text = line, .search = kShort}, hear));
  begun.wait();
  for (const std::uint64_t id : ids) EXPECT_TRUE(serving.service->cancel(id));
  EXPECT_FALSE(serving.service->cancel(ids[0])) << "it was cancelled already";
  EXPECT_FALSE(serving.service->cancel(12345));
  go_on.count_down();
  EXPECT_EQ(failure_of(serving.translate("the dog runs.")), "");
  EXPECT_EQ(heard, 0);
}

/// Counts its copies.
struct CountedState {
  explicit CountedState(std::atomic<int>& counter) : copies(counter) {}
  CountedState(const CountedState& other) : copies(other.copies) { ++copies; }
  CountedState(CountedState&& other) noexcept = default;
  CountedState& operator=(const CountedState&) = delete;
  CountedState& operator=(CountedState&&) = delete;
  ~CountedState() = default;
  std::atomic<int>& copies;
};

TEST_P(TranslationServiceTest, RequestsOfOneSubmissionShareTheirCallback) {
  const auto copies_for = [&](std::size_t count) {
    std::atomic<int> copies = 0;
    std::vector<TranslationRequest> requests(count, {.text = "ba", .search = kShort});
    std::latch left(static_cast<std::ptrdiff_t>(count));
    serving_.service->submit(std::move(requests),
                             [state = CountedState(copies), &left](std::size_t, const TranslationResult&) {
                               static_cast<void>(state);
                               left.count_down();
                             });
    left.wait();
    return copies.load();
  };
  EXPECT_EQ(copies_for(100), copies_for(1));
}

TEST_P(TranslationServiceTest, EndsWithRequestsThatAreNotDone) {
  std::atomic<int> heard = 0;
  for (int i = 0; i < 5; ++i) {
    for (const std::string& line : source_lines(50))
      serving_.service->submit({.text = line, .search = kShort}, [&](const TranslationResult&) { ++heard; });
    serving_.service.emplace(std::vector<const SavedModel*>{&serving_.model}, serving_.workers,
                             TranslationSettings());
  }
  const int before = heard;
  EXPECT_EQ(failure_of(serving_.translate("the dog runs.")), "");
  EXPECT_EQ(heard, before);
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslationServiceTest, ::testing::Values("reference", "cpu"),
                         [](const auto& device) { return device.param; });

TEST(TranslationServiceMemory, ARequestThatIsTooMuchFailsAlone) {
  testing::LittleMemory backend(2);
  const SavedModel model = text_model(backend, vocabulary());
  const auto results_of = [&](const std::vector<std::string>& lines) {
    Workers workers(backend);
    TranslationService service({&model}, workers, {.max_length = 100'000});
    std::vector<std::future<TranslationResult>> futures;
    for (const std::string& line : lines) futures.push_back(service.submit({.text = line, .search = kShort}));
    std::vector<TranslationResult> results;
    for (auto& future : futures) results.push_back(future.get());
    return results;
  };
  std::vector<std::string> lines = source_lines(200);
  const std::vector<TranslationResult> expected = results_of(lines);
  for (int i = 0; i < 20'000; ++i) lines[7] += " the dog";
  backend.leave(testing::kForOneWorker);
  const std::vector<TranslationResult> found = results_of(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 7) {
      EXPECT_THAT(failure_of(found[i]), HasSubstr("tokens take more memory than there is"));
    } else {
      expect_same(found[i], expected[i]);
    }
  }
}

TEST(TranslationServiceNumbers, ARequestThatTheModelComputesNoNumbersForFailsAlone) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = text_model(*backend, vocabulary(), {{"tied_embeddings", "none"}});
  const std::vector<int> dog = vocabulary().encode("dog");
  for (const Parameters::Entry& entry : model.model->parameters().entries()) {
    if (entry.parameter.name != "source_embedding.weight") continue;
    const std::vector<double> nothing(static_cast<std::size_t>(entry.columns),
                                      std::numeric_limits<double>::quiet_NaN());
    upload_reals(*backend, entry.parameter.value.slice_rows(dog[0], 1), nothing);
  }
  Workers workers(*backend);
  TranslationService service({&model}, workers, {});
  std::vector<std::future<TranslationResult>> results;
  const std::vector<std::string> lines = {"a green tree.", "dog", "the house.", "dog dog"};
  for (const std::string& line : lines) results.push_back(service.submit({.text = line, .search = kShort}));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string failure = failure_of(results[i].get());
    if (i % 2 == 0) {
      EXPECT_EQ(failure, "") << lines[i];
    } else {
      EXPECT_THAT(failure, StartsWith("the model computed NaN"));
    }
  }
}

// Marks that are removed before a text is encoded would leave rows, and workers without work.
TEST(TranslationServiceThreads, GoOnAfterManyTextsOfInvisibleMarks) {
  Serving serving("cpu", 2, {.alignment = AlignmentSettings{}});
  std::string text = "dog";
  for (int i = 0; i < 200; ++i) text += "\u00ad";
  std::vector<std::future<TranslationResult>> results;
  for (int i = 0; i < 300; ++i)
    results.push_back(serving.service->submit({.text = text, .search = kShort, .replace_unknown = true}));
  for (std::future<TranslationResult>& result : results) {
    ASSERT_EQ(result.wait_for(std::chrono::minutes(10)), std::future_status::ready)
        << "the workers are stuck";
    EXPECT_EQ(failure_of(result.get()), "");
  }
}

// Two engines in one process, and threads that submit, cancel and fail requests at random. There are enough
// of them that workers divide them, which begins when the background request is done.
TEST(TranslationServiceThreads, InteractiveRequestsBeginWhileTheDeviceHasABackgroundRequest) {
  Serving serving("cpu");
  std::mutex mutex;
  std::vector<int> order;
  std::latch has_begun(1), are_submitted(1), is_done(101);
  bool is_told = false;  // of the thread of the service
  const auto done = [&](int number) {
    return [&, number](const TranslationResult& result) {
      EXPECT_EQ(failure_of(result), "");
      {
        const std::lock_guard lock(mutex);
        order.push_back(number);
      }
      is_done.count_down();
    };
  };
  TranslationRequest background{
      .text = "the dog runs.",
      .search = search_of({.beam = 4, .max_length_extra = 2000, .min_length = 2000}),
      .priority = Priority::background,
      .on_progress = [&](const std::string&) {
        if (!std::exchange(is_told, true)) has_begun.count_down();
        are_submitted.wait();
      }};
  serving.service->submit(std::move(background), done(0));
  has_begun.wait();
  for (int i = 1; i <= 100; ++i)
    serving.service->submit({.text = "the dog runs.", .search = kShort}, done(i));
  are_submitted.count_down();
  is_done.wait();
  EXPECT_EQ(order.back(), 0);
}

TEST(TranslationServiceThreads, AskTwoServicesAtOnce) {
  constexpr int kThreads = 64, kRequests = 6;
  Serving one("cpu", 2), other("cpu", 3);
  const std::vector<std::string> lines = source_lines(8);
  std::vector<TranslationResult> expected;
  for (const std::string& line : lines) expected.push_back(one.translate(line));
  std::atomic<int> answered = 0, cancelled = 0;
  const auto ask = [&](int thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    for (int i = 0; i < kRequests; ++i) {
      Serving& serving = random() % 2 == 0 ? one : other;
      const std::size_t line = random() % lines.size();
      const auto done = std::make_shared<std::promise<TranslationResult>>();
      const std::uint64_t id = serving.service->submit(
          {.text = lines[line], .search = kShort, .group = static_cast<std::int64_t>(random() % 3)},
          [done](TranslationResult result) { done->set_value(std::move(result)); });
      if (random() % 4 == 0 && serving.service->cancel(id)) {
        ++cancelled;
        continue;
      }
      expect_same(done->get_future().get(), expected[line]);
      ++answered;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(ask, thread);
  }
  EXPECT_EQ(answered + cancelled, kThreads * kRequests);
  EXPECT_GT(answered, 0);
}

}  // namespace
}  // namespace nmt
