// Translator: text to text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/io/text_reader.h"
#include "common/log/progress_line.h"
#include "nn/saved_model.h"
#include "tensor/workers.h"
#include "translate/alignment.h"
#include "translate/length_limit.h"
#include "translate/search.h"

namespace nmt {

struct TranslatorSettings {
  SearchSettings search;
  /// Most tokens of a line, end mark not counted; longer ones are cut, with one warning about all of a text,
  /// and so are those of more than most_bytes().
  std::int64_t max_length = kUsualMaxLength;
  /// Most tokens that each worker of a device holds at a time, of sources and of their hypotheses, end marks
  /// counted. A line that is more alone counts as it is.
  std::int64_t batch_tokens = 2048;
  /// Lines of a file that are read before they are translated, and again meanwhile: enough to be translated
  /// side by side, few enough to stay in memory. 1: each line is answered before the next one is read.
  std::size_t chunk_lines = 8192;
  /// Whether and how translations are aligned with their sources.
  std::optional<AlignmentSettings> alignment = std::nullopt;
  /// Called before each line that is read and each step of a search, on whichever thread does so; may throw
  /// to end the work.
  std::function<void()> before_step = [] {};
  /// Where the warning goes; it outlives the translator.
  Log* log = &silent_log();
};

/// The most room that each worker takes for lines of usual length.
DecoderRoom translation_room(const TranslatorSettings& settings);

struct Translation {
  double score = 0;  // see Hypothesis; 0 for an empty line
  std::string text;
  Alignment alignment;  // by the first model; where it is asked for
};

/// Translations of one line, best first.
using NBest = std::vector<Translation>;

/// Translates lines in order, with a model or an ensemble of models whose vocabularies are equal. A
/// translation depends on its line alone. An empty line (one without any token) becomes an empty line.
class Translator {
 public:
  /// What has been translated so far. Tokens are those of the vocabularies, end marks not counted. Seconds
  /// are those of translating, not of waiting for lines.
  struct Counts {
    std::int64_t lines = 0, source_tokens = 0, target_tokens = 0;
    double seconds = 0;
  };

  /// `model` lies on the device of `workers`; both must outlive the translator.
  Translator(const SavedModel& model, Workers& workers, const TranslatorSettings& settings)
      : Translator(std::vector{&model}, workers, settings) {}
  /// The same for at least one model.
  Translator(const std::vector<const SavedModel*>& models, Workers& workers,
             const TranslatorSettings& settings);

  // All translations tell `report` how many lines are done.

  /// The best translation of each of these lines. Throws Error for a line that takes more memory than there
  /// is.
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const ProgressReport& report = {});
  /// The settings' n_best translations of each line, or as many as there are, at least one; best first.
  /// Throws as translate().
  std::vector<NBest> translate_n_best(const std::vector<std::string>& lines,
                                      const ProgressReport& report = {});
  /// Translates a file, a chunk of lines at a time; `take` gets the translations of each chunk, while the
  /// next one is read. Where a line cannot be read or takes more memory than there is, `take` gets all lines
  /// before it, and then an Error tells.
  void translate(TextReader& input, const std::function<void(const std::vector<NBest>&)>& take,
                 const ProgressReport& report = {});

  const Counts& counts() const { return counts_; }

 private:
  struct Affordable;
  struct Chunk;
  struct Text;
  /// The number of the line of a chunk that comes next; threads may ask at the same time.
  using NextLine = std::function<std::optional<std::size_t>()>;

  /// The next lines of a file, as many as are translated together.
  Text read(TextReader& input) const;
  /// Translates these lines, which reach from part `begin` of the whole to part `end`, as far as memory goes.
  Affordable translate_within_memory(const std::vector<std::string>& lines, std::optional<double> begin,
                                     std::optional<double> end, const ProgressReport& report);
  /// A line of a chunk as an example, whose id is its place there; a thread at a time asks for a line.
  const Example& encode(Chunk& chunk, std::size_t number);
  /// How many of the workers find enough to do in these lines, and the room of each of so many.
  std::int64_t busy_workers(const std::vector<std::string>& lines) const;
  DecoderRoom room_of_each(const std::vector<std::string>& lines, std::int64_t workers) const;
  /// Translates lines in this room, until none comes or memory is out for somebody.
  void translate(Chunk& chunk, const NextLine& next_line, const DecoderRoom& room, Worker& worker);
  /// Has so many workers translate what is not begun yet, each in this room.
  void translate_side_by_side(Chunk& chunk, std::int64_t workers, const DecoderRoom& room);
  /// Translates these lines when nobody else takes memory.
  void translate_alone(Chunk& chunk, const std::vector<std::size_t>& numbers, const DecoderRoom& room);
  /// Adds to translations how they are aligned.
  void align(Chunk& chunk, const std::vector<Search::Found>& found, Worker& worker) const;
  std::string decode(const std::vector<std::int32_t>& ids) const;
  NBest decode(const std::vector<Hypothesis>& hypotheses) const;

  Ensemble ensemble_;
  const Vocabularies& vocabularies_;
  LengthLimit length_limit_;
  Workers& workers_;
  TranslatorSettings settings_;
  std::optional<Aligner> aligner_;
  Counts counts_;
};

}  // namespace nmt
