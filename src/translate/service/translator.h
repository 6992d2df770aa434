// Translator: lines to lines, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/io/text_reader.h"
#include "common/log/progress_line.h"
#include "data/text/sentences.h"
#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "translate/service/line_windows.h"
#include "translate/service/ordered_results.h"
#include "translate/service/translation.h"
#include "translate/service/translation_service.h"

namespace nmt {

/// A file with a line for each line of a file that is translated, of which `take` makes something that its
/// request asks for. It is called before TranslatorSettings::read_request.
struct FileBeside {
  TextReader* file;  // outlives the translator
  std::function<void(const std::string& line, TranslationRequest& request)> take;
};

struct TranslatorSettings {
  SearchSettings search;
  /// How much each model of an ensemble counts; none: all the same.
  std::vector<double> weights = {};
  /// See TranslationServiceSettings; one warning about all of a text tells of lines that were cut.
  std::optional<std::int64_t> max_length = std::nullopt;
  TooLong too_long = TooLong::split;  // where a line does not say
  std::int64_t batch_tokens = 2048;
  /// Whether and how translations are aligned with their sources, as a coverage penalty needs it.
  std::optional<AlignmentSettings> alignment = std::nullopt;
  /// Where given, the sentences of a line are translated one by one (see Paragraph).
  std::shared_ptr<const SentenceSplitter> splitter = nullptr;
  /// Lines of a chunk of a file, which are read together. Those that are translated are of two chunks at
  /// most, so that there always are enough, and few enough to stay in memory. What a pipe has brought of a
  /// chunk does not wait for the rest. 1: each line is answered before the next one is read.
  std::size_t chunk_lines = 8192;
  /// Makes a request of a line of a file: takes it, and leaves all that it does not say as it is. What it
  /// throws, an Error, is the failure of this line. None: the line is the text.
  std::function<void(std::string line, TranslationRequest& request)> read_request = nullptr;
  /// Whether lines of a file that fail alone (SentenceError) are results that say why. Else the first of them
  /// ends the work.
  bool tells_failures = false;
  /// What else there is for the lines of a file.
  std::vector<FileBeside> beside = {};
  /// Called before each line that is read and each step of a search, on whichever thread does so; may throw
  /// to end the work.
  std::function<void()> before_step = [] {};
  /// Where the warning goes; it outlives the translator.
  Log* log = &silent_log();
};

/// Lines whose translations lack what must occur in them.
struct MissedConstraints {
  std::int64_t lines = 0, first = 0;

  /// This line is one of them, of those that are told of in order.
  void note(std::int64_t line);
  /// Warns of those since the last warning, if there are any.
  void warn(Log& log);
};

/// Notices of results, each of which is told once.
class Notices {
 public:
  void tell(const std::vector<std::string>& notices, Log& log);

 private:
  std::set<std::string> told_;
};

/// The most capacity that each worker takes for lines of usual length.
DecoderCapacity translation_capacity(const TranslatorSettings& settings);

/// Translates lines in order, with a model or an ensemble of models whose vocabularies are equal: a client of
/// TranslationService. A translation depends on its line alone. An empty line (one without any token) becomes
/// an empty line.
class Translator {
 public:
  /// What has been translated so far. Tokens are those of the vocabularies, special ones not counted. Seconds
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
  /// Translates a file, or what is left of it; lines are numbered, for samples too, as they are in the whole.
  /// `take` gets what came of the lines that are next and done, again and again, while
  /// others are read and translated. Where a line cannot be read or fails, `take` gets all lines before it,
  /// and then an Error tells; so it does where a file beside has more or fewer lines.
  void translate(TextReader& input, const std::function<void(const std::vector<TranslationResult>&)>& take,
                 const ProgressReport& report = {});

  const Counts& counts() const { return counts_; }

 private:
  struct Room;
  struct Line;
  struct Piece;
  using Results = std::shared_ptr<OrderedResults>;
  using Take = std::function<void(const std::vector<TranslationResult>&)>;
  using NameOfLine = std::function<std::string(std::int64_t)>;

  /// The request of a line, of which `others` are the lines in the files beside.
  Line line_of(std::string text, const std::vector<std::string>& others) const;
  /// The next lines of a file that have come, at least one, and for which there is room, which they take.
  Piece read(TextReader& input, Room& room) const;
  /// What a file has for the line that was read last; at the end, makes sure that there is no more.
  static std::string read_beside(TextReader& file, const TextReader& input, bool is_end);
  /// Reads chunk after chunk and has it translated, while there is capacity among the results.
  void read_all(TextReader& input, const Results& results);
  /// Those of a text.
  LineWindows line_windows() const {
    return LineWindows(rows_at_a_time_, static_cast<std::int64_t>(chunk_lines_));
  }
  /// Has the lines of a piece translated, those of each window longest first.
  void submit(Piece piece, LineWindows& windows, const Results& results);
  /// Whether what failed is told in the place of a translation.
  bool tells(const std::exception_ptr& failure) const;
  /// What follows is a text, of which so many lines came before.
  void begin_text(std::int64_t lines_before);
  /// The number in its text of the line that was counted last.
  std::int64_t line() const { return lines_before_ + counts_.lines - counted_before_; }
  /// Waits for the next lines that are done, hands them out, counts them, and notes those that were cut;
  /// false: there are no more. A failure is thrown when all before it have been handed out; `name_of_line`
  /// tells what to call the line of this number that failed.
  bool hand_out(OrderedResults& results, const NameOfLine& name_of_line, const Take& take);
  /// Reads a line, has it translated, hands it out, and reads the next one.
  void translate_one_by_one(TextReader& input, const Results& results, const NameOfLine& name_of_line,
                            const Take& take);

  std::shared_ptr<const SearchSettings> search_;
  LengthLimit length_limit_;
  TooLong too_long_;
  MissedConstraints missed_;
  Notices notices_;
  bool aligns_, tells_failures_;
  std::function<void(std::string, TranslationRequest&)> read_request_;
  std::shared_ptr<const SentenceSplitter> splitter_;
  std::size_t chunk_lines_;
  std::int64_t rows_at_a_time_;
  std::vector<FileBeside> beside_;
  std::function<void()> before_step_;
  Log* log_;
  Counts counts_;
  std::int64_t lines_before_ = 0;    // in the text, before those that are translated of it
  std::int64_t counted_before_ = 0;  // lines of other texts
  TranslationService service_;
};

}  // namespace nmt
