// XLIFF 1.2 and 2: texts with their translations.
#include <map>
#include <string>
#include <string_view>

#include "documents/formats.h"
#include "documents/xml_text.h"

namespace nmt {
namespace {

// Without the prefixes of names. What has native code of another format is an object.
const std::map<std::string_view, XmlRole> kXliff = {{"source", XmlRole::source},
                                                    {"g", XmlRole::group},
                                                    {"pc", XmlRole::group},
                                                    {"mrk", XmlRole::group},
                                                    {"alt-trans", XmlRole::untouched},
                                                    {"matches", XmlRole::untouched},
                                                    {"glossary", XmlRole::untouched},
                                                    {"ignorable", XmlRole::untouched}};

XmlRole role_in_xliff(const XmlEvent& event) {
  const std::string_view name = event.name;
  const auto found = kXliff.find(name.substr(name.find(':') + 1));
  const XmlRole role = found == kXliff.end() ? XmlRole::kept : found->second;
  const bool stays = event.attribute("translate") == "no" || event.attribute("mtype") == "protected";
  if (!stays) return role;
  return role == XmlRole::group ? XmlRole::code : XmlRole::untouched;
}

}  // namespace

void translate_xliff(const DocumentInput& source, DocumentOutput& output) {
  XmlRules rules;
  rules.role = role_in_xliff;
  translate_xml(source.bytes, source.name, rules, output);
}

}  // namespace nmt
