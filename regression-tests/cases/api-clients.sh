#!/usr/bin/env bash
# The Python packages of DeepL, OpenAI and LibreTranslate work with a server.
. "$(dirname "$0")/../lib.sh"
python=${NMT_PYTHON:-python3}
"$python" -c 'import deepl, openai, libretranslatepy' 2>/dev/null ||
  skip "no deepl, openai and libretranslatepy in $python (NMT_PYTHON names another one)"
make_model
head -n 5 test.src >lines
nmt translate -m model.safetensors --quiet <lines >expected
sed G lines >lines.txt
nmt translate -m model.safetensors --quiet --document lines.txt -o expected.txt
printf %s secret | sha256sum | sed 's/-$/client/' >keys
start_server "$NMT" serve -m en-de=model.safetensors --api-keys keys --glossaries glossaries

no_proxy='*' "$python" - "$url" <<'END'
import sys

import deepl
import libretranslatepy
import openai
from deepl.api_data import MultilingualGlossaryDictionaryEntries as Dictionary

url = sys.argv[1]
lines, expected = (open(name).read().splitlines() for name in ("lines", "expected"))

for client in deepl.Translator("secret", server_url=url), deepl.DeepLClient("secret", server_url=url):
    results = client.translate_text(lines, source_lang="EN", target_lang="DE")
    assert [result.text for result in results] == expected, results
    one = client.translate_text(lines[0], target_lang=deepl.Language.GERMAN, context="other", model_type="quality_optimized")
    assert (one.text, one.detected_source_lang, one.billed_characters) == (expected[0], "EN", len(lines[0])), one
    marked = client.translate_text(f"<b>{lines[0]}</b>", target_lang="DE", tag_handling="html").text
    assert "<b>" in marked and "</b>" in marked, marked
    assert [language.code for language in client.get_target_languages()] == ["DE"]
    assert [language.code for language in client.get_source_languages()] == ["EN"]
    assert client.get_usage().character.count > 0
    try:
        client.translate_text("a", target_lang="FR")
        sys.exit("FR is translated")
    except deepl.DeepLException as error:
        assert "Value for 'target_lang' not supported." in str(error), error
word, term = lines[0].split()[0], expected[-1].split()[0]
client = deepl.DeepLClient("secret", server_url=url)
for glossary in (
    client.create_glossary("one", "EN", "DE", {word: term}),
    client.create_multilingual_glossary("several", [Dictionary("EN", "DE", {word: term})]),
):
    text = client.translate_text(lines[0], source_lang="EN", target_lang="DE", glossary=glossary).text
    assert term in text.split(), text
assert client.get_glossary_entries(client.list_glossaries()[0]) == {word: term}
for glossary in client.list_multilingual_glossaries():
    client.delete_multilingual_glossary(glossary)
assert client.list_glossaries() == []
try:
    deepl.Translator("public", server_url=url).get_usage()
    sys.exit("another key is accepted")
except deepl.AuthorizationException:
    pass

for client in deepl.Translator("secret", server_url=url), deepl.DeepLClient("secret", server_url=url):
    client.translate_document_from_filepath("lines.txt", "translated.txt", source_lang="EN", target_lang="DE")
    assert open("translated.txt").read() == open("expected.txt").read()
    handle = client.translate_document_upload(lines[0], target_lang="DE", filename="one.txt", output_format="txt")
    while not (status := client.translate_document_get_status(handle)).done:
        assert status.ok, status.error_message
    assert status.billed_characters == len(lines[0]), status
    assert client.translate_document_download(handle).text == expected[0]
    try:
        client.translate_document_get_status(handle)
        sys.exit("a document is there after its download")
    except deepl.DeepLException:
        pass
    try:
        client.translate_document(b"no archive", open("broken", "wb"), target_lang="DE", filename="broken.docx")
        sys.exit("a broken document is translated")
    except deepl.DocumentTranslationException as error:
        assert "cannot translate 'broken.docx'" in str(error), error

client = openai.OpenAI(base_url=url + "/v1", api_key="secret")
assert [model.id for model in client.models.list()] == ["en-de"]
assert client.models.retrieve("en-de").id == "en-de"
for model, system in ("en-de", "Be brief."), ("gpt-4o", "Translate from English to German."):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": lines[0]}]
    answer = client.chat.completions.create(model=model, messages=messages, temperature=0)
    assert answer.choices[0].message.content == expected[0], answer
    assert answer.usage.total_tokens > 0, answer
    stream = client.chat.completions.create(model=model, messages=messages, stream=True)
    assert "".join(part.choices[0].delta.content for part in stream) == expected[0]
try:
    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "a"}])
    sys.exit("gpt-4o is known")
except openai.NotFoundError as error:
    assert "unknown model 'gpt-4o'" in error.message, error
try:
    openai.OpenAI(base_url=url + "/v1", api_key="public").models.list()
    sys.exit("another key is accepted")
except openai.PermissionDeniedError:
    pass

client = libretranslatepy.LibreTranslateAPI(url + "/", api_key="secret")
assert client.translate(lines[0], "en", "de") == expected[0]
assert client.languages()[1]["targets"] == ["de"]
assert client.detect("Two young men are sitting on a bench.")[0]["language"] == "en"
END
