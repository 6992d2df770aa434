#include "documents/xml/xml_reader.h"

#include <expat.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "data/text/html.h"

namespace nmt {
namespace {

constexpr std::size_t kDeepest = 512, kParsedAtOnce = std::size_t{64} << 10;
constexpr char kNameSeparator = '\n';  // the parts of names

/// The parts of a name as expat passes it: the namespace, the name in it, and the prefix.
struct NameParts {
  explicit NameParts(std::string_view name) : local(name) {
    const std::size_t first = name.find(kNameSeparator);
    if (first == name.npos) return;
    space = name.substr(0, first);
    local = name.substr(first + 1);
    const std::size_t second = local.find(kNameSeparator);
    if (second == local.npos) return;
    prefix = local.substr(second + 1);
    local = local.substr(0, second);
  }

  std::string written() const {
    return prefix.empty() ? std::string(local) : fmt::format("{}:{}", prefix, local);
  }
  std::string usual(const XmlNamespaces& namespaces) const {
    const auto found = namespaces.find(space);
    return found == namespaces.end() ? written() : fmt::format("{}{}", found->second, local);
  }

  std::string_view space, local, prefix;
};

/// Returns the beginning of a document, with spaces for the declarations in its document type, such as those
/// of entities; empty if there are none.
std::string without_declarations(std::string_view document) {
  const auto after = [&](std::size_t at, std::string_view end) {
    const std::size_t found = document.find(end, at);
    return found == document.npos ? document.size() : found + end.size();
  };
  std::size_t at = 0, begin = 0;  // of the declarations
  bool is_in_type = false;
  while (at < document.size()) {
    const std::string_view rest = document.substr(at);
    if (rest.starts_with("<!--")) {
      at = after(at + 4, "-->");
    } else if (rest.starts_with("<?")) {
      at = after(at + 2, "?>");
    } else if (is_in_type && (rest[0] == '"' || rest[0] == '\'')) {
      at = after(at + 1, rest.substr(0, 1));
    } else if (is_in_type && rest[0] == '[' && begin == 0) {
      begin = ++at;
    } else if (rest[0] == ']' && begin > 0) {
      std::string beginning(document.substr(0, at));
      const auto is_no_line_end = [](char c) { return c != '\n' && c != '\r'; };
      std::replace_if(beginning.begin() + static_cast<std::ptrdiff_t>(begin), beginning.end(), is_no_line_end,
                      ' ');
      return beginning;
    } else if (begin == 0 &&
               (is_in_type ? rest[0] == '>' : rest[0] == '<' && !rest.starts_with("<!DOCTYPE"))) {
      return "";
    } else {
      is_in_type = is_in_type || rest[0] == '<';
      ++at;
    }
  }
  return "";
}

}  // namespace

/// The events that expat has found, which C functions collect.
struct XmlReader::Events {
  XML_Parser parser = nullptr;
  std::string_view document;
  const XmlNamespaces* namespaces = nullptr;
  std::vector<XmlEvent> list = {};
  std::size_t depth = 0;
  std::string refused = {};  // why the document is not read

  std::string_view bytes() const {
    const auto begin = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser));
    return document.substr(std::min(begin, document.size()),
                           static_cast<std::size_t>(XML_GetCurrentByteCount(parser)));
  }
  void refuse(std::string reason) {
    if (refused.empty()) refused = std::move(reason);
    XML_StopParser(parser, XML_FALSE);
  }

  static Events& of(void* data) { return *static_cast<Events*>(data); }
  static void begin(void* data, const XML_Char* name, const XML_Char** attributes) {
    Events& events = of(data);
    if (++events.depth > kDeepest)
      return events.refuse(fmt::format("its elements are nested more than {} times", kDeepest));
    const NameParts parts(name);
    XmlEvent event{.kind = XmlEvent::Kind::begin,
                   .bytes = events.bytes(),
                   .name = parts.usual(*events.namespaces),
                   .written = parts.written(),
                   .depth = events.depth - 1};
    for (; *attributes != nullptr; attributes += 2) {
      const NameParts attribute(attributes[0]);
      event.attributes.push_back({attribute.usual(*events.namespaces), attribute.written(), attributes[1]});
    }
    events.list.push_back(std::move(event));
  }
  static void end(void* data, const XML_Char* /*name*/) {
    Events& events = of(data);
    --events.depth;
    const std::string_view bytes = events.bytes();
    events.list.push_back({.kind = XmlEvent::Kind::end, .bytes = bytes.starts_with("</") ? bytes : ""});
  }
  static void text(void* data, const XML_Char* text, int size) {
    Events& events = of(data);
    events.list.push_back({.kind = XmlEvent::Kind::text,
                           .bytes = events.bytes(),
                           .text = std::string(text, static_cast<std::size_t>(size))});
  }
  static void other(void* data, const XML_Char* /*text*/, int /*size*/) {
    Events& events = of(data);
    events.list.push_back({.kind = XmlEvent::Kind::other, .bytes = events.bytes()});
  }
  /// The marks of a CDATA section, which belong to the text in it.
  static void section(void* data) { text(data, "", 0); }
  static void declaration(void* data, const XML_Char* /*version*/, const XML_Char* /*encoding*/,
                          int /*alone*/) {
    other(data, nullptr, 0);
  }
  /// Reads an external document type as an empty one, after which unknown entities are no error.
  static int external(XML_Parser parser, const XML_Char* context, const XML_Char* /*base*/,
                      const XML_Char* /*system*/, const XML_Char* /*public_name*/) {
    const std::unique_ptr<XML_ParserStruct, XmlReader::Free> empty(
        XML_ExternalEntityParserCreate(parser, context, "UTF-8"));
    return empty ? XML_Parse(empty.get(), "", 0, XML_TRUE) : XML_STATUS_ERROR;
  }
  static void entity(void* data, const XML_Char* name, int /*is_parameter*/, const XML_Char* /*value*/,
                     int /*size*/, const XML_Char* /*base*/, const XML_Char* /*system*/,
                     const XML_Char* /*public_name*/, const XML_Char* /*notation*/) {
    of(data).refuse(fmt::format("it declares the entity '{}'; replace its entities by text", name));
  }
};

