#include "engine/curriculum.h"

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/words.h"
#include "data/mixed_corpus.h"
#include "data/packed/packed_corpus.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

/// Reads a positive number, perhaps with a suffix: "2", "0.5", "50M".
std::optional<double> positive_number(std::string_view text) {
  const std::optional<double> number = number_of<double>(digits_of(text).value_or(std::string(text)));
  return number && *number > 0 && *number < 1e15 ? number : std::nullopt;
}

std::optional<Interval::Unit> unit_named(std::string_view name) {
  if (name == "epoch" || name == "epochs") return Interval::Unit::epochs;
  if (name == "token" || name == "tokens") return Interval::Unit::tokens;
  if (name == "update" || name == "updates") return Interval::Unit::updates;
  return std::nullopt;
}

const CurriculumText* find(const Curriculum& curriculum, const std::string& name) {
  const auto found = std::ranges::find(curriculum.texts, name, &CurriculumText::name);
  return found == curriculum.texts.end() ? nullptr : &*found;
}

bool has_column(const CurriculumText& text, Column column) {
  return std::ranges::count(text.columns, column) > 0;
}

bool is_packed(const CurriculumText& text) {
  return PackedFile::is_one(text.file);
}

/// Throws UsageError for a stage that cannot be; `name` is that of the curriculum.
void check_stage(const Curriculum& curriculum, const CurriculumStage& stage, const std::string& name) {
  const std::string place = fmt::format("{}: stage {}", name, quoted(stage.name));
  if (stage.mix.empty()) throw UsageError("{} has no text; name one in its mix", place);
  for (const auto& [text, ratio] : stage.mix) {
    if (find(curriculum, text) == nullptr) {
      std::vector<std::string> known;
      for (const CurriculumText& each : curriculum.texts) known.push_back(each.name);
      throw UsageError("{}: unknown text {}{}; choose from {}", place, quoted(text),
                       did_you_mean(text, known), join(known, ", "));
    }
    if (!(ratio > 0))
      throw UsageError("{}: the ratio of {} is not above 0; leave the text out", place, quoted(text));
  }
  const bool is_last = &stage == &curriculum.stages.back();
  if (stage.until.empty()) {
    if (!is_last) throw UsageError("{} never ends, but another one follows; give it an end (until)", place);
    return;
  }
  const std::optional<StageEnd> end = parse_stage_end(stage.until);
  if (!end) {
    throw UsageError(
        "{}: until: expected '2 epochs of TEXT', '50M tokens', '20000 updates' or 'stalled 10', got {}",
        place, quoted(stage.until));
  }
  const auto is_end_text = [&](const auto& part) { return part.first == end->text; };
  if (!end->text.empty() && std::ranges::none_of(stage.mix, is_end_text))
    throw UsageError("{} ends after epochs of {}, which its mix lacks; name one of its texts", place,
                     quoted(end->text));
}

/// Throws UsageError if modifiers of a stage need alignments that a text of its mixture lacks.
void check_alignment(const CurriculumStage& stage, const CurriculumText& text, bool has_alignment) {
  if (has_alignment || !stage.augment.change(ModifierUnit::word)) return;
  throw UsageError(
      "stage {}: placeholder, copy, tag and terms need word alignments, which '{}' lacks; leave them out",
      quoted(stage.name), text.file);
}

/// Returns the settings of a stage that differ from those of its run.
StageSettings settings_of(const CurriculumStage& stage) {
  StageSettings settings;
  if (!stage.until.empty()) settings["until"] = stage.until;
  if (const std::string noise = join(texts_of(stage.augment), ","); !noise.empty())
    settings["augment"] = noise;
  if (stage.max_length) settings["max_length"] = fmt::format("{}", *stage.max_length);
  if (stage.batch_tokens) settings[kStageBatchTokens] = fmt::format("{}", *stage.batch_tokens);
  if (stage.learning_rate) settings[kStageLearningRate] = fmt::format("{}", *stage.learning_rate);
  return settings;
}

}  // namespace

std::optional<StageEnd> parse_stage_end(std::string_view text) {
  const std::vector<std::string_view> words = words_in(text);
  if (words.size() == 2 && words[0] == "stalled") {
    const std::optional<std::int64_t> count = number_of<std::int64_t>(words[1]);
    return count && *count > 0 ? std::optional(StageEnd{.stalled = *count}) : std::nullopt;
  }
  if (words.size() != 2 && words.size() < 4) return std::nullopt;
  const std::optional<double> amount = positive_number(words[0]);
  const std::optional<Interval::Unit> unit = unit_named(words[1]);
  if (!amount || !unit) return std::nullopt;
  StageEnd end{.until = {*amount, *unit}};
  if (words.size() == 2) return end;
  if (*unit != Interval::Unit::epochs || words[2] != "of") return std::nullopt;
  end.text.assign(words[3].data(), words.back().data() + words.back().size());
  return end;
}

