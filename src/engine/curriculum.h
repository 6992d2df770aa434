// A curriculum: texts by name, and the stages that mix them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/job_context.h"
#include "data/augmentation/modifier.h"
#include "data/corpus.h"
#include "data/text/parallel_text.h"
#include "train/stage.h"

namespace nmt {

/// A text to train on.
struct CurriculumText {
  std::string name;
  std::string file;             // a packed corpus, or columns of text
  std::vector<Column> columns;  // of text
};

/// When a stage ends.
struct StageEnd {
  Interval until{0, Interval::Unit::updates};  // its length; 0: no limit
  std::string text = {};     // epochs are those of this text; empty: passes over the whole mixture
  std::int64_t stalled = 0;  // validations without a better one; 0: no limit

  bool operator==(const StageEnd&) const = default;
};

/// Parses "2 epochs of wmt" (whose name may contain spaces), "2 epochs" (passes over the mixture), "50M
/// tokens" (target tokens), "20000 updates" and "stalled 10" (validations). Returns nothing for any other
/// text.
std::optional<StageEnd> parse_stage_end(std::string_view text);

struct CurriculumStage {
  std::string name;
  std::vector<std::pair<std::string, double>> mix;  // names of texts and their ratios
  ModifierRates augment = {};
  std::optional<std::int64_t> max_length = {};    // none: that of the run
  std::optional<std::int64_t> batch_tokens = {};  // none: those of the run
  std::optional<double> learning_rate = {};       // none: that of the run
  std::string until = {};                         // see parse_stage_end(); empty: until the run ends
};

struct Curriculum {
  std::vector<CurriculumText> texts;
  std::vector<CurriculumStage> stages;

  /// Whether any text has a column of alignments.
  bool has_alignment() const;
  /// Throws UsageError, which calls the curriculum `name`, unless each stage mixes texts that exist, all
  /// stages but the last one end, ratios are positive, and all names differ. Modifiers that need alignments
  /// need texts that have them.
  void check(const std::string& name) const;
};

/// The texts of a curriculum, opened.
class CurriculumCorpora {
 public:
  /// Opens the texts that stages use. `encoding`: for text; packed corpora must have its vocabularies. Throws
  /// Error if a file cannot be read, and UsageError for other vocabularies.
  CurriculumCorpora(const Curriculum& curriculum, const Encoding& encoding, const JobContext& job);

  /// Returns the stages, which refer to this object.
  const std::vector<TrainingStage>& stages() const { return stages_; }

 private:
  /// Opens a text for a stage.
  std::unique_ptr<const Corpus> open(const CurriculumText& text, const CurriculumStage& stage,
                                     const Encoding& encoding, const JobContext& job);
  void add_stage(const Curriculum& curriculum, const CurriculumStage& stage, const Encoding& encoding,
                 const JobContext& job);

  std::map<std::string, std::shared_ptr<const ParallelText>> texts_;  // by name
  std::vector<std::unique_ptr<const Corpus>> corpora_;
  std::vector<TrainingStage> stages_;
};

}  // namespace nmt
