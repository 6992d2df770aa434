// Attention as data: JSON, or a table with a line for each weight.
#pragma once

#include <string>

#include "insight/attention_maps.h"

namespace nmt {

/// One JSON object of a pair, without a line end: {"line", "source", "target", "target_input",
/// "log_probabilities", "encoder", "decoder", "cross"}. The last three are there where the pair has maps of
/// the kind: lists of {"layer", "head", "weights"}, layers and heads counted from 1, a list of rows of
/// numbers, six decimals each. See doc/attention.md.
std::string attention_json(const PairAttention& pair);

/// The names of the columns of attention_table(), with a line end.
extern const char* const kAttentionTableHeader;
/// A line for each weight: line of the text, kind, layer, head, row, token of the row, column, token of the
/// column, weight; tabs between them. Layers and heads count from 1, rows and columns from 0. In tokens, a
/// tab, a line end, a carriage return and a backslash are \t, \n, \r and \\.
std::string attention_table(const PairAttention& pair);

}  // namespace nmt
