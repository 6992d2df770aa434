#include "cli/commands/scored_text.h"

#include "cli/program.h"
#include "common/error.h"

namespace nmt {
namespace {

// Pairs per chunk: enough for batches of similar lengths, few enough for memory; fewer if they are long.
constexpr std::size_t kChunkPairs = 8192;
constexpr std::size_t kChunkBytes = std::size_t{1} << 24;

/// Truncates a text in place; returns whether it was too long.
bool truncate(std::string& text, const LengthLimit& limit) {
  const std::size_t size = text.size();
  text.resize(limit.beginning_of(text).size());
  return text.size() < size;
}

}  // namespace

ScoredText::ScoredText(Reader reader) : reader_(std::move(reader)) {
  if (const auto* pairs = std::get_if<PairReader>(&reader_)) line_ = pairs->pairs();
}

ScoredText::ScoredText(Reader reader, const Vocabularies& vocabularies, const LengthLimit& limit)
    : ScoredText(std::move(reader)) {
  vocabularies_ = &vocabularies;
  limit_ = limit;
}

ScoredChunk ScoredText::next_chunk() {
  if (failure_) std::rethrow_exception(failure_);
  ScoredChunk chunk;
  try {
    for (std::size_t bytes = 0; chunk.examples.size() < kChunkPairs && bytes < kChunkBytes;) {
      if (!next(chunk)) break;
      bytes += chunk.lines.back().source.size() + chunk.lines.back().target.size();
    }
  } catch (const Error&) {
    if (chunk.examples.empty()) throw;
    failure_ = std::current_exception();
  }
  return chunk;
}

bool ScoredText::next(ScoredChunk& chunk) {
  LinePair lines;
  NBestEntry entry;
  PairReader* const pairs = std::get_if<PairReader>(&reader_);
  if (!(pairs ? pairs->next(lines) : std::get<NBestReader>(reader_).next(entry, lines))) {
    warn();
    return false;
  }
  Example& example = chunk.examples.emplace_back(Example{.id = ++line_});
  if (vocabularies_ != nullptr) encode(lines, example);
  chunk.lines.push_back(std::move(lines));
  if (pairs == nullptr) chunk.entries.push_back(std::move(entry));
  return true;
}

void ScoredText::encode(LinePair& lines, Example& example) {
  const bool is_source_truncated = truncate(lines.source, *limit_),
             is_target_truncated = truncate(lines.target, *limit_);
  example.source = vocabularies_->source.encode(lines.source);
  example.target = vocabularies_->target.encode(lines.target);
  source_check_.note(vocabularies_->source, lines.source, example.source);
  target_check_.note(vocabularies_->target, lines.target, example.target);
  truncated_.note(line_, limit_->truncate(example, is_source_truncated || is_target_truncated));
}

void ScoredText::warn() {
  if (limit_) truncated_.warn(*limit_, program_log());
  source_check_.warn(program_log());
  target_check_.warn(program_log());
}

std::optional<double> ScoredText::part_read() const {
  return std::visit([](const auto& reader) { return reader.part_read(); }, reader_);
}

const std::string& ScoredText::name() const {
  if (const auto* pairs = std::get_if<PairReader>(&reader_)) return pairs->source_name();
  return std::get<NBestReader>(reader_).name();
}

}  // namespace nmt
