#include "translate/service/translator.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"
#include "translate/service/paragraph.h"

namespace nmt {
namespace {

// The maximum number of bytes of a chunk, so that long lines do not fill the memory.
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

/// Stops reading and cancels all unfinished lines, however a translation ends.
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

/// The number of lines and bytes that a chunk still has room for.
struct Translator::Room {
  std::size_t lines, bytes = kChunkBytes;

  bool is_left() const { return lines > 0 && bytes > 0; }
  void take(const std::string& line) {
    --lines;
    bytes -= std::min(bytes, line.size());
  }
};

/// The request of a line, or its failure.
struct Translator::Line {
  TranslationRequest request;
  bool is_beginning = false;  // the rest of the line was too long to read
  std::exception_ptr failure = nullptr;
};

/// Lines that are read together.
struct Translator::Piece {
  std::vector<Line> lines = {};
  std::optional<double> begin = std::nullopt, end = std::nullopt;  // the part of the file that they are
  bool is_last = false;
  std::exception_ptr unreadable = nullptr;  // the failure after these lines
};

Translator::Translator(const std::vector<const SavedModel*>& models, Workers& workers,
                       TranslationSettings settings, LineSettings lines)
    : lines_(std::move(lines)),
      search_(std::make_shared<const SearchSettings>(settings.search)),
      rows_at_a_time_(settings.batch_tokens * workers.count()),
      service_(models, workers, std::move(settings)) {}

std::string Translator::read_beside(TextReader& file, const TextReader& input, bool is_end) {
  std::string line;
  const bool is_there = file.next(line);
  if (is_there == is_end)
    throw Error("'{}' has {} than '{}'; both must have the same number of lines", file.name(),
                is_end ? "more lines" : "fewer lines", input.name());
  return line;
}

void MissedConstraints::note(std::int64_t line) {
  if (lines++ == 0) first = line;
}

void MissedConstraints::warn(Log& log) {
  if (lines == 0) return;
  log.warning("{} not meet all constraints, the first in line {}; a wider beam may help",
              lines == 1 ? "1 translation does" : count_of(lines, "translation") + " do", first);
  lines = 0;
}

void Translator::Counts::add(const TranslationResult& result) {
  ++lines;
  source_tokens += result.source_tokens;
  target_tokens += result.target_tokens;
  if (result.translations.empty()) return;
  const std::vector<FoundTerm>& found = result.translations.front().terms;
  terms += std::ssize(found);
  met_terms += std::ranges::count(found, true, &FoundTerm::is_met);
}

void Notices::tell(const std::vector<std::string>& notices, Log& log) {
  for (const std::string& notice : notices) {
    if (told_.insert(notice).second) log.info("{}", notice);
  }
}

Translator::Line Translator::line_of(std::string text, const std::vector<std::string>& others) const {
  Line line{.request = {.text = {},
                        .search = search_,
                        .align = settings().alignment.has_value(),
                        .context = {.most = lines_.context},
                        .too_long = lines_.too_long}};
  try {
    for (std::size_t i = 0; i < others.size(); ++i) lines_.beside[i].take(others[i], line.request);
    if (lines_.read_request) {
      lines_.read_request(std::move(text), line.request);
    } else {
      line.request.text = std::move(text);
    }
  } catch (const Error& error) {
    line.failure = std::make_exception_ptr(SentenceError("{}", error.what()));
  }
  return line;
}

Translator::Piece Translator::read(TextReader& input, Room& room) const {
  Piece piece{.begin = input.part_read()};
  try {
    for (std::string line; room.is_left() && (piece.lines.empty() || input.is_ready());) {
      settings().before_step();
      piece.is_last = !input.next(line);
      std::vector<std::string> others;
      for (const FileBeside& beside : lines_.beside)
        others.push_back(read_beside(*beside.file, input, piece.is_last));
      if (piece.is_last) break;
      room.take(line);
      piece.lines.push_back(line_of(line, others));
      piece.lines.back().is_beginning = input.is_beginning();
    }
  } catch (const Error&) {
    piece.unreadable = std::current_exception();
    piece.is_last = true;
  }
  piece.end = input.part_read();
  return piece;
}

void Translator::submit(Piece piece, LineWindows& windows, const Results& results) {
  std::vector<TranslationRequest> requests;
  struct Place {
    std::int64_t number;  // of the line
    bool is_beginning;
  };
  std::vector<Place> places;  // of the requests
  std::int64_t number = results->expect(piece.lines.size(), piece.begin, piece.end);
  for (Line& line : piece.lines) {
    if (line.is_beginning && line.request.too_long == TooLong::refuse && !line.failure)
      line.failure = service_.length_limit().refusal(0);
    if (line.failure) {
      results->put(number++, {.failure = line.failure});
      continue;
    }
    line.request.line = lines_before_ + number;
    earlier_.give(line.request.context, line.request.text);
    line.request.group = windows.window_of(line.request);
    requests.push_back(std::move(line.request));
    places.push_back({number++, line.is_beginning});
  }
  submit_texts(service_, std::move(requests), lines_.splitter.get(),
               [results, places = std::move(places)](std::size_t text, TranslationResult result) {
                 // A beginning that consists of spaces is not too long itself.
                 if (places[text].is_beginning && !result.truncated_from) result.truncated_from = 0;
                 results->put(places[text].number, std::move(result));
               });
}

void Translator::read_all(TextReader& input, const Results& results) {
  try {
    LineWindows windows = line_windows();
    Room room{.lines = lines_.chunk_lines};
    // The lines of two chunks, minus those of this chunk that are still to come.
    while (results->wait_for_capacity(2 * lines_.chunk_lines - room.lines)) {
      Piece piece = read(input, room);
      const bool is_last = piece.is_last;
      const std::exception_ptr unreadable = piece.unreadable;
      submit(std::move(piece), windows, results);
      if (is_last) return results->end(unreadable);
      if (!room.is_left()) room = {.lines = lines_.chunk_lines};
    }
  } catch (...) {
    results->end(std::current_exception());
  }
}

bool Translator::tells(const std::exception_ptr& failure) const {
  if (!lines_.tells_failures) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const SentenceError&) {
    return true;
  } catch (...) {
    return false;
  }
}

void Translator::begin_text(std::int64_t lines_before) {
  lines_before_ = lines_before;
  earlier_.clear();
  counted_before_ = counts_.lines;
}

bool Translator::hand_out(OrderedResults& results, const NameOfLine& name_of_line, const Take& take) {
  std::vector<TranslationResult> next = results.take(), done;
  std::exception_ptr failure;
  for (TranslationResult& result : next) {
    if (result.failure && !tells(result.failure)) {
      failure = result.failure;
      break;
    }
    counts_.add(result);
    if (std::ranges::any_of(result.translations, [](const Translation& t) { return t.missing > 0; }))
      missed_.note(line());
    truncated_.note(line(), result.truncated_from);
    notices_.tell(result.notices, *settings().log);
    done.push_back(std::move(result));
  }
  if (!done.empty()) take(done);
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const SentenceError& error) {
    throw Error("{}: {}", name_of_line(line() + 1), error.what());
  }
  return !next.empty();
}

