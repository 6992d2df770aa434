#include "data/vocabulary/vocabulary_trainer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <unordered_map>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/log/progress_line.h"
#include "common/text/number.h"
#include "common/text/pattern.h"
#include "common/text/utf8.h"
#include "data/vocabulary/child.h"
#include "data/vocabulary/line_sample.h"
#include "data/vocabulary/sentencepiece.h"
#include "data/vocabulary/vocabulary_check.h"

namespace nmt {
namespace {

using sentencepiece::SentencePieceTrainer;
using sentencepiece::util::Status;

// First byte of the answer of the trainer's process.
constexpr char kTrained = '+', kFailed = '-';
constexpr std::string_view kOutOfMemory = "memory";

// Maximum bytes of a line for SentencePiece. Longer lines are split, as its sums could overflow.
constexpr std::size_t kLongestPart = 4192;
// Below this amount of text, 32 bits are enough for SentencePiece's positions and scores, which halves its
// memory.
constexpr std::int64_t kMostBytesOf32Bits = std::int64_t{1} << 27;
// Marks rare characters in SentencePiece's trainer, which skips text that contains it.
constexpr std::string_view kReserved = "\xE2\x96\x85";

/// Passes lines to SentencePiece, each once.
class LineIterator final : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  bool done() const override { return at_ == lines_.size(); }
  void Next() override { lines_[at_++] = {}; }
  const std::string& value() const override { return lines_[at_]; }
  Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

/// The text read from the inputs.
struct Text {
  LineSample sample;
  std::vector<std::string> beginnings = {};  // of the first lines of each input
  std::int64_t lines = 0, split_lines = 0;
};

/// Calls take(part) for all parts of a line, split at spaces if possible, and never within a character.
template <class Take>
void for_each_part(std::string_view line, Take take) {
  while (line.size() > kLongestPart) {
    std::size_t end = line.rfind(' ', kLongestPart);
    if (end == std::string_view::npos || end == 0) end = beginning_of(line, kLongestPart).size();
    take(line.substr(0, end));
    line.remove_prefix(end);
  }
  take(line);
}

Text read_text(const VocabularySettings& settings) {
  constexpr std::size_t kBeginning = 1000;
  Text text{LineSample(settings.sample_lines, settings.sample_bytes, settings.seed)};
  ProgressLine progress(*settings.job.log, "reading", "line");
  for (std::size_t input = 0; input < settings.inputs.size(); ++input) {
    TextReader reader(settings.inputs[input], CarriageReturn::drop, std::nullopt, settings.job);
    const std::size_t most = text.beginnings.size() + kBeginning;
    for (std::string line; reader.next(line); ++text.lines) {
      settings.job.stop->check();
      constexpr std::int64_t kLinesBetweenReports = 1000;
      if (text.lines % kLinesBetweenReports == 0) {  // inputs count as if they had equal sizes
        const double part = static_cast<double>(input) + reader.part_read().value_or(0);
        progress.show(text.lines, part / static_cast<double>(settings.inputs.size()));
      }
      if (line.empty()) continue;
      if (text.beginnings.size() < most) text.beginnings.emplace_back(beginning_of(line, kLongestPart));
      for (std::size_t at = line.find(kReserved); at != std::string::npos; at = line.find(kReserved, at)) {
        line.replace(at, kReserved.size(), kReserved.size(), ' ');
      }
      text.split_lines += line.size() > kLongestPart ? 1 : 0;
      for_each_part(line, [&](std::string_view part) { text.sample.add(part); });
    }
  }
  if (text.beginnings.empty()) throw Error("the input has no text; name files with one sentence per line");
  return text;
}

constexpr int kSpecialTokens = 3, kByteValues = 256;

/// Returns the number of pieces that exist whatever the text is.
int fixed_pieces(const VocabularySettings& settings) {
  return kSpecialTokens + static_cast<int>(settings.user_symbols.size()) +
         (settings.byte_fallback ? kByteValues : 0);
}

void check(const VocabularySettings& settings) {
  std::set<std::string> taken = {"<unk>", "<s>", "</s>"};
  for (int i = 0; settings.byte_fallback && i < kByteValues; ++i) taken.insert(fmt::format("<0x{:02X}>", i));
  for (const std::string& symbol : settings.user_symbols) {
    if (symbol.empty()) throw UsageError("a user symbol is empty; separate symbols by single commas");
    if (count_invalid_utf8(symbol) > 0) {
      throw UsageError("a user symbol is not valid UTF-8");
    }
    if (symbol.size() > kLongestPiece)
      throw UsageError("a user symbol has {} bytes, more than {}", symbol.size(), kLongestPiece);
    if (!taken.insert(symbol).second) {
      throw UsageError("the user symbol '{}' is already a piece; leave it out", symbol);
    }
  }
  const int least = fixed_pieces(settings) + 1;
  if (settings.size < least) {
    throw UsageError(
        "`size` {} is too small: special tokens, user symbols and bytes take {} pieces; use {} or more",
        settings.size, least - 1, least);
  }
}

/// Returns the text of a piece.
std::string text_of_piece(std::string piece) {
  for (std::size_t at = piece.find(kSpaceMark); at != std::string::npos; at = piece.find(kSpaceMark, at + 1))
    piece.replace(at, kSpaceMark.size(), " ");
  return piece;
}

/// SentencePiece reads lists as comma-separated values.
std::string comma_separated(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) {
    if (!list.empty()) list += ',';
    list += '"';
    for (const char c : value) list.append(c == '"' ? 2 : 1, c);
    list += '"';
  }
  return list;
}

std::unordered_map<std::string, std::string> sentencepiece_arguments(const VocabularySettings& settings,
                                                                     std::int64_t bytes) {
  std::unordered_map<std::string, std::string> arguments = {
      {"model_type", settings.type},
      {"vocab_size", std::to_string(settings.size)},
      {"character_coverage", fmt::format("{}", settings.coverage)},
      {"normalization_rule_name", settings.normalization},
      {"byte_fallback", settings.byte_fallback ? "true" : "false"},
      {"max_sentence_length", std::to_string(kLongestPart)},
      {"train_extremely_large_corpus", bytes < kMostBytesOf32Bits ? "false" : "true"},  // 64-bit positions
      {"num_threads", std::to_string(settings.threads)},
      {"minloglevel", "3"},  // failures come back as a status
  };
  if (!settings.user_symbols.empty()) {
    arguments["user_defined_symbols"] = comma_separated(settings.user_symbols);
  }
  return arguments;
}

Error no_text() {
  return Error("the input has no text, only spaces and characters that `normalization` removes");
}

/// Returns the maximum number of pieces that the text yields, if SentencePiece's message says that it is
/// below the requested number. Throws Error if that is less than the text needs.
std::optional<int> most_pieces(const std::string& message, const VocabularySettings& settings) {
  const auto found = Pattern("too high .* value <= ([0-9]+)").find(message);
  if (found.empty()) return std::nullopt;
  const int most = std::stoi(found[1]);
  if (most <= fixed_pieces(settings)) throw no_text();
  return most;
}

/// Rewrites SentencePiece's messages, which name its own sources and options.
[[noreturn]] void fail(const std::string& message, const VocabularySettings& settings) {
  const Pattern too_low("smaller than required_chars. [0-9]+ vs ([0-9]+)");
  if (const auto found = too_low.find(message); !found.empty()) {
    throw Error(
        "{} pieces cannot hold the characters of the text: use `size` {} or more, or a lower `coverage`",
        settings.size, found[1]);
  }
  throw Error("SentencePiece cannot make the vocabulary: {}", message);
}

double pieces_per_line(const Vocabulary& vocabulary, const std::vector<std::string>& lines) {
  std::size_t pieces = 0;
  for (const std::string& line : lines) pieces += vocabulary.encode(line).size();
  return lines.empty() ? 0 : static_cast<double>(pieces) / static_cast<double>(lines.size());
}

/// Returns the model that SentencePiece makes, with fewer pieces if the text does not yield as many. Its
/// trainer exits if its own checks fail and takes much memory, so it runs in a process of its own.
std::string train(const VocabularySettings& settings, LineSample sample) {
  auto arguments = sentencepiece_arguments(settings, sample.bytes());
  std::vector<std::string> text = sample.take();
  ProgressLine progress(*settings.job.log, "making pieces of " + count_of(std::ssize(text), "line"));
  LineIterator lines(std::move(text));
  const auto work = [&] {
    sentencepiece::SetRandomGeneratorSeed(static_cast<unsigned>(settings.seed));
    std::string bytes;
    try {
      const Status status = SentencePieceTrainer::Train(arguments, &lines, &bytes);
      return status.ok() ? kTrained + bytes : kFailed + reason(status);
    } catch (const std::exception&) {  // memory is insufficient, perhaps even for a thread's stack
      return std::string(kOutOfMemory);
    }
  };
  const auto run = [&] {
    return run_in_child(
        work, [&] { progress.wait(); }, *settings.job.stop);
  };
  ChildResult result = run();
  if (result.finished && result.output.starts_with(kFailed)) {
    if (const auto most = most_pieces(result.output.substr(1), settings)) {
      arguments["vocab_size"] = std::to_string(*most);
      result = run();
    }
  }
  if (result.finished && result.output.starts_with(kTrained)) return result.output.substr(1);
  if (result.finished && result.output.starts_with(kFailed)) fail(result.output.substr(1), settings);
  if (result.signal == 0 && result.output != kOutOfMemory) throw no_text();
  throw Error("SentencePiece was ended {} while it made the vocabulary; use a smaller `sample_bytes`",
              result.signal == 0
                  ? "by a lack of memory"
                  : fmt::format("by signal {}, as happens where memory is lacking,", result.signal));
}

/// Throws UsageError for a user symbol that no text matches, because text is normalized before pieces are
/// matched. A vocabulary of a few characters shows it before the work begins.
void check_user_symbols(const VocabularySettings& settings) {
  if (settings.user_symbols.empty()) return;
  constexpr int kRoom = 100;
  VocabularySettings small = settings;
  small.type = settings.type == "word" ? "word" : "char";
  small.size = fixed_pieces(settings) + kRoom;
  small.job = {.stop = settings.job.stop};
  LineSample sample(1, kLongestPart, settings.seed);
  sample.add("a0.-\u5b57");
  const Vocabulary vocabulary =
      Vocabulary::from_bytes(with_checksum(train(small, std::move(sample))), "a small vocabulary");
  for (const std::string& symbol : settings.user_symbols) {
    const std::string text = text_of_piece(symbol);
    if (settings.type == "word" && symbol.find(kSpaceMark, 1) != std::string::npos)
      throw UsageError("the user symbol '{}' never matches: pieces of `type` word are single words", text);
    // Checks the symbol next to a neighbor, which may match first.
    const auto matches = [&](const std::string& neighbor) {
      return std::ranges::count(vocabulary.pieces(neighbor + text + neighbor), symbol) > 0;
    };
    if (std::ranges::any_of(std::vector<std::string>{"", " a ", " . ", ".", "0"}, matches)) continue;
    std::string seen;
    for (const std::string& piece : vocabulary.pieces(text)) seen += text_of_piece(piece);
    throw UsageError(
        "the user symbol '{}' never matches: `normalization` {} makes '{}' of such text; write the "
        "symbol like that, or use another `normalization`",
        text, settings.normalization, seen.substr(std::min(seen.find_first_not_of(' '), seen.size())));
  }
}

}  // namespace

