// Documents of all formats for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreign/containers/zip_bytes.h"

namespace nmt::testing {

/// Returns a document of Word with these paragraphs, of which a run each has some properties.
inline std::string word_document(const std::string& body) {
  return zip_bytes({{"[Content_Types].xml", "<Types/>"},
                    {"word/media/picture.png", std::string(50, '\x7f'), true},
                    {"word/document.xml",
                     "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:document "
                     "xmlns:w=\"w\"><w:body>" +
                         body + "<w:sectPr w:rsidR=\"1\"/></w:body></w:document>",
                     true}});
}

inline std::string open_document(const std::string& body) {
  return zip_bytes({{"mimetype", "application/vnd.oasis.opendocument.text"},
                    {"content.xml",
                     "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"o\" xmlns:text=\"t\" "
                     "xmlns:style=\"s\" xmlns:svg=\"v\"><office:body>" +
                         body + "</office:body></office:document-content>",
                     true},
                    {"META-INF/manifest.xml", "<m/>", true}});
}

/// Returns a table of LibreOffice with these cells.
inline std::string open_table(const std::string& cells) {
  return open_document("<table:table xmlns:table=\"b\"><table:table-row>" + cells +
                       "</table:table-row></table:table>");
}

/// A document and its format.
struct Sample {
  std::string format, bytes;
};

/// Returns a document of each format, with all that it may have. No two runs in a row have the same format.
inline std::vector<Sample> samples() {
  return {
      {"text",
       "\xef\xbb\xbf"
       "A title\r\n\r\n  This paragraph has been broken by hand at\r\n  so many columns as a narrow page "
       "has,\r\n  words.\r\n\r\n\ta list\n\tb 12\n7\n"},
      {"markdown",
       "---\ntitle: kept\n---\n\n# The *first* heading #\n\nA paragraph with **bold** words, `code here`, a "
       "[link](http://a.b/c \"d\"), [text][ref]\n"
       "and ![a picture](e.png) of 2 * 3. It has a hard  \nbreak, an \\*escape and an "
       "<http://auto.link>.[^1]\n\n- one\n- [ ] two\n  1. three walks\n"
       "     four\n\n```sh\necho kept\n```\n\n> A quotation\n> of words\n\n| Head | Other `a` b\\|c "
       "|\n|---|---|\n| cell | 12 |\n\n    kept code\n\n"
       "Title\n=====\n\n<div>\nkept\n</div>\n\n***\n\n[ref]: http://x.y\n[^1]: A note.\n"},
      {"html",
       "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>A title</title><meta name=description "
       "content=\"About dogs\"><script>var kept = \"<p>\";</script></head>\n<body><!-- kept -->\n<h1 "
       "title='A &amp; "
       "b'>Dogs &amp; cats</h1>\n<p class=x>One <b>bold</b> word, <code>kept</code>, <a href=\"y\" "
       "title=\"more "
       "text\">a link</a>.<br>\nNext&nbsp;line<img alt=\"A picture\" src=z>\n<pre>kept   "
       "here</pre>\n<ul><li>an "
       "item<li>12</ul><div translate=no>kept <div>kept</div> kept</div> after <input type=submit "
       "value=Go></body></html>\n"},
      {"srt",
       "1\r\n00:00:01,000 --> 00:00:02,000\r\nFirst <i>line</i> of a cue that is a bit longer\r\nand the "
       "second & last\r\n\r\n2\r\n00:00:03,000 --> "
       "00:00:04,000\r\n{\\an8}- One speaker\r\n- another"},
      {"vtt",
       "WEBVTT\n\nNOTE kept\n\nSTYLE\n::cue { color: red }\n\nname\n00:01.000 --> 00:02.000 align:start\n<v "
       "Roger>We &amp; "
       "you <00:01.500><c.x>there</c></v>\n"},
      {"po",
       "# kept\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n#: a.c:1\nmsgid "
       "\"done\"\nmsgstr \"fertig\"\n\n#~ msgid \"old\"\n#~ msgstr \"alt\"\n"},
      {"docx", word_document(
                   "<w:p w:rsidR=\"2\"><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t "
                   "xml:space=\"preserve\">A "
                   "heading</w:t></w:r></w:p>"
                   "<w:p><w:r><w:t xml:space=\"preserve\">One </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t "
                   "xml:space=\"preserve\">bold &amp; "
                   "big</w:t></w:r><w:r><w:t xml:space=\"preserve\"> word.</w:t></w:r><w:r><w:rPr><w:rStyle "
                   "w:val=\"FootnoteReference\"/></w:rPr><w:footnoteReference w:id=\"2\"/></w:r></w:p>"
                   "<w:tbl><w:tr><w:tc><w:p><w:r><w:t "
                   "xml:space=\"preserve\">cell</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12</w:t></"
                   "w:r></w:p>"
                   "</w:tc></w:tr></w:tbl><w:p/>"
                   "<w:p><w:pPr><w:pStyle w:val=\"SourceCode\"/></w:pPr><w:r><w:t>kept()</w:t></w:r></w:p>"
                   "<w:p><w:hyperlink r:id=\"r1\" xmlns:r=\"r\"><w:r><w:t>a "
                   "link</w:t></w:r></w:hyperlink><w:r><w:tab/></w:r><w:r><w:t>after "
                   "it</w:t></w:r></w:p>")},
      {"pptx",
       zip_bytes(
           {{"ppt/slides/slide1.xml",
             "<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><p:cNvPr id=\"2\" descr=\"A picture\"/><a:p><a:r><a:rPr "
             "lang=\"en\"/><a:t>Some words</a:t></a:r><a:br/><a:r><a:rPr b=\"1\"/><a:t>of a slide</a:t></a:r>"
             "<a:endParaRPr/></a:p></p:sld>",
             true},
            {"ppt/slideMasters/slideMaster1.xml", "<a:p xmlns:a=\"a\"><a:t>kept</a:t></a:p>"}})},
      {"xlsx", zip_bytes({{"xl/tables/table1.xml",
                           "<table xmlns=\"t\"><tableColumn id=\"1\" name=\"Kept\"/></table>"},
                          {"xl/sharedStrings.xml",
                           "<sst xmlns=\"s\"><si><t>Some "
                           "words</t></si><si><t>12</t></si><si><t>Kept</t></si><si><r><rPr><b/>"
                           "</rPr><t xml:space=\"preserve\">Bold </t></r><r><t xml:space=\"preserve\">and "
                           "not</t></r></si></sst>",
                           true},
                          {"xl/worksheets/sheet1.xml",
                           "<worksheet xmlns=\"s\"><c t=\"inlineStr\"><is><t>in a "
                           "cell</t></is></c><c><f>kept</f></c></worksheet>",
                           true}})},
      {"odt",
       open_document(
           "<style:style style:name=\"P1\" style:parent-style-name=\"Preformatted_20_Text\"/><text:h>A "
           "heading</text:h><text:p text:style-name=\"P1\">kept</text:p><text:p>The <text:span "
           "text:style-name=\"T1\">old</text:span> house<text:note text:id=\"n\"><text:note-body><text:p>A "
           "note.</text:p></text:note-body></text:note> stands<text:line-break/>there &amp; "
           "here</text:p>")},
      {"odp", open_document("<text:p>Some words</text:p><svg:desc>A picture</svg:desc>")},
      {"ods",
       open_table(
           "<table:table-cell office:value-type=\"string\"><text:p>Some words</text:p></table:table-cell>"
           "<table:table-cell office:value-type=\"date\"><office:annotation><text:p>A "
           "note</text:p></office:annotation><text:p>kept May</text:p></table:table-cell>"
           "<table:table-cell table:formula=\"of:=IF([.A1]=&quot;kept text&quot;;1;0)\" "
           "office:value-type=\"string\"><text:p>kept result</text:p></table:table-cell>"
           "<table:table-cell><text:p>Kept text</text:p></table:table-cell>")},
      {"epub",
       zip_bytes(
           {{"mimetype", "application/epub+zip"},
            {"a/book.opf", "<package xmlns:dc=\"d\"><dc:title>A title</dc:title></package>", true},
            {"a/one.xhtml",
             "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html "
             "xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/>"
             "</head><body><p>Once <a id=\"x\"/><i>upon</i> a time</p><script/><p>the end</p></body></html>",
             true},
            {"a/toc.ncx", "<ncx><text>Part one</text></ncx>", true}})},
      {"xliff",
       "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\"><file source-language=\"en\"><body>\n<trans-unit "
       "id=\"1\"><source>kept "
       "text</source>\n<target>There is "
       "one</target><alt-trans><source>kept</source></alt-trans></trans-unit>\n<group translate=\"no\">"
       "<trans-unit><source>kept</source></trans-unit></group></body></file></xliff>\n"},
      {"docbook",
       "<?xml version=\"1.0\"?>\n<!DOCTYPE article PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" "
       "\"kept.dtd\" [\n<!ENTITY kept \"kept ]>\"> <!-- ' --> <!ENTITY % kept SYSTEM "
       "'kept'>\n]>\n<article>\n<articleinfo><title>A "
       "title</title><author><firstname>kept</firstname></author></articleinfo>\n<para>Press "
       "<guimenu>File</guimenu> in &kept; and see <code>kept</code>, a bit<footnote><para>A "
       "note</para></footnote>.\n  "
       "<itemizedlist><listitem><para>one</para></listitem></itemizedlist>\n</para>\n<programlisting>kept "
       "&lt;\n  kept</programlisting><!-- kept --><informaltable><tgroup cols=\"1\"><tbody><row><entry>a "
       "cell</entry><entry><para>another</para></entry></row></tbody></tgroup></informaltable>\n&kept;\n</"
       "article>\n"},
      {"json",
       "\xef\xbb\xbf{\"kept key\": \"some text\", \"list\": [\"one\", 2, {\"a\" :\t\"with \\\"quotes\\\" "
       "and\\nlines\"}], \"n\": "
       "null,\r\n \"e\": \"12\"}\n"},
      {"yaml",
       "%YAML 1.1\n---\n# kept comment\nen: &kept\n  plain: some text # kept\n  \"quoted\": \"with "
       "\\\"quotes\\\" and "
       "more\"\n  'single' : 'it''s one'\n  long: a text that was once\n    broken into two\n  literal: |+ # "
       "kept\n    "
       "Some lines\n      of text\n\n    and more\n\n\n  folded: >-\n    A paragraph of\n    two lines\n\n   "
       " and "
       "another\n  flow: {a: [one, \"two\", 3], b: yes, c: ~}\n  symbol: :kept\n  tagged: !kept kept\n  ? "
       "[kept, "
       "keys]\n  : !!str a text\n  <<: *kept\n  empty:\n...\n--- 'the end'\n"},
      {"properties",
       "# kept comment\r\nkept.key = some text\r\n  other\\ kept : more \\\\ text\\n and lines\r\n! "
       "kept\r\nkept.empty=\r\n\r\nkept.number 12\r\nkept.last=the end"}};
}

}  // namespace nmt::testing