void Translator::translate_one_by_one(TextReader& input, const Results& results,
                                      const NameOfLine& name_of_line, const Take& take) {
  LineWindows windows = line_windows();
  for (bool is_last = false; !is_last;) {
    Room room{.lines = 1};
    Piece line = read(input, room);
    is_last = line.is_last;
    if (is_last) results->end(line.unreadable);
    submit(std::move(line), windows, results);
    while (results->size() > 0) hand_out(*results, name_of_line, take);
  }
}

std::vector<NBest> Translator::translate_n_best(const std::vector<std::string>& lines,
                                                const ProgressReport& report) {
  const auto results = std::make_shared<OrderedResults>(report);
  const EndOfWork end(service_, *results);
  begin_text(0);
  Piece piece{.begin = 0, .end = 1};
  for (const std::string& line : lines) piece.lines.push_back(line_of(line, {}));
  LineWindows windows = line_windows();
  submit(std::move(piece), windows, results);
  results->end();
  std::vector<NBest> all;
  all.reserve(lines.size());
  const auto take = [&](const std::vector<TranslationResult>& some) {
    for (const TranslationResult& result : some) all.push_back(result.translations);
  };
  const auto name_of_line = [](std::int64_t line) { return fmt::format("line {}", line); };
  while (hand_out(*results, name_of_line, take)) continue;
  counts_.seconds += results->seconds();
  truncated_.warn(service_.length_limit(), *settings().log);
  missed_.warn(*settings().log);
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
  begin_text(input.line_number());
  const auto name_of_line = [&](std::int64_t line) {
    return fmt::format("'{}', line {}", input.name(), line);
  };
  std::jthread reader;
  const EndOfWork end(service_, *results);
  if (lines_.chunk_lines > 1) {
    reader = std::jthread([&] { read_all(input, results); });
    while (hand_out(*results, name_of_line, take)) continue;
  } else {
    // A client that waits for the answer to a line does not write the next one before.
    translate_one_by_one(input, results, name_of_line, take);
  }
  counts_.seconds += results->seconds();
  truncated_.warn(service_.length_limit(), *settings().log);
  missed_.warn(*settings().log);
  if (results->failure()) std::rethrow_exception(results->failure());
}

}  // namespace nmt
