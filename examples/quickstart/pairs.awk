# Pairs the descriptions of packages in two languages.
# usage: LC_ALL=C awk -f pairs.awk SOURCE TARGET
# SOURCE and TARGET are Translation files of a Debian archive: stanzas with a key (Description-md5) and a description,
# a summary and then indented lines. Writes "key TAB source TAB target", a line for each summary, list item and
# paragraph, or for each sentence of a paragraph where both sides have as many.
# A text is kept as units (summary, paragraph, list item), each after a "\n", in blocks, each before a "\f".

FNR == 1 { end_stanza(); ++file }
/^Description-md5: / { key = $2 }
/^Description-[A-Za-z_@]+: / {
  text = "\n" substr($0, index($0, ": ") + 2) "\f"
  kind = "none"
}
/^ \.? *$/ {
  text = text "\f"
  kind = "none"
  next
}
/^ / { add_line($0) }
/^$/ { end_stanza() }
END { end_stanza() }

function end_stanza() {
  if (file == 1) source[key] = text
  else if (key in source) pair_texts(source[key], text)
  key = text = ""
}

# Lines with a bullet or with more than one leading space belong to lists.
function add_line(line,    begins) {
  begins = 1
  if (sub(/^ +[-*+] +|^  +o +/, "", line)) kind = "item"
  else if (line ~ /^  /) {
    begins = kind != "item"
    if (begins) kind = "verbatim"
  } else {
    begins = kind != "paragraph"
    kind = "paragraph"
  }
  gsub(/[ \t\r]+/, " ", line)
  sub(/^ /, "", line)
  text = text (begins ? "\n" : " ") line
}

function pair_texts(source, target,    sources, targets, count, i) {
  count = split(source, sources, "\f")
  if (split(target, targets, "\f") != count) count = 1 # the summaries still belong together
  for (i = 1; i <= count; ++i) pair_blocks(sources[i], targets[i])
}

function pair_blocks(source, target,    sources, targets, count, i) {
  count = split(source, sources, "\n")
  if (split(target, targets, "\n") != count) return
  for (i = 1; i <= count; ++i) pair_units(sources[i], targets[i])
}

function pair_units(source, target,    sources, targets, count, i) {
  count = split(marked(source), sources, "\n")
  if (split(marked(target), targets, "\n") != count) print_pair(source, target)
  else for (i = 1; i <= count; ++i) print_pair(sources[i], targets[i])
}

# Marks the ends of sentences with "\n": a final mark, then spaces, then anything but a lower-case letter.
function marked(text,    out) {
  while (match(text, /[.!?][")']* +[^a-z ]/)) {
    out = out substr(text, 1, RSTART + RLENGTH - 3) "\n"
    text = substr(text, RSTART + RLENGTH - 1)
  }
  return out text
}

function print_pair(source, target,    ratio) {
  if (source == "" || target == "" || source == target) return
  ratio = length(source) / length(target)
  if (ratio <= 9 && ratio >= 1 / 9) print key "\t" source "\t" target
}
