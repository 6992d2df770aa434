#include "data/vocabulary_trainer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <regex>
#include <set>
#include <unordered_map>

#include "common/error.h"
#include "common/text_reader.h"

namespace nmt {
namespace {

using sentencepiece::SentencePieceTrainer;
using sentencepiece::util::Status;
using sentencepiece::util::StatusCode;

/// Feeds the lines of all inputs to SentencePiece. An exception must not cross the library, so it is kept and
/// the iteration ends; rethrow() brings it back.
class LineIterator final : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(const std::vector<std::string>& paths) : paths_(paths) { Next(); }

  bool done() const override { return done_; }
  void Next() override {
    try {
      done_ = !advance();
    } catch (...) {
      error_ = std::current_exception();
      done_ = true;
    }
  }
  const std::string& value() const override { return line_; }
  Status status() const override {
    return error_ == nullptr ? Status() : Status(StatusCode::kInternal, "unreadable input");
  }

  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }
  std::int64_t lines() const { return lines_; }
  /// The first lines of each input, empty ones left out.
  const std::vector<std::string>& sample() const { return sample_; }

 private:
  bool advance() {
    while (!reader_.has_value() || !reader_->next(line_)) {
      if (next_path_ == paths_.size()) return false;
      reader_.emplace(paths_[next_path_++], CarriageReturn::drop);
    }
    constexpr std::size_t kSampleOfEach = 1000;
    if (!line_.empty() && sample_.size() < next_path_ * kSampleOfEach) sample_.push_back(line_);
    ++lines_;
    return true;
  }

  const std::vector<std::string>& paths_;
  std::size_t next_path_ = 0;
  std::optional<TextReader> reader_;
  std::string line_;
  std::int64_t lines_ = 0;
  std::vector<std::string> sample_;
  std::exception_ptr error_;
  bool done_ = false;
};

void check_user_symbols(const std::vector<std::string>& symbols) {
  std::set<std::string> taken = {"<unk>", "<s>", "</s>"};
  for (const std::string& symbol : symbols) {
    if (symbol.empty()) throw UsageError("a user symbol is empty; separate symbols by single commas");
    if (!taken.insert(symbol).second) {
      throw UsageError("the user symbol '{}' is taken already; leave it out", symbol);
    }
  }
}

/// SentencePiece reads lists as comma-separated values.
std::string comma_separated(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) {
    if (!list.empty()) list += ',';
    list += '"' + std::regex_replace(value, std::regex("\""), "\"\"") + '"';
  }
  return list;
}

std::unordered_map<std::string, std::string> sentencepiece_arguments(const VocabularySettings& settings) {
  std::unordered_map<std::string, std::string> arguments = {
      {"model_type", settings.type},
      {"vocab_size", std::to_string(settings.size)},
      {"character_coverage", fmt::format("{}", settings.coverage)},
      {"normalization_rule_name", settings.normalization},
      {"byte_fallback", settings.byte_fallback ? "true" : "false"},
      {"input_sentence_size", std::to_string(settings.sample_lines)},
      {"train_extremely_large_corpus", "true"},  // 64-bit positions, needed above 2 GiB of text
      {"num_threads", std::to_string(settings.threads)},
      {"minloglevel", "3"},  // failures come back as a status
  };
  if (!settings.user_symbols.empty()) {
    arguments["user_defined_symbols"] = comma_separated(settings.user_symbols);
  }
  return arguments;
}

/// Turns SentencePiece's messages, which name its own sources and options, into ours.
[[noreturn]] void fail(const std::string& message, const VocabularySettings& settings) {
  std::smatch number;
  if (std::regex_search(message, number, std::regex("too high .* value <= (\\d+)"))) {
    throw Error("the text yields no {} pieces: use --size {} or less", settings.size, number[1].str());
  }
  if (std::regex_search(message, number, std::regex("smaller than required_chars. \\d+ vs (\\d+)"))) {
    throw Error(
        "{} pieces cannot hold the characters of the text: use --size {} or more, or a lower --coverage",
        settings.size, number[1].str());
  }
  throw Error("SentencePiece cannot make the vocabulary: {}", message);
}

double pieces_per_line(const Vocabulary& vocabulary, const std::vector<std::string>& lines) {
  std::size_t pieces = 0;
  for (const std::string& line : lines) pieces += vocabulary.encode(line).size();
  return lines.empty() ? 0 : static_cast<double>(pieces) / static_cast<double>(lines.size());
}

}  // namespace

TrainedVocabulary train_vocabulary(const VocabularySettings& settings) {
  check_user_symbols(settings.user_symbols);
  LineIterator lines(settings.inputs);
  sentencepiece::SetRandomGeneratorSeed(static_cast<unsigned>(settings.seed));
  std::string bytes;
  const Status status = SentencePieceTrainer::Train(sentencepiece_arguments(settings), &lines, &bytes);
  lines.rethrow();
  if (lines.sample().empty()) throw Error("there is no text in the input; name files with a sentence a line");
  if (!status.ok()) fail(std::string(status.message()), settings);
  const Vocabulary vocabulary = Vocabulary::from_bytes(with_checksum(std::move(bytes)), "the new vocabulary");
  return {vocabulary, lines.lines(), pieces_per_line(vocabulary, lines.sample())};
}

}  // namespace nmt
