// XML as events with the bytes that they come from.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct XML_ParserStruct;

namespace nmt {

/// The usual prefixes of namespaces, with ":" or empty, by the names of the namespaces.
using XmlNamespaces = std::map<std::string_view, std::string_view>;

struct XmlAttribute {
  std::string name;     // with the usual prefix of its namespace
  std::string written;  // with the prefix that the document has
  std::string value;
};

struct XmlEvent {
  enum class Kind {
    begin,  // a tag; of an empty element <a/>, an `end` without bytes follows
    end,
    text,
    other  // a comment, an instruction, a declaration, a reference to an unknown entity
  };
  Kind kind = Kind::other;
  std::string_view bytes = {};  // in the document
  std::string name = {};        // of an element, with the usual prefix of its namespace
  std::string written = {};     // likewise, with the prefix that the document has
  std::size_t depth = 0;        // of a begin tag: the number of elements around it
  std::string text = {};        // without references
  std::vector<XmlAttribute> attributes = {};

  /// Returns the value of the attribute of this name; empty if there is none.
  std::string_view attribute(std::string_view name) const;
};

/// Reads a document of XML in UTF-8.
class XmlReader {
 public:
  /// `name`: of the document, for messages. Names in namespaces that are not in `namespaces` keep the
  /// prefixes that the document has. `has_entities`: references to entities are events of the kind `other`,
  /// except in attributes, which lose them; their declarations are ignored. The document and the namespaces
  /// must outlive the reader.
  XmlReader(std::string_view document, std::string name, const XmlNamespaces& namespaces,
            bool has_entities = false);
  ~XmlReader();
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  /// Reads the next event; returns false at the end. Throws Error, with the line, if the document is not
  /// well-formed, if it declares entities or is not in UTF-8, and if elements are nested too deeply.
  bool next(XmlEvent& event);

 private:
  struct Events;
  struct Free {
    void operator()(XML_ParserStruct* parser) const;
  };

  void parse_more();

  std::string_view document_;
  std::string name_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::unique_ptr<Events> events_;
  std::string beginning_;  // what is parsed instead of the first bytes of the document
  std::size_t parsed_ = 0, taken_ = 0;
};

/// The value of an attribute in a begin tag, without its quotation marks: the bytes [begin, end) of the tag.
struct AttributeValue {
  std::string name;
  std::size_t begin, end;
};
/// Returns the values in quotation marks of a begin tag of XML or HTML.
std::vector<AttributeValue> attribute_values(std::string_view tag);

/// Returns a text with "&", "<" and ">" as references, and without characters that XML does not allow.
std::string xml_text(std::string_view text);
/// Likewise, for the value of an attribute: quotation marks are references, too.
std::string xml_attribute(std::string_view text);

}  // namespace nmt
