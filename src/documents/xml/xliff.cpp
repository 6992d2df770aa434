// XLIFF 1.2 and 2: texts with their translations.
#include <map>
#include <string>
#include <string_view>

#include "documents/formats.h"
#include "documents/xml/xml_text.h"

namespace nmt {
namespace {

// What has native code of another format is an object.
const std::map<std::string_view, XmlRole> kXliff = {
    {"segment", XmlRole::pair},      {"source", XmlRole::source},      {"g", XmlRole::group},
    {"pc", XmlRole::group},          {"mrk", XmlRole::group},          {"alt-trans", XmlRole::untouched},
    {"matches", XmlRole::untouched}, {"glossary", XmlRole::untouched}, {"ignorable", XmlRole::untouched}};

XmlRole role_in_xliff(const XmlEvent& event) {
  const auto found = kXliff.find(event.name);
  const XmlRole role = found == kXliff.end() ? XmlRole::kept : found->second;
  const bool stays = event.attribute("translate") == "no" || event.attribute("mtype") == "protected";
  if (!stays) return role;
  return role == XmlRole::group ? XmlRole::code : XmlRole::untouched;
}

}  // namespace

void translate_xliff(const DocumentInput& source, DocumentOutput& output) {
  XmlRules rules;
  rules.role = role_in_xliff;
  rules.marks = "&";
  rules.namespaces = {
      {"urn:oasis:names:tc:xliff:document:1.1", ""}, {"urn:oasis:names:tc:xliff:document:1.2", ""},
      {"urn:oasis:names:tc:xliff:document:2.0", ""}, {"urn:oasis:names:tc:xliff:document:2.2", ""},
      {"urn:oasis:names:tc:xliff:matches:2.0", ""},  {"urn:oasis:names:tc:xliff:glossary:2.0", ""}};
  translate_xml(source.bytes, source.name, rules, output);
}

}  // namespace nmt