std::string_view XmlEvent::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &XmlAttribute::name);
  return found == attributes.end() ? std::string_view() : found->value;
}

void XmlReader::Free::operator()(XML_ParserStruct* parser) const {
  XML_ParserFree(parser);
}

XmlReader::XmlReader(std::string_view document, std::string name, const XmlNamespaces& namespaces,
                     bool has_entities)
    : document_(document),
      name_(std::move(name)),
      parser_(XML_ParserCreateNS("UTF-8", kNameSeparator)),
      events_(std::make_unique<Events>()) {
  events_->parser = parser_.get();
  events_->document = document;
  events_->namespaces = &namespaces;
  XML_SetReturnNSTriplet(parser_.get(), XML_TRUE);
  XML_SetUserData(parser_.get(), events_.get());
  XML_SetElementHandler(parser_.get(), &Events::begin, &Events::end);
  XML_SetCharacterDataHandler(parser_.get(), &Events::text);
  XML_SetCdataSectionHandler(parser_.get(), &Events::section, &Events::section);
  XML_SetXmlDeclHandler(parser_.get(), &Events::declaration);
  XML_SetEntityDeclHandler(parser_.get(), &Events::entity);
  XML_SetDefaultHandler(parser_.get(), &Events::other);
  if (!has_entities) return;
  beginning_ = without_declarations(document);
  XML_UseForeignDTD(parser_.get(), XML_TRUE);
  XML_SetParamEntityParsing(parser_.get(), XML_PARAM_ENTITY_PARSING_ALWAYS);
  XML_SetExternalEntityRefHandler(parser_.get(), &Events::external);
}

XmlReader::~XmlReader() = default;

void XmlReader::parse_more() {
  const std::string_view text = parsed_ < beginning_.size() ? std::string_view(beginning_) : document_;
  const std::string_view part = text.substr(parsed_, kParsedAtOnce);
  parsed_ += part.size();
  const bool is_last = parsed_ == document_.size();
  const XML_Status status =
      XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), is_last ? XML_TRUE : XML_FALSE);
  if (status == XML_STATUS_OK) return;
  const auto line = XML_GetCurrentLineNumber(parser_.get());
  if (!events_->refused.empty())
    throw Error("cannot translate '{}': line {}: {}", name_, line, events_->refused);
  throw Error("cannot translate '{}': line {}: it is not well-formed XML ({}); repair it first", name_, line,
              XML_ErrorString(XML_GetErrorCode(parser_.get())));
}

bool XmlReader::next(XmlEvent& event) {
  while (taken_ == events_->list.size()) {
    if (parsed_ == document_.size() && parsed_ > 0) return false;
    events_->list.clear();
    taken_ = 0;
    parse_more();
  }
  event = std::move(events_->list[taken_++]);
  return true;
}

std::vector<AttributeValue> attribute_values(std::string_view tag) {
  constexpr std::string_view kSpace = " \t\r\n\f", kBetween = " \t\r\n\f/", kAfterName = " \t\r\n\f/=>";
  std::vector<AttributeValue> values;
  std::size_t at = tag.find_first_of(kAfterName, 1);
  while (true) {
    at = tag.find_first_not_of(kBetween, at);
    if (at == tag.npos || tag[at] == '>') return values;
    const std::size_t end_of_name = std::min(tag.find_first_of(kAfterName, at + 1), tag.size());
    std::string name(tag.substr(at, end_of_name - at));
    at = tag.find_first_not_of(kSpace, end_of_name);
    if (at == tag.npos) return values;
    if (tag[at] != '=') continue;
    at = tag.find_first_not_of(kSpace, at + 1);
    if (at == tag.npos) return values;
    if (tag[at] != '"' && tag[at] != '\'') {
      at = tag.find_first_of(" \t\r\n\f>", at);
      continue;
    }
    const std::size_t end = tag.find(tag[at], at + 1);
    if (end == tag.npos) return values;
    values.push_back({std::move(name), at + 1, end});
    at = end + 1;
  }
}

std::string xml_text(std::string_view text) {
  std::string allowed(text);
  std::erase_if(allowed, [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  return with_references(allowed);
}

std::string xml_attribute(std::string_view text) {
  std::string value;
  for (const char c : xml_text(text)) {
    switch (c) {
      case '"':
        value += "&quot;";
        break;
      case '\'':
        value += "&apos;";
        break;
      case '\n':
        value += "&#10;";
        break;
      default:
        value += c;
    }
  }
  return value;
}

}  // namespace nmt
