#include "serve/quality_judge.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

/// The sentences of a request that come before those of the next request.
constexpr std::size_t kSentencesAtATurn = 4;
/// The translations that are judged at a time, unless a single sentence has more. More of them would be a
/// little faster, but new requests wait until they are judged.
constexpr std::size_t kTranslationsAtOnce = 16;

std::string key_of(const JudgedSentence& sentence) {
  return sentence.source + '\n' + sentence.translation;
}

template <class Use>
void each_sentence(std::span<QualityJudge::Work> works, const Use& use) {
  for (QualityJudge::Work& work : works) {
    for (Translation& translation : work.result.translations)
      std::ranges::for_each(translation.sentences, use);
  }
}

}  // namespace

QualityJudge::QualityJudge(std::shared_ptr<const QualityMetric> metric, std::size_t capacity)
    : metric_(std::move(metric)),
      estimates_(capacity),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

QualityJudge::~QualityJudge() {
  thread_ = {};
}

void QualityJudge::add(Work work) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(queues_, work.request, &Queue::request);
  Queue& queue = found == queues_.end() ? queues_.emplace_back(Queue{work.request, {}}) : *found;
  queue.works.push_back(std::move(work));
  changed_.notify_one();
}

void QualityJudge::work(const std::stop_token& stop) {
  for (;;) {
    std::vector<Work> works;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return !queues_.empty(); });
      if (stop.stop_requested()) return;
      works = next();
    }
    std::erase_if(works, [](const Work& work) { return !work.is_wanted(); });
    judge_or_fail(works, stop);
    if (stop.stop_requested()) return;
    for (Work& work : works) work.done(std::move(work.result));
  }
}

std::vector<QualityJudge::Work> QualityJudge::next() {
  std::vector<Work> works;
  std::size_t translations = 0;
  while (!queues_.empty()) {
    Queue& queue = queues_.front();
    for (std::size_t i = 0; i < kSentencesAtATurn && !queue.works.empty(); ++i) {
      translations += queue.works.front().result.translations.size();
      if (!works.empty() && translations > kTranslationsAtOnce) return works;
      works.push_back(std::move(queue.works.front()));
      queue.works.pop_front();
    }
    if (!queue.works.empty()) queues_.push_back(std::move(queue));
    queues_.pop_front();
  }
  return works;
}

void QualityJudge::judge(std::span<Work> works, const std::stop_token& stop) {
  std::vector<JudgedSentence*> sentences;
  std::vector<JudgedTexts> texts;
  each_sentence(works, [&](JudgedSentence& sentence) {
    if (const auto known = estimates_.find(key_of(sentence))) {
      sentence.quality = *known;
      return;
    }
    sentences.push_back(&sentence);
    texts.push_back({sentence.translation, sentence.source, {}});
  });
  if (texts.empty()) return;
  const std::vector<double> estimates = metric_->estimate(texts, [&stop](std::size_t) {
    if (stop.stop_requested()) throw Error("the server is ending");
  });
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentences[i]->quality = estimates[i];
    estimates_.put(key_of(*sentences[i]), estimates[i]);
  }
}

void QualityJudge::judge_or_fail(std::span<Work> works, const std::stop_token& stop) {
  try {
    if (!works.empty()) judge(works, stop);
  } catch (const std::exception&) {
    if (works.size() == 1) {
      works[0].result = {.failure = std::current_exception()};
      return;
    }
    for (std::size_t i = 0; i < works.size() && !stop.stop_requested(); ++i)
      judge_or_fail(works.subspan(i, 1), stop);
  }
}

}  // namespace nmt
