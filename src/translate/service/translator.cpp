#include "translate/service/translator.h"

#include <exception>
#include <thread>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

// Text of a chunk, lest long lines fill the memory.
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

/// However a translation ends, nobody reads on, and nothing of it is under way any more.
class EndOfWork {
 public:
  EndOfWork(TranslationService& service, OrderedResults& results) : service_(service), results_(results) {}
  ~EndOfWork() {
    results_.stop();
    service_.cancel_all();
  }
  EndOfWork(const EndOfWork&) = delete;
  EndOfWork& operator=(const EndOfWork&) = delete;

 private:
  TranslationService& service_;
  OrderedResults& results_;
};

}  // namespace

/// Lines that are read together.
struct Translator::Chunk {
  std::vector<std::string> lines = {};
  std::optional<double> begin = std::nullopt, end = std::nullopt;  // the part of the file that they are
  bool is_last = false;
  std::exception_ptr unreadable = nullptr;  // what comes after them
};

DecoderCapacity translation_capacity(const TranslatorSettings& settings) {
  return translation_capacity(settings.batch_tokens, settings.search);
}

Translator::Translator(const std::vector<const SavedModel*>& models, Workers& workers,
                       const TranslatorSettings& settings)
    : search_(std::make_shared<SearchSettings>(settings.search)),
      length_limit_(settings.max_length, ensemble_of(models)),
      aligns_(settings.alignment.has_value()),
      chunk_lines_(settings.chunk_lines),
      before_step_(settings.before_step),
      log_(settings.log),
      service_(models, workers,
               {.weights = settings.weights,
                .max_length = settings.max_length,
                .batch_tokens = settings.batch_tokens,
                .capacity = translation_capacity(settings),
                .alignment = settings.alignment,
                .before_step = settings.before_step}) {}

Translator::Chunk Translator::read(TextReader& input) const {
  Chunk chunk{.begin = input.part_read()};
  try {
    std::size_t bytes = 0;
    for (std::string line; chunk.lines.size() < chunk_lines_ && bytes < kChunkBytes;
         chunk.lines.push_back(line)) {
      before_step_();
      if (chunk.is_last = !input.next(line); chunk.is_last) break;
      bytes += line.size();
    }
  } catch (const Error&) {
    chunk.unreadable = std::current_exception();
    chunk.is_last = true;
  }
  chunk.end = input.part_read();
  return chunk;
}

void Translator::submit(Chunk chunk, const Results& results) {
  const std::int64_t first = results->expect(chunk.lines.size(), chunk.begin, chunk.end), group = groups_++;
  std::vector<TranslationRequest> requests;
  requests.reserve(chunk.lines.size());
  for (std::string& line : chunk.lines)
    requests.push_back({.text = std::move(line), .search = search_, .align = aligns_, .group = group});
  service_.submit(std::move(requests), [results, first](std::size_t line, TranslationResult result) {
    results->put(first + static_cast<std::int64_t>(line), std::move(result));
  });
}

void Translator::read_all(TextReader& input, const Results& results) {
  try {
    while (results->wait_for_capacity(chunk_lines_)) {
      Chunk chunk = read(input);
      const bool is_last = chunk.is_last;
      const std::exception_ptr unreadable = chunk.unreadable;
      submit(std::move(chunk), results);
      if (is_last) return results->end(unreadable);
    }
  } catch (...) {
    results->end(std::current_exception());
  }
}

bool Translator::hand_out(OrderedResults& results, const NameOfLine& name_of_line, const Take& take) {
  std::vector<TranslationResult> next = results.take();
  std::vector<NBest> translations;
  std::exception_ptr failure;
  for (TranslationResult& result : next) {
    if (failure = result.failure; failure) break;
    ++counts_.lines;
    counts_.source_tokens += result.source_tokens;
    counts_.target_tokens += result.target_tokens;
    if (result.truncated_from) length_limit_.note(counts_.lines, *result.truncated_from);
    translations.push_back(std::move(result.translations));
  }
  if (!translations.empty()) take(translations);
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const OutOfMemory& error) {
    throw Error("{}: {}", name_of_line(counts_.lines), error.what());
  }
  return !next.empty();
}

void Translator::translate_one_by_one(TextReader& input, const Results& results,
                                      const NameOfLine& name_of_line, const Take& take) {
  for (bool is_last = false; !is_last;) {
    Chunk chunk = read(input);
    is_last = chunk.is_last;
    if (is_last) results->end(chunk.unreadable);
    submit(std::move(chunk), results);
    while (results->size() > 0) hand_out(*results, name_of_line, take);
  }
}

std::vector<NBest> Translator::translate_n_best(const std::vector<std::string>& lines,
                                                const ProgressReport& report) {
  const auto results = std::make_shared<OrderedResults>(report);
  const EndOfWork end(service_, *results);
  submit({.lines = lines, .begin = 0, .end = 1}, results);
  results->end();
  std::vector<NBest> all;
  all.reserve(lines.size());
  const auto take = [&](const std::vector<NBest>& some) { all.insert(all.end(), some.begin(), some.end()); };
  const auto name_of_line = [before = counts_.lines](std::int64_t done) {
    return fmt::format("line {}", done - before + 1);
  };
  while (hand_out(*results, name_of_line, take)) continue;
  counts_.seconds += results->seconds();
  length_limit_.warn(*log_);
  return all;
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const ProgressReport& report) {
  std::vector<Translation> best;
  best.reserve(lines.size());
  for (NBest& translations : translate_n_best(lines, report)) best.push_back(std::move(translations.front()));
  return best;
}

void Translator::translate(TextReader& input, const Take& take, const ProgressReport& report) {
  const auto results = std::make_shared<OrderedResults>(report);
  const std::int64_t first = input.line_number() + 1 - counts_.lines;
  const auto name_of_line = [&](std::int64_t lines) {
    return fmt::format("'{}', line {}", input.name(), first + lines);
  };
  std::jthread reader;
  const EndOfWork end(service_, *results);
  if (chunk_lines_ > 1) {
    reader = std::jthread([&] { read_all(input, results); });
    while (hand_out(*results, name_of_line, take)) continue;
  } else {
    // Who waits for the answer to a line does not write the next one before.
    translate_one_by_one(input, results, name_of_line, take);
  }
  counts_.seconds += results->seconds();
  length_limit_.warn(*log_);
  if (results->failure()) std::rethrow_exception(results->failure());
}

}  // namespace nmt
