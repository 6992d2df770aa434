// The tensorflow.Summary messages that TensorBoard shows, by plugin.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

/// Returns a figure as a value of a summary. A summary is a concatenation of values.
std::string scalar_value(const std::string& tag, double value);

/// Returns a table as Markdown for the text plugin; its cells are plain text (see markdown). All rows have
/// equal length.
std::string table_value(const std::string& tag, const std::vector<std::vector<std::string>>& rows);

/// Escapes text for Markdown.
std::string markdown(const std::string& text);

/// Return the beginning of a run with these settings, and its planned end, for the hparams plugin. Times are
/// in seconds since 1970.
std::string settings_value(const std::vector<std::pair<std::string, std::string>>& settings, double time);
std::string finished_value(double time);

}  // namespace nmt
