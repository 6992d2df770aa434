// Translations to be scored, from files or as columns of one stream.
#pragma once

#include <string>
#include <vector>

namespace nmt::cli {

/// A translation of a test set by one system.
struct System {
  std::string name;
  std::vector<std::string> lines;
};

/// One system a file, named by its path. Lines end with "\n" alone. Throws Error as TextReader does.
std::vector<System> read_systems(const std::vector<std::string>& paths);

/// The systems of a file that holds them as columns separated by tabs, as sacrebleu takes standard input: a
/// lone "\r" ends a line too, white space at line ends is dropped, the first line tells the number of
/// columns. Several are named "System 1" and so on, a single one after the file. No line, no system. Throws
/// Error for a line with another number of columns.
std::vector<System> read_columns(const std::string& path);

}  // namespace nmt::cli
