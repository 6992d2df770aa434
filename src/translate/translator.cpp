#include "translate/translator.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "common/error.h"
#include "translate/length_batches.h"
#include "translate/within_memory.h"

namespace nmt {
namespace {

// The beam up to which a batch may hold all its tokens: hypotheses of wider ones take more memory each.
constexpr std::int64_t kUsualBeam = 4;

}  // namespace

std::vector<std::vector<std::size_t>> translation_batches(const std::vector<std::int64_t>& lengths,
                                                          const TranslatorSettings& settings,
                                                          std::int64_t workers) {
  const std::int64_t beam = std::max<std::int64_t>(kUsualBeam, settings.search.beam);
  return batches_by_length(lengths, settings.batch_tokens * kUsualBeam / beam,
                           {.count = workers, .least_share = kLeastShare * kUsualBeam / beam});
}

Translator::Translator(const std::vector<const SavedModel*>& models, Backend& backend, Arena& arena,
                       const TranslatorSettings& settings)
    : ensemble_(ensemble_of(models)),
      vocabularies_(models[0]->vocabularies),
      length_limit_(settings.max_length, ensemble_),
      workers_(backend, arena),
      settings_(settings) {
  if (settings.alignment) aligner_.emplace(*models[0], backend, *settings.alignment);
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

void Translator::align(const std::vector<std::string>& lines, const std::vector<Example>& batch,
                       const std::vector<std::vector<Hypothesis>>& found, Backend& backend, Arena& arena,
                       std::vector<NBest>& translations) const {
  std::vector<AlignedPair> pairs;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Words source =
        words_of(vocabularies_.source, lines[static_cast<std::size_t>(batch[i].id)], batch[i].source.size());
    for (const Hypothesis& hypothesis : found[i]) {
      pairs.push_back({{batch[i].id, batch[i].source, hypothesis.ids},
                       source,
                       words_of(vocabularies_.target, hypothesis.ids)});
    }
  }
  std::vector<Alignment> alignments = aligner_->align(backend, arena, pairs, settings_.batch_tokens);
  auto next = alignments.begin();
  for (const Example& example : batch) {
    for (Translation& translation : translations[static_cast<std::size_t>(example.id)]) {
      translation.alignment = std::move(*next++);
    }
  }
}

std::vector<NBest> Translator::translate_within_memory(const std::vector<std::string>& lines,
                                                       std::optional<double> begin, std::optional<double> end,
                                                       const ProgressReport& report) {
  const std::int64_t lines_before = counts_.lines;
  std::vector<Example> examples;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Example example{.id = static_cast<std::int64_t>(i), .source = vocabularies_.source.encode(lines[i])};
    length_limit_.cut(example, ++counts_.lines);
    if (example.source.empty()) continue;
    counts_.source_tokens += std::ssize(example.source);
    lengths.push_back(std::ssize(example.source) + 1);
    examples.push_back(std::move(example));
  }
  std::vector<NBest> translations(lines.size(), NBest(1));
  const std::vector<std::vector<std::size_t>> batches =
      translation_batches(lengths, settings_, workers_.count());
  std::atomic<std::int64_t> target_tokens = 0;
  WithinMemory affordable(examples.size());
  ChunkProgress progress(lines_before, examples.size(), begin, end, report);
  workers_.run(batches.size(), [&](std::size_t batch_number, Backend& backend, Arena& arena) {
    affordable.run(batches[batch_number], [&](const std::vector<std::size_t>& numbers) {
      std::vector<Example> batch;
      batch.reserve(numbers.size());
      for (const std::size_t number : numbers) batch.push_back(examples[number]);
      const auto found = search(ensemble_, backend, arena, batch, settings_.search, settings_.before_step);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        target_tokens += static_cast<std::int64_t>(found[i].front().ids.size());
        translations[static_cast<std::size_t>(batch[i].id)] = decode(found[i]);
      }
      if (aligner_) align(lines, batch, found, backend, arena, translations);
      progress.add(batch.size());
    });
  });
  counts_.target_tokens += target_tokens;
  if (affordable.end() < examples.size()) {
    translations.resize(static_cast<std::size_t>(examples[affordable.end()].id));
  }
  return translations;
}

void Translator::fail_for_memory(const std::string& where, const std::string& line) const {
  throw Error("{}: its {} tokens take more memory than there is; shorten or split it", where,
              vocabularies_.source.encode(line).size());
}

std::vector<NBest> Translator::translate_n_best(const std::vector<std::string>& lines,
                                                const ProgressReport& report) {
  std::vector<NBest> translations = translate_within_memory(lines, 0, 1, report);
  length_limit_.warn();
  if (const std::size_t done = translations.size(); done < lines.size()) {
    fail_for_memory(fmt::format("line {}", done + 1), lines[done]);
  }
  return translations;
}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const ProgressReport& report) {
  std::vector<Translation> best;
  best.reserve(lines.size());
  for (NBest& translations : translate_n_best(lines, report)) best.push_back(std::move(translations.front()));
  return best;
}

void Translator::translate(TextReader& input, const std::function<void(const std::vector<NBest>&)>& take,
                           const ProgressReport& report) {
  std::vector<std::string> lines;
  std::exception_ptr unreadable;  // what comes before it is translated all the same
  for (bool more = true; more;) {
    lines.clear();
    const std::int64_t first = input.line_number() + 1;
    const std::optional<double> begin = input.part_read();
    try {
      for (std::string line; lines.size() < settings_.chunk_lines; lines.push_back(line)) {
        settings_.before_step();
        if (more = input.next(line); !more) break;
      }
    } catch (const Error&) {
      unreadable = std::current_exception();
      more = false;
    }
    const std::vector<NBest> translations = translate_within_memory(lines, begin, input.part_read(), report);
    const std::size_t done = translations.size();
    if (done > 0) take(translations);
    if (done < lines.size()) {
      fail_for_memory(fmt::format("'{}', line {}", input.name(), first + static_cast<std::int64_t>(done)),
                      lines[done]);
    }
  }
  length_limit_.warn();
  if (unreadable) std::rethrow_exception(unreadable);
}

}  // namespace nmt
