#include "translate/translator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <new>

#include "common/error.h"
#include "data/batches/length_order.h"
#include "translate/length_batches.h"
#include "translate/within_memory.h"

namespace nmt {
namespace {

// Text of a chunk, lest long lines fill the memory.
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
// Of few lines, each worker holds this part of its share at a time, so that none is left alone with the last;
// but so many tokens at least.
constexpr std::int64_t kLeastTurns = 4;
constexpr std::int64_t kLeastTokens = 512;
// Bytes of text that are taken for a token before it is encoded.
constexpr std::int64_t kBytesOfToken = 4;
// Source rows of a usual sentence, by which tokens are shared out to sources and hypotheses.
constexpr std::int64_t kUsualRows = 25;

/// The numbers of lines, the longest first: the last to be left alone are short. Tokens are not known yet.
std::vector<std::size_t> numbers_by_length(const std::vector<std::string>& lines) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(lines.size());
  for (const std::string& line : lines) lengths.push_back(std::ssize(line));
  return longest_first(lengths);
}

/// About how many tokens these lines have.
std::int64_t estimated_tokens(const std::vector<std::string>& lines) {
  std::int64_t bytes = 0;
  for (const std::string& line : lines) bytes += std::ssize(line);
  return bytes / kBytesOfToken;
}

/// Room for so many tokens.
DecoderRoom room_for(std::int64_t tokens, const SearchSettings& search) {
  const std::int64_t source_rows =
      tokens * kUsualRows / (kUsualRows + Search::expected_rows(kUsualRows, search));
  return {source_rows, tokens - source_rows};
}

}  // namespace

DecoderRoom translation_room(const TranslatorSettings& settings) {
  return room_for(settings.batch_tokens, settings.search);
}

Translator::Translator(const std::vector<const SavedModel*>& models, Workers& workers,
                       const TranslatorSettings& settings)
    : ensemble_(ensemble_of(models)),
      vocabularies_(models[0]->vocabularies),
      length_limit_(settings.max_length, ensemble_),
      workers_(workers),
      settings_(settings) {
  if (settings.alignment) aligner_.emplace(*models[0], workers.device(), *settings.alignment);
}

