// DocBook 4 and 5.
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/pattern.h"
#include "documents/formats.h"
#include "documents/xml/xml_text.h"

namespace nmt {
namespace {

/// Returns the roles of elements by their names. Other elements are of blocks, whose paragraphs are
/// translated, or hold facts such as names of people and dates.
std::map<std::string_view, XmlRole> roles_of_docbook() {
  std::map<std::string_view, XmlRole> roles;
  const auto add = [&roles](XmlRole role, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) roles.emplace(name, role);
  };
  add(XmlRole::paragraph, {"para",      "simpara",     "title",   "subtitle",    "titleabbrev",  "bridgehead",
                           "term",      "member",      "seg",     "segtitle",    "entry",        "td",
                           "th",        "caption",     "alt",     "attribution", "primary",      "secondary",
                           "tertiary",  "see",         "seealso", "glosssee",    "glossseealso", "refpurpose",
                           "revremark", "screeninfo",  "edition", "releaseinfo", "contrib",      "jobtitle",
                           "keyword",   "subjectterm", "label",   "action",      "line",         "speaker"});
  add(XmlRole::group,
      {"emphasis",   "quote",     "phrase",        "link",       "ulink",       "olink",     "citetitle",
       "firstterm",  "glossterm", "foreignphrase", "wordasword", "guilabel",    "guimenu",   "guimenuitem",
       "guisubmenu", "guibutton", "guiicon",       "interface",  "mousebutton", "subscript", "superscript",
       "abbrev",     "acronym",   "accel",         "shortcut"});
  add(XmlRole::code, {"code",          "command",
                      "filename",      "literal",
                      "option",        "optional",
                      "parameter",     "replaceable",
                      "function",      "varname",
                      "constant",      "envar",
                      "userinput",     "computeroutput",
                      "prompt",        "systemitem",
                      "uri",           "email",
                      "application",   "keycap",
                      "keycode",       "keysym",
                      "keycombo",      "classname",
                      "methodname",    "interfacename",
                      "property",      "type",
                      "structname",    "structfield",
                      "symbol",        "token",
                      "tag",           "sgmltag",
                      "markup",        "errorcode",
                      "errorname",     "errortype",
                      "errortext",     "returnvalue",
                      "package",       "database",
                      "hardware",      "medialabel",
                      "productname",   "productnumber",
                      "trademark",     "inlineequation",
                      "mathphrase",    "arg",
                      "citerefentry",  "refentrytitle",
                      "personname",    "author",
                      "firstname",     "surname",
                      "orgname",       "date",
                      "citation",      "citebiblioid",
                      "exceptionname", "initializer",
                      "modifier",      "ooclass",
                      "ooexception",   "oointerface",
                      "person",        "biblioref",
                      "nonterminal"});
  add(XmlRole::divider,
      {"itemizedlist", "orderedlist",      "variablelist",   "simplelist",      "segmentedlist",
       "calloutlist",  "glosslist",        "procedure",      "table",           "informaltable",
       "figure",       "informalfigure",   "example",        "informalexample", "mediaobject",
       "screenshot",   "graphic",          "programlisting", "screen",          "literallayout",
       "synopsis",     "cmdsynopsis",      "funcsynopsis",   "classsynopsis",   "address",
       "equation",     "informalequation", "blockquote",     "epigraph",        "note",
       "tip",          "warning",          "caution",        "important",       "qandaset",
       "formalpara",   "bibliolist"});
  add(XmlRole::untouched, {"remark", "comment"});
  return roles;
}

/// Returns the role of elements in a document.
class DocbookRoles {
 public:
  XmlRole operator()(const XmlEvent& event) {
    names_.resize(event.depth);
    const std::string around = names_.empty() ? "" : names_.back();
    names_.push_back(event.name);
    // Most uses of these are parts of paragraphs.
    if (event.name == "glossterm" && around == "glossentry") return XmlRole::paragraph;
    if (event.name == "phrase" && around == "textobject") return XmlRole::paragraph;
    // Between the parts of a menu's path, there is no space.
    if (event.name.starts_with("gui") && around == "menuchoice") return XmlRole::paragraph;
    static const std::map<std::string_view, XmlRole> roles = roles_of_docbook();
    const auto found = roles.find(event.name);
    return found == roles.end() ? XmlRole::kept : found->second;
  }

 private:
  std::vector<std::string> names_;  // of the elements around, the outermost first
};

}  // namespace

bool is_docbook(std::string_view head) {
  // The declaration of the document type, or the namespace of the first element.
  static const Pattern named(
      "<!DOCTYPE[^>]*DocBook|xmlns(:[^=]*)?[[:space:]]*=[[:space:]]*[\"']http://docbook[.]org/ns/",
      Pattern::Case::ignored);
  return !named.find(std::string(head)).empty();
}

void translate_docbook(const DocumentInput& source, DocumentOutput& output) {
  XmlRules rules;
  rules.role = DocbookRoles();
  rules.namespaces = {{"http://docbook.org/ns/docbook", ""}};
  rules.has_entities = true;
  rules.has_broken_lines = true;
  translate_xml(source.bytes, source.name, rules, output);
}

}  // namespace nmt
