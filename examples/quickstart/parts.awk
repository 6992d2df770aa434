# Divides pairs into training, validation and test.
# usage: LC_ALL=C awk -v source=TRAIN.EN,VALID.EN,TEST.EN -v target=TRAIN.DE,VALID.DE,TEST.DE -f parts.awk PAIRS PAIRS
# PAIRS, lines of "key TAB source TAB target", is read twice. All pairs with a key go to the same part: 3 of 256 keys to
# validation, 6 to test. Duplicates are dropped, and training has no source that is in validation or test.

BEGIN {
  FS = "\t"
  split(source, sources, ",")
  split(target, targets, ",")
}
FNR == 1 { ++pass }
{ part = $1 ~ /^0[0-2]/ ? 2 : $1 ~ /^0[3-8]/ ? 3 : 1 }
pass == 1 && part > 1 && !($2 in held) { held[$2] = part } 
pass == 2 && (part == 1 ? !($2 in held) && !seen[$2, $3]++ : held[$2] == part && !seen[$2]++) {
  print $2 >sources[part]
  print $3 >targets[part]
}
