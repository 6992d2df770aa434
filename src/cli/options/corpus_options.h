// Settings that name parallel text and its vocabularies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "data/text/filter.h"
#include "data/text/pair_reader.h"
#include "data/text/word_annotations.h"
#include "nn/saved/saved_model.h"

namespace nmt {

struct TextOptions {
  std::optional<std::string> source, target, tsv;
  std::vector<std::string> tsv_columns = {"source", "target"};  // names of Column, or lists of them
  std::optional<std::string> alignment, weights;                // files, see PairReader
  AlignmentUnit alignment_unit = AlignmentUnit::word;

  bool given() const { return source || target || tsv; }
  bool is_target_alone() const { return target && !source; }
  /// Whether pairs have alignments, or weights, in a file of their own or in a column.
  bool has_alignment() const { return alignment || has(Column::alignment); }
  bool has_weights() const { return weights || has(Column::weights); }
  /// Returns the columns of `tsv`. Throws UsageError for an unknown name.
  std::vector<Column> columns() const { return columns_named(tsv_columns); }
  bool has(Column column) const;
};

struct VocabularyOptions {
  std::optional<std::string> vocab, source_vocab, target_vocab;

  bool given() const { return vocab || source_vocab || target_vocab; }
};

/// The default filter of nmt batch and nmt train.
inline const Filter kTextFilter{.max_ratio = 9, .drop_identical = true};

/// Whether a target without a source is accepted: the text of a language model.
enum class TargetAlone : std::uint8_t { refused, accepted };

/// Adds `--source`, `--target` and `--tsv`.
void add_text_options(Options& options, TextOptions& target, const std::string& group,
                      TargetAlone target_alone = TargetAlone::refused);
/// Adds `--alignment`, `--weights`, `--alignment-units` and `--tsv-columns`, which annotate pairs of text.
void add_annotation_options(Options& options, TextOptions& target, const std::string& group);
/// Adds `--vocab`, for both sides or twice, `--source-vocab` and `--target-vocab`.
void add_vocabulary_options(Options& options, VocabularyOptions& target, const std::string& group);

/// Adds the settings of the filters of pairs (filter_table()), and `--languages`. All but `--max-length`
/// apply only to text, which one of the settings `texts` names.
void add_filter_options(Options& options, Filter& target, const std::string& group,
                        const std::vector<std::string>& texts = {"source", "tsv"});
/// Adds the setting of a filter.
Option& add_filter_option(Options& options, const FilterRow& row, Filter& target, const std::string& group);

/// Throws UsageError for a ratio that no pair has, and for `--languages` whose filters are all off.
void check(const Options& options, const Filter& filter);
/// Throws UsageError unless the text is named completely, and once. A file of columns needs one source and
/// one target, and at most one column of alignments and one of weights.
void check(const Options& options, const TextOptions& text, TargetAlone target_alone = TargetAlone::refused);
/// Throws UsageError if both a vocabulary for both sides and one for a single side are given.
void check_sides(const Options& options, const VocabularyOptions& vocabularies);
/// Throws UsageError unless the vocabularies are named completely, and once.
void check(const Options& options, const VocabularyOptions& vocabularies);

/// Opens checked text with its alignments and weights. If the sides are in separate files, reads no more of a
/// line than `max_length` tokens can take. Throws as PairReader does.
PairReader open_text(const TextOptions& text, std::int64_t max_length);
/// Loads the vocabularies of a vocabulary file, a model file, or a run. Throws UsageError for a model of
/// another toolkit, and Error if the file cannot be read.
VocabulariesOfFile load_vocabularies(const std::string& path);
/// Loads the vocabularies of checked options. Throws as load_vocabularies() of a path does.
VocabulariesOfFile load_vocabularies(const VocabularyOptions& vocabularies);

}  // namespace nmt
