// The messages tensorflow.Summary that TensorBoard shows, by the plugins of which they are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// A figure: a value of a summary. Summaries are values one behind the other.
std::string scalar_value(const std::string& tag, double value);

/// A table as Markdown, which the text plugin shows; its cells are text (see markdown). All rows are of one
/// length.
std::string table_value(const std::string& tag, const std::vector<std::vector<std::string>>& rows);

/// Text that means itself in Markdown.
std::string markdown(const std::string& text);

/// The beginning of a run with these settings, and its end as planned, for the plugin hparams. Times are in
/// seconds since 1970.
std::string settings_value(const std::vector<std::pair<std::string, std::string>>& settings, double time);
std::string finished_value(double time);

}  // namespace nmt
