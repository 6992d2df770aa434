// Translates lines in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/io/text_reader.h"
#include "common/log/progress_line.h"
#include "data/text/sentences.h"
#include "nn/saved/saved_model.h"
#include "tensor/workers.h"
#include "translate/service/ordered_results.h"
#include "translate/service/translation.h"
#include "translate/service/translation_service.h"

namespace nmt {

/// A file with a line for each line of the translated file, which `take` puts into the request of that line.
/// `take` is called before LineSettings::read_request.
struct FileBeside {
  TextReader* file;  // outlives the translator
  std::function<void(const std::string& line, TranslationRequest& request)> take;
};

/// The settings with which a Translator makes requests from lines.
struct LineSettings {
  TooLong too_long = TooLong::split;  // for lines that do not say
  /// Maximum number of sentences before a line that are its context, for lines that do not say; see
  /// TranslationRequest::context. An empty line separates documents.
  std::size_t context = 0;
  /// If set, the sentences of a line are translated one by one (see Paragraph).
  std::shared_ptr<const SentenceSplitter> splitter = nullptr;
  /// Number of lines of a file that are read together (a chunk). At most two chunks are translated at a time,
  /// so that there are always enough lines, and few enough for memory. The lines of a chunk that a pipe has
  /// delivered do not wait for the rest. 1: each line is answered before the next one is read.
  std::size_t chunk_lines = 8192;
  /// Makes a request of a line of a file, and leaves everything that the line does not say unchanged. An
  /// Error that it throws is the failure of this line. If the function is empty, the line is the text.
  std::function<void(std::string line, TranslationRequest& request)> read_request = nullptr;
  /// Whether a line of a file that fails alone (SentenceError) becomes a result with its failure. Otherwise
  /// the first such line ends the work.
  bool tells_failures = false;
  /// Further files that belong to the lines of a file.
  std::vector<FileBeside> beside = {};
};

/// Counts the lines whose translations lack required words or phrases.
struct MissedConstraints {
  std::int64_t lines = 0, first = 0;

  /// Counts this line. Lines are counted in order.
  void note(std::int64_t line);
  /// Logs a warning of the lines counted since the last warning, if there are any.
  void warn(Log& log);
};

/// Logs each notice of results only once.
class Notices {
 public:
  /// Logs the notices that were not logged before.
  void tell(const std::vector<std::string>& notices, Log& log);

 private:
  std::set<std::string> told_;
};

/// Translates lines in order, with a model or an ensemble of models whose vocabularies are equal, by a
/// TranslationService. Each translation depends only on its line. An empty line (one without any token)
/// becomes an empty line.
class Translator {
 public:
  /// Totals so far. Tokens are those of the vocabularies, without special tokens. Seconds include the time of
  /// translating, but not of waiting for lines.
  struct Counts {
    std::int64_t lines = 0, source_tokens = 0, target_tokens = 0;
    std::int64_t terms = 0, met_terms = 0;  // of glossaries, in the best translations
    double seconds = 0;

    /// Adds the result of a line.
    void add(const TranslationResult& result);
  };

  /// `model` must be on the device of `workers`; both, and the log of `settings`, must outlive the
  /// translator. Calls TranslationSettings::before_step also before reading each line, on the reading thread.
  /// At the end of a text, warns about lines that were truncated. If `settings` have an alignment, all lines
  /// are aligned.
  Translator(const SavedModel& model, Workers& workers, TranslationSettings settings, LineSettings lines = {})
      : Translator(std::vector{&model}, workers, std::move(settings), std::move(lines)) {}
  /// Translates with at least one model.
  Translator(const std::vector<const SavedModel*>& models, Workers& workers, TranslationSettings settings,
             LineSettings lines = {});

  // The following functions call `report` with the number of lines that are done.

  /// Returns the best translation of each line. Throws Error for a line that needs more memory than there is.
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const ProgressReport& report = {});
  /// Returns the settings' n_best translations of each line, or as many as there are, at least one; best
  /// first. Throws as translate() does.
  std::vector<NBest> translate_n_best(const std::vector<std::string>& lines,
                                      const ProgressReport& report = {});
  /// Translates a file, or the rest of it; line numbers, also for samples, are those of the whole file. Calls
  /// `take` again and again with the next results in order while other lines are read and translated. If a
  /// line cannot be read or fails, or if a file beside it has more or fewer lines, `take` gets all lines
  /// before it, and then Error is thrown.
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

  /// Makes the request of a line; `others` are its lines in the files beside.
  Line line_of(std::string text, const std::vector<std::string>& others) const;
  /// Returns the next lines of a file that have arrived and for which there is room, at least one, and takes
  /// that room.
  Piece read(TextReader& input, Room& room) const;
  /// Returns the line of a file beside that belongs to the line that was read last; at the end, checks that
  /// there is no more.
  static std::string read_beside(TextReader& file, const TextReader& input, bool is_end);
  /// Reads chunk after chunk and submits it while the results have capacity.
  void read_all(TextReader& input, const Results& results);
  /// Returns the windows of a text.
  LineWindows line_windows() const {
    return LineWindows(rows_at_a_time_, static_cast<std::int64_t>(lines_.chunk_lines));
  }
  /// Submits the lines of a piece, the longest of each window first.
  void submit(Piece piece, LineWindows& windows, const Results& results);
  /// Whether a failure becomes the result of its line.
  bool tells(const std::exception_ptr& failure) const;
  /// Begins the part of a text after its first `lines_before` lines.
  void begin_text(std::int64_t lines_before);
  /// The number, in its text, of the line that was counted last.
  std::int64_t line() const { return lines_before_ + counts_.lines - counted_before_; }
  /// Waits for the next lines that are done, passes them to `take`, counts them, and notes those that were
  /// truncated; returns false if there are no more. Throws a failure after all lines before it;
  /// `name_of_line` returns the name of a line in messages.
  bool hand_out(OrderedResults& results, const NameOfLine& name_of_line, const Take& take);
  /// Reads a line, translates it and passes it to `take` before it reads the next one.
  void translate_one_by_one(TextReader& input, const Results& results, const NameOfLine& name_of_line,
                            const Take& take);

  const TranslationSettings& settings() const { return service_.settings(); }

  LineSettings lines_;
  std::shared_ptr<const SearchSettings> search_;
  std::int64_t rows_at_a_time_;
  EarlierTexts earlier_;  // lines of the text
  TruncatedLines truncated_;
  MissedConstraints missed_;
  Notices notices_;
  Counts counts_;
  std::int64_t lines_before_ = 0;    // in the text, before the part that is translated
  std::int64_t counted_before_ = 0;  // lines of other texts
  TranslationService service_;
};

}  // namespace nmt
