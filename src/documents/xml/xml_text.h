// Translates the paragraphs of a document of XML.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document_output.h"
#include "documents/xml/xml_reader.h"

namespace nmt {

/// The role of an element in the text of a document.
enum class XmlRole {
  untouched,  // nothing in it is translated
  kept,  // outside of a paragraph: no meaning. Within one: an object, whose own paragraphs are translated
  paragraph,   // a text
  source,      // a text that stays, and whose translation becomes the element `target` after it
  pair,        // holds a source and a target, and has a state in XLIFF 2
  group,       // formatting of a part of a text
  code,        // likewise, of a part that is not translated
  divider,     // an object that ends a sentence
  run,         // of an Office document: properties, and texts or objects
  properties,  // of a run
  run_text,    // the text of a run, or in a paragraph of Excel a run by itself
  field,       // what begins, separates or ends a field of Word
  ignored      // an object that a translation does not need, such as a mark of the spelling checker
};

struct XmlRules {
  /// Returns the role of an element, of which `event` is the begin tag. It may be called several times for
  /// an element.
  std::function<XmlRole(const XmlEvent& event)> role;
  /// Whether text may be translated that is an attribute of an element.
  std::function<bool(const XmlEvent& event, const std::string& attribute)> is_text = nullptr;
  /// Of the names above.
  XmlNamespaces namespaces = {};
  /// Characters that may mark an accelerator in the text of a `source`.
  std::string_view marks = "";
  /// Whether references to entities are words, and declarations of entities are ignored; see XmlReader.
  bool has_entities = false;
  /// Whether paragraphs are broken into lines, which may be broken elsewhere.
  bool has_broken_lines = false;
  /// Whether text stands in runs only.
  bool has_runs = false;
  /// Returns the properties of a run without those that do not change how it looks; null: they stay.
  std::function<std::string(std::string properties)> format = nullptr;
  /// Completes the bytes of a translated paragraph; null: they are complete.
  Encode finish = nullptr;
  /// Whether the properties of a run or a paragraph are those of program text; null: none are.
  std::function<bool(std::string_view properties)> is_code = nullptr;
  /// Whether a paragraph stays as it is; null: none does.
  std::function<bool(const std::vector<Inline>& parts)> stays = nullptr;
};

/// Reads a document and puts it with its texts into `output`. `name`: for messages. Throws as XmlReader
/// does, and Error for a paragraph of too many parts.
void translate_xml(std::string_view document, const std::string& name, const XmlRules& rules,
                   DocumentOutput& output);

}  // namespace nmt
