// Attention as data: JSON, or a table with one line per weight.
#pragma once

#include <string>

#include "insight/attention_maps.h"

namespace nmt {

/// Returns one JSON object for a pair, without a line end: {"line", "source", "target", "target_input",
/// "log_probabilities", "encoder", "decoder", "cross"}. The last three exist if the pair has maps of the
/// kind: lists of {"layer", "head", "weights"}, with layers and heads counted from 1, and weights as a list
/// of rows of numbers with six decimals. See doc/attention.md.
std::string attention_json(const PairAttention& pair);

/// The header line of attention_table(), with a line end.
extern const char* const kAttentionTableHeader;
/// Returns one line per weight: line of the text, kind, layer, head, row, token of the row, column, token of
/// the column, weight, separated by tabs. Layers and heads count from 1, rows and columns from 0. In tokens,
/// a tab, a line end, a carriage return and a backslash become \t,
/// , \r and \\.
std::string attention_table(const PairAttention& pair);

}  // namespace nmt
