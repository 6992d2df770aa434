// Documents that `nmt translate` reads and writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/overwriting.h"
#include "documents/document.h"

namespace nmt {

/// The settings of documents.
struct DocumentOptions {
  std::optional<std::string> path, format, encoding;
  std::optional<std::string> keys;           // with commas between them
  std::optional<std::string> output_format;  // "tmx"

  bool is_on() const { return path || format; }
};

/// A document, or all documents of a folder, and where they are written.
class DocumentFiles {
 public:
  /// `output`: a file, a folder, or "-". `inputs`: all files that the command reads. Throws UsageError if the
  /// format of a document is not known, if a folder would be written into itself, or if a file of a folder
  /// would replace an input or another output, and Error if a file cannot be read or written.
  DocumentFiles(const DocumentOptions& options, const std::string& output, std::vector<NamedFile> inputs);

  /// Whether translation memories are written, which name the languages.
  bool are_tmx() const { return as_tmx_; }

  /// Called with the bytes of a document and of its translation.
  using Translate = std::function<void(const DocumentInput& source, const DocumentFormat& format, bool as_tmx,
                                       const std::function<void(std::string_view)>& write)>;
  /// Translates all documents. In a folder, a document that cannot be translated is reported, and the others
  /// are translated; then Error is thrown.
  void translate(const Translate& translate) const;

 private:
  struct File {
    std::string input, output;
    const DocumentFormat* format;
  };

  /// Adds the documents of a folder and of its sub-folders.
  void add_folder(const std::string& folder, const std::string& output);
  /// Throws UsageError if keys are given, but no document has any.
  void check_keys() const;
  /// Throws UsageError if an output is an input or another output.
  void check_outputs(std::vector<NamedFile> inputs) const;
  void translate(const File& file, const Translate& translate) const;

  DocumentSettings settings_;
  bool as_tmx_ = false, is_folder_ = false;
  std::vector<File> files_;
};

}  // namespace nmt
