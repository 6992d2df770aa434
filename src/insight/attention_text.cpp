#include "insight/attention_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace nmt {
namespace {

/// Rounds numbers to six decimals.
nlohmann::json rounded(const std::vector<double>& numbers) {
  nlohmann::json list = nlohmann::json::array();
  for (const double number : numbers) list.push_back(std::round(1e6 * number) / 1e6);
  return list;
}

nlohmann::json rows_of(const AttentionMap& map) {
  nlohmann::json rows = nlohmann::json::array();
  for (auto row = map.weights.begin(); row != map.weights.end(); row += map.columns) {
    rows.push_back(rounded(std::vector<double>(row, row + map.columns)));
  }
  return rows;
}

std::string escaped(const std::string& token) {
  std::string text;
  for (const char c : token) {
    switch (c) {
      case '\t':
        text += "\\t";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\\':
        text += "\\\\";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace

std::string attention_json(const PairAttention& pair) {
  nlohmann::ordered_json object = {{"line", pair.line},
                                   {"source", pair.tokens.source},
                                   {"target", pair.tokens.target},
                                   {"target_input", pair.tokens.target_input},
                                   {"log_probabilities", rounded(pair.log_probabilities)}};
  for (const AttentionMap& map : pair.maps) {
    object[name_of(map.kind)].push_back(
        {{"layer", map.layer + 1}, {"head", map.head + 1}, {"weights", rows_of(map)}});
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

const char* const kAttentionTableHeader =
    "line\tkind\tlayer\thead\trow\trow_token\tcolumn\tcolumn_token\tweight\n";

std::string attention_table(const PairAttention& pair) {
  std::string table;
  for (const AttentionMap& map : pair.maps) {
    auto weight = map.weights.begin();
    const auto& rows = pair.row_tokens(map.kind);
    const auto& columns = pair.column_tokens(map.kind);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t column = 0; column < columns.size(); ++column) {
        fmt::format_to(std::back_inserter(table), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6f}\n", pair.line,
                       name_of(map.kind), map.layer + 1, map.head + 1, row, escaped(rows[row]), column,
                       escaped(columns[column]), *weight++);
      }
    }
  }
  return table;
}

}  // namespace nmt