std::string piece_of_symbol(std::string_view symbol, const std::string& type) {
  std::string piece;
  while (!symbol.empty()) {
    const std::size_t space = symbol.starts_with(' ')          ? 1
                              : symbol.starts_with(kSpaceMark) ? kSpaceMark.size()
                                                               : 0;
    if (space == 0) {
      piece += symbol.front();
    } else if (!piece.ends_with(kSpaceMark)) {
      piece += kSpaceMark;
    }
    symbol.remove_prefix(std::max<std::size_t>(space, 1));
  }
  if (type != "word" || piece.empty()) return piece;
  if (!piece.starts_with(kSpaceMark)) piece.insert(0, kSpaceMark);
  if (piece.size() > kSpaceMark.size() && piece.ends_with(kSpaceMark))
    piece.resize(piece.size() - kSpaceMark.size());
  return piece;
}

TrainedVocabulary train_vocabulary(const VocabularySettings& given) {
  VocabularySettings settings = given;
  for (std::string& symbol : settings.user_symbols) symbol = piece_of_symbol(symbol, settings.type);
  check(settings);
  check_user_symbols(settings);
  Text text = read_text(settings);
  const bool partial = text.sample.partial();
  const Vocabulary vocabulary =
      Vocabulary::from_bytes(with_checksum(train(settings, std::move(text.sample))), "the new vocabulary");
  if (vocabulary.size() <= fixed_pieces(settings)) throw no_text();
  return {vocabulary, text.lines, text.split_lines, partial, pieces_per_line(vocabulary, text.beginnings)};
}

}  // namespace nmt