std::string Translator::decode(const std::vector<std::int32_t>& ids) const {
  std::string text = vocabularies_.target.decode(ids);
  // Pieces that spell bytes can spell the end of a line, but a line in is a line out.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

NBest Translator::decode(const std::vector<Hypothesis>& hypotheses) const {
  NBest translations;
  translations.reserve(hypotheses.size());
  for (const Hypothesis& hypothesis : hypotheses) {
    translations.push_back({hypothesis.score, decode(hypothesis.ids)});
  }
  return translations;
}

/// Lines that are translated together, and how far they are.
struct Translator::Chunk {
  const std::vector<std::string>& lines;
  std::int64_t lines_before;  // in the text
  ChunkProgress progress;
  std::vector<Example> examples{lines.size()};  // of lines that were encoded
  std::vector<NBest> translations{lines.size(), NBest(1)};
  WithinMemory affordable{lines.size()};
  std::mutex cutting;  // for the length limit, which counts
  std::atomic<std::int64_t> source_tokens = 0, target_tokens = 0;
};

/// The translations of lines as far as memory goes.
struct Translator::Affordable {
  std::vector<NBest> translations;
  // Of the line after them, which takes more than there is; 0 where it could not be encoded.
  std::optional<std::size_t> tokens = std::nullopt;

  /// Tells of that line, if there is one, which `name_of_line` names by its place.
  void check(const std::function<std::string(std::size_t)>& name_of_line) const;
};

/// Lines of a file that are translated together.
struct Translator::Text {
  std::vector<std::string> lines = {};
  std::int64_t first = 1;                                          // number of the first one
  std::optional<double> begin = std::nullopt, end = std::nullopt;  // the part of the file that they are
  bool is_last = false;
  std::exception_ptr unreadable = nullptr;  // what comes after them
};

void Translator::align(Chunk& chunk, const std::vector<Search::Found>& found, Worker& worker) const {
  std::vector<AlignedPair> pairs;
  for (const auto& [id, hypotheses] : found) {
    const auto number = static_cast<std::size_t>(id);
    const std::vector<int>& ids = chunk.examples[number].source;
    const std::string_view line = length_limit_.beginning_of(chunk.lines[number]);
    const Words source = words_of(vocabularies_.source, line, ids.size());
    for (const Hypothesis& hypothesis : hypotheses) {
      pairs.push_back({{id, ids, hypothesis.ids}, source, words_of(vocabularies_.target, hypothesis.ids)});
    }
  }
  std::vector<Alignment> alignments = aligner_->align(worker, pairs, settings_.batch_tokens);
  auto next = alignments.begin();
  for (const Search::Found& sentence : found) {
    for (Translation& translation : chunk.translations[static_cast<std::size_t>(sentence.id)]) {
      translation.alignment = std::move(*next++);
    }
  }
}

const Example& Translator::encode(Chunk& chunk, std::size_t number) {
  Example& example = chunk.examples[number];
  if (!example.source.empty()) return example;
  const auto line = static_cast<std::int64_t>(number);
  const std::string_view text = length_limit_.beginning_of(chunk.lines[number]);
  example = {.id = line, .source = vocabularies_.source.encode(text), .target = {}};
  {
    const std::lock_guard lock(chunk.cutting);
    length_limit_.cut(example, chunk.lines_before + line + 1, text.size() < chunk.lines[number].size());
  }
  chunk.source_tokens += std::ssize(example.source);
  return example;
}

std::int64_t Translator::busy_workers(const std::vector<std::string>& lines) const {
  const std::int64_t workers = workers_.count();
  return estimated_tokens(lines) < workers * kLeastShare ? 1 : workers;
}

DecoderRoom Translator::room_of_each(const std::vector<std::string>& lines, std::int64_t workers) const {
  if (workers == 1) return translation_room(settings_);
  const std::int64_t sources = estimated_tokens(lines);
  const std::int64_t hypotheses = sources + std::ssize(lines) * Search::expected_rows(0, settings_.search);
  const std::int64_t share = (sources + hypotheses) / workers / kLeastTurns;
  return room_for(std::min(std::max(share, kLeastTokens), settings_.batch_tokens), settings_.search);
}

void Translator::translate(Chunk& chunk, const NextLine& next_line, const DecoderRoom& room, Worker& worker) {
  const auto next = [&]() -> std::optional<Example> {
    while (const std::optional<std::size_t> number = next_line()) {
      const Example& example = encode(chunk, *number);
      if (!example.source.empty()) return example;
      chunk.affordable.set_done(*number);
      chunk.progress.add(1);
    }
    return std::nullopt;
  };
  Search search(ensemble_, worker, settings_.search, room, next);
  for (settings_.before_step(); !chunk.affordable.is_out() && search.step(); settings_.before_step()) {
    const std::vector<Search::Found> found = search.take();
    if (found.empty()) continue;
    for (const auto& [id, hypotheses] : found) {
      chunk.translations[static_cast<std::size_t>(id)] = decode(hypotheses);
    }
    if (aligner_) align(chunk, found, worker);
    for (const auto& [id, hypotheses] : found) {
      chunk.target_tokens += std::ssize(hypotheses.front().ids);
      chunk.affordable.set_done(static_cast<std::size_t>(id));
    }
    chunk.progress.add(found.size());
  }
}

void Translator::translate_side_by_side(Chunk& chunk, std::int64_t workers, const DecoderRoom& room) {
  const std::vector<std::size_t> numbers = numbers_by_length(chunk.lines);
  std::atomic<std::size_t> next = 0;
  const auto next_line = [&]() -> std::optional<std::size_t> {
    for (std::size_t i = next++; i < numbers.size(); i = next++) {
      if (chunk.affordable.begin(numbers[i])) return numbers[i];
    }
    return std::nullopt;
  };
  workers_.run(static_cast<std::size_t>(workers), [&](std::size_t, Worker& worker) {
    try {
      translate(chunk, next_line, room, worker);
    } catch (const std::bad_alloc&) {
      chunk.affordable.set_out();
    }
  });
}

void Translator::translate_alone(Chunk& chunk, const std::vector<std::size_t>& numbers,
                                 const DecoderRoom& room) {
  workers_.give_back();
  std::size_t next = 0;
  const auto next_line = [&] {
    return next < numbers.size() ? std::optional(numbers[next++]) : std::nullopt;
  };
  workers_.run(1, [&](std::size_t, Worker& worker) { translate(chunk, next_line, room, worker); });
}

Translator::Affordable Translator::translate_within_memory(const std::vector<std::string>& lines,
                                                           std::optional<double> begin,
                                                           std::optional<double> end,
                                                           const ProgressReport& report) {
  const auto start = std::chrono::steady_clock::now();
  Chunk chunk{.lines = lines,
              .lines_before = counts_.lines,
              .progress = {counts_.lines, lines.size(), begin, end, report}};
  counts_.lines += std::ssize(lines);
  const std::int64_t workers = busy_workers(lines);
  const DecoderRoom room = room_of_each(lines, workers);
  do {
    translate_side_by_side(chunk, workers, room);
  } while (chunk.affordable.finish(
      [&](const std::vector<std::size_t>& numbers) { translate_alone(chunk, numbers, room); }));
  counts_.source_tokens += chunk.source_tokens;
  counts_.target_tokens += chunk.target_tokens;
  counts_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Affordable affordable{.translations = std::move(chunk.translations)};
  if (const std::size_t done = chunk.affordable.end(); done < lines.size()) {
    affordable.translations.resize(done);
    affordable.tokens = chunk.examples[done].source.size();
  }
  return affordable;
}

void Translator::Affordable::check(const std::function<std::string(std::size_t)>& name_of_line) const {
  if (!tokens) return;
  throw Error("{}: {} more memory than there is; shorten or split it", name_of_line(translations.size()),
              *tokens > 0 ? fmt::format("its {} tokens take", *tokens) : "it takes");
}

std::vector<NBest> Translator::translate_n_best(const std::vector<std::string>& lines,
                                                const ProgressReport& report) {
  Affordable affordable = translate_within_memory(lines, 0, 1, report);
  length_limit_.warn(*settings_.log);
  affordable.check([](std::size_t line) { return fmt::format("line {}", line + 1); });
  return std::move(affordable.translations);
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const ProgressReport& report) {
  std::vector<Translation> best;
  best.reserve(lines.size());
  for (NBest& translations : translate_n_best(lines, report)) best.push_back(std::move(translations.front()));
  return best;
}

Translator::Text Translator::read(TextReader& input) const {
  Text text{.first = input.line_number() + 1, .begin = input.part_read()};
  try {
    std::size_t bytes = 0;
    for (std::string line; text.lines.size() < settings_.chunk_lines && bytes < kChunkBytes;
         text.lines.push_back(line)) {
      settings_.before_step();
      if (text.is_last = !input.next(line); text.is_last) break;
      bytes += line.size();
    }
  } catch (const Error&) {
    text.unreadable = std::current_exception();
    text.is_last = true;
  }
  text.end = input.part_read();
  return text;
}

void Translator::translate(TextReader& input, const std::function<void(const std::vector<NBest>&)>& take,
                           const ProgressReport& report) {
  const auto more = [&] { return read(input); };
  Text text = more();
  for (std::future<Text> ahead;; text = ahead.get()) {
    // Who waits for the answer to a line does not write the next one before.
    const bool waits = settings_.chunk_lines == 1;
    if (!text.is_last) ahead = std::async(waits ? std::launch::deferred : std::launch::async, more);
    const Affordable affordable = translate_within_memory(text.lines, text.begin, text.end, report);
    if (!affordable.translations.empty()) take(affordable.translations);
    affordable.check([&](std::size_t line) {
      return fmt::format("'{}', line {}", input.name(), text.first + static_cast<std::int64_t>(line));
    });
    if (text.is_last) break;
  }
  length_limit_.warn(*settings_.log);
  if (text.unreadable) std::rethrow_exception(text.unreadable);
}

}  // namespace nmt
