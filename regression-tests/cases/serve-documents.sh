#!/usr/bin/env bash
# A server translates documents as nmt translate does, in bounded memory.
. "$(dirname "$0")/../lib.sh"
make_model
head -n 40 test.src | sed G >document.txt
python3 - <<'END'
import zipfile

lines = open("test.src").read().splitlines()[:5]
paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in lines)
with zipfile.ZipFile("report.docx", "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("word/document.xml", '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/'
                  f'wordprocessingml/2006/main"><w:body>{paragraphs}</w:body></w:document>')
END
for name in document.txt report.docx; do
  nmt translate -m model.safetensors --quiet --document $name -o "expected-$name"
done
start_server "$NMT" serve -m en-de=model.safetensors --max-document-megabytes 1 --document-lifetime 600

# value NAME: a value of the answer in the file `answer`.
value() { python3 -c 'import json, sys; print(json.load(open("answer")).get(sys.argv[1], ""))' "$1"; }
# send ARGUMENTS OF CURL: sends a document, and waits for its end.
send() {
  curl -sf "$url/v1/documents" "$@" >answer || fail "sending $*: $(cat answer)"
  id=$(value id)
  for ((i = 0; i < 600; i++)); do
    curl -sf "$url/v1/documents/$id" >answer
    [[ $(value status) == @(done|failed) ]] && return
    sleep 0.1
  done
  fail "the document is not translated: $(cat answer)"
}

for name in document.txt report.docx; do
  send -F file=@$name -F source=en -F target=de
  equal "$(value status)" "done" "the status of $name"
  curl -sfOJ "$url/v1/documents/$id/result" || fail "$name cannot be downloaded"
  cmp "expected-$name" "${name%.*}.de.${name##*.}" || fail "$name differs from that of nmt translate"
done
send -F file=@document.txt -F output=tmx
curl -sf "$url/v1/documents/$id/result" | contains -F '<tmx version="1.4">' || fail "no translation memory"
curl -sf -X DELETE "$url/v1/documents/$id" || fail "the document cannot be deleted"
equal "$(curl -s -o answer -w '%{http_code}' "$url/v1/documents/$id")" 404 "the status of a deleted document"

# The package libretranslatepy does not know this path of LibreTranslate.
curl -sf "$url/translate_file" -F file=@report.docx -F source=auto -F target=de >answer || fail "no answer: $(<answer)"
curl -sf "$(value translatedFileUrl)" >libretranslate.docx || fail "the translation cannot be downloaded"
same libretranslate.docx expected-report.docx

printf 'no archive' >broken.docx
send -F file=@broken.docx
equal "$(value status)" failed "the status of a broken document"
value error | contains "^cannot translate 'broken.docx'" || fail "the error is $(value error)"
head -c 1100000 /dev/zero >large.txt
equal "$(curl -s -o answer -w '%{http_code}' "$url/v1/documents" -F file=@large.txt)" 413 "the status of a large document"
contains "a document has at most 1 MiB" <answer || fail "the error is $(<answer)"

# A server that cannot write a file of more than 256 KiB: the archive has a part of 1 MiB.
kill $server
wait $server || true
python3 - <<'END'
import zipfile

with zipfile.ZipFile("large.docx", "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("word/document.xml", '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/'
                  f'wordprocessingml/2006/main"><w:body><!--{" " * 1048576}--></w:body></w:document>')
END
limited() {
  trap '' XFSZ
  ulimit -f 256
  exec "$@"
}
start_server limited "$NMT" serve -m en-de=model.safetensors
equal "$(curl -s -o answer -w '%{http_code}' "$url/translate_file" -F file=@large.docx -F source=en -F target=de)" 507 \
  "the status of a document for which there is no room"
value error | contains "has no room for this document" || fail "the error is $(<answer)"
contains "a document was not translated: cannot write" <log || fail "the log is $(<log)"