bool Curriculum::has_alignment() const {
  return std::ranges::any_of(texts, [](const CurriculumText& text) {
    return is_packed(text) || has_column(text, Column::alignment);
  });
}

void Curriculum::check(const std::string& name) const {
  if (texts.empty()) throw UsageError("{} names no texts to train on; add them", name);
  if (stages.empty()) throw UsageError("{} has no stages", name);
  for (const CurriculumText& text : texts) {
    if (std::ranges::count(text.columns, Column::source) != 1 ||
        std::ranges::count(text.columns, Column::target) != 1)
      throw UsageError("{}: columns: one column must be the source and one the target, as in source,target",
                       name);
  }
  std::set<std::string> seen;
  for (const CurriculumStage& stage : stages) {
    if (!seen.insert(stage.name).second)
      throw UsageError("{}: two stages are called {}; rename one", name, quoted(stage.name));
    check_stage(*this, stage, name);
  }
}

CurriculumCorpora::CurriculumCorpora(const Curriculum& curriculum, const Encoding& encoding,
                                     const JobContext& job) {
  for (const CurriculumStage& stage : curriculum.stages) add_stage(curriculum, stage, encoding, job);
}

std::unique_ptr<const Corpus> CurriculumCorpora::open(const CurriculumText& text,
                                                      const CurriculumStage& stage, const Encoding& encoding,
                                                      const JobContext& job) {
  const Augmentation augmentation(stage.augment);
  Encoding encoded = encoding;
  encoded.filter.max_length = stage.max_length.value_or(encoding.filter.max_length);
  if (is_packed(text)) {
    auto packed = std::make_unique<const PackedCorpus>(text.file, encoded.filter.max_length, augmentation);
    if (!(packed->source_vocabulary() == encoding.source && packed->target_vocabulary() == encoding.target))
      throw UsageError("'{}' was packed with other vocabularies than those of the model; pack the text again",
                       text.file);
    check_alignment(stage, text, packed->has_links());
    return packed;
  }
  const bool has_alignment = has_column(text, Column::alignment);
  check_alignment(stage, text, has_alignment);
  std::shared_ptr<const ParallelText>& lines = texts_[text.name];
  if (!lines) {
    lines = std::make_shared<const ParallelText>(PairReader::from_columns(text.file, job, text.columns),
                                                 *job.log);
  }
  encoded.has_alignment = encoding.has_alignment && has_alignment;
  encoded.has_weights = has_column(text, Column::weights);
  return std::make_unique<const TextCorpus>(lines, encoded, augmentation);
}

void CurriculumCorpora::add_stage(const Curriculum& curriculum, const CurriculumStage& stage,
                                  const Encoding& encoding, const JobContext& job) {
  const StageEnd end = parse_stage_end(stage.until).value_or(StageEnd());
  TrainingStage opened{.name = stage.name,
                       .learning_rate = stage.learning_rate,
                       .batch_tokens = stage.batch_tokens,
                       .until = end.until,
                       .stalled = end.stalled,
                       .end = stage.until,
                       .settings = settings_of(stage)};
  std::vector<const Corpus*> corpora;
  std::vector<double> ratios;
  for (const auto& [name, ratio] : stage.mix) {
    corpora_.push_back(open(*find(curriculum, name), stage, encoding, job));
    corpora.push_back(corpora_.back().get());
    ratios.push_back(ratio);
  }
  opened.corpus = corpora.front();
  if (corpora.size() > 1) {
    auto mixed = std::make_unique<const MixedCorpus>(corpora, ratios);
    const auto part = std::ranges::find(stage.mix, end.text, &std::pair<std::string, double>::first);
    if (part != stage.mix.end()) {
      const std::int64_t draws = mixed->draws(static_cast<std::size_t>(part - stage.mix.begin()));
      const std::int64_t size = corpora[static_cast<std::size_t>(part - stage.mix.begin())]->size();
      opened.until.amount *= static_cast<double>(size) / static_cast<double>(draws);
    }
    opened.corpus = mixed.get();
    corpora_.push_back(std::move(mixed));
  }
  stages_.push_back(std::move(opened));
}

}  // namespace nmt
