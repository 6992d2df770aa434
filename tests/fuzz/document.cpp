// Fuzz target: documents. The first line is the name of the format.
#include "documents/document.h"

#include <algorithm>
#include <future>

#include "common/error.h"
#include "documents/samples.h"
#include "documents/translations.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "fuzz/zip_parts.h"

namespace nmt::fuzz {
namespace of_document {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> seeds;
  for (const testing::Sample& sample : testing::samples())
    seeds.push_back(sample.format + '\n' + sample.bytes);
  return seeds;
}

std::vector<std::string> words() {
  return {
      "<w:p>",     "</w:p>",     "<w:r>",    "<text:p>", "<text:span>", "<!DOCTYPE a [<!ENTITY b \"c\">]>",
      "<![CDATA[", "<p>",        "<pre>",    "<b x=\"",  "</b>",        "<x id=\"1\"/>",
      "&amp;",     "\n\n",       "\r\n",     "```\n",    "**",          "[a](b)",
      "![",        "| a | b |",  "|---|",    "- ",       "1. ",         "    ",
      "-->",       "msgid \"\"", "msgstr",   "{\\an8}",  "\xFF",        "PK\x05\x06",
      "a: ",       "&kde;",      "<para>",   "<screen>", "|\n  ",       ">-\n  ",
      "&a ",       "*a",         "{a: [b]}", "'"};
}

void load(const std::string& bytes) {
  const std::size_t line = bytes.find('\n');
  const DocumentFormat* const format = document_format(bytes.substr(0, line));
  if (line == std::string::npos || format == nullptr) throw Error("the first line names a format");
  const std::string document = bytes.substr(line + 1);
  const std::string same = testing::translated_document(document, format->name, testing::same_text);
  if (!format->is_zip && format->name != "po" && format->name != "xliff")
    check(same == document, "a document whose texts stay keeps its bytes");
  testing::translated_document(document, format->name, testing::reversed);
}

/// Returns the line of the format, and the parts of the document.
Parts split(const std::string& bytes) {
  const std::size_t line = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  Parts parts = split_zip(bytes.substr(line));
  parts.insert(parts.begin(), bytes.substr(0, line));
  return parts;
}

std::string join(const Parts& parts) {
  return parts.front() + join_zip(Parts(parts.begin() + 1, parts.end()));
}

}  // namespace
}  // namespace of_document

Target document_target() {
  using namespace of_document;
  return {"document", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
