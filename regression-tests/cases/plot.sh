#!/usr/bin/env bash
# Pictures of the paper from the program's own functions.
. "$(dirname "$0")/../lib.sh"
pictures=$(dirname "$0")/../../doc/pictures

# Those in doc/ are what the program draws.
for picture in positions schedule smoothing masks; do
  nmt plot $picture -o $picture.svg
  same $picture.svg "$pictures/$picture.svg"
  nmt plot $picture >stdout
  same stdout $picture.svg
done

# The rates are those of training: the peaks of 512:4000 and 256:4000 are as far apart as the root of 2.
nmt plot schedule --curve 512:4000 --curve 256:4000 | grep -o '<polyline class="series[01]" points="[^"]*"' |
  sed 's/.*points="//; s/"//' | awk '
    { height = 0; n = split($0, point, " "); split(point[1], first, ",")
      for (i = 1; i <= n; ++i) { split(point[i], at, ","); if (first[2] - at[2] > height) height = first[2] - at[2] }
      peak[NR] = height }
    END { ratio = peak[2] / peak[1]; exit !(NR == 2 && ratio > 1.40 && ratio < 1.43) }' || fail "other peaks"

if command -v rsvg-convert >/dev/null; then
  nmt plot masks -o masks.png
  equal "$(head -c 4 masks.png | tail -c 3)" PNG "the beginning of a PNG"
  nmt plot masks --format png -o other
  same other masks.png
  nmt plot masks --format svg -o svg.png
  same svg.png masks.svg
fi
refuses 1 "rsvg-convert.* is not installed; .*librsvg2-bin" env PATH=/nowhere "$NMT" plot masks --format png
refuses 2 "there is no picture 'mask', did you mean 'masks'\?" nmt plot mask
refuses 2 "PICTURE is missing" nmt plot
refuses 2 "curve.* got '512'" nmt plot schedule --curve 512
refuses 2 "curve.* got '512:0'" nmt plot schedule --curve 512:0
refuses 2 "curve is for 'nmt plot schedule'" nmt plot masks --curve 512:4000
refuses 1 "missing" nmt plot masks -o missing/masks.svg
