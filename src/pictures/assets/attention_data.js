// The data of the page: tokens and weights of the selection, as pieces or merged into words.

const kinds = {
  encoder: ["Encoder", "Row: a piece of the source. Column: a piece of the source that it looks at."],
  decoder: ["Decoder", "Row: the piece that is written. Column: a piece read so far that is looked at."],
  cross: ["Decoder over source", "Row: the piece that is written. Column: a piece of the source that is looked at."],
};
const mean = 0; // stands for the mean of all heads; heads count from 1
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf = new Map([...digits].map((digit, value) => [digit, value]));

const choice = { pair: 0, kind: undefined, layer: undefined, head: mean, unit: "pieces", byRow: false };

function chosenPair() { return data.pairs[choice.pair]; }
function mapsOf(kind) { return chosenPair().maps.filter((map) => map.kind === kind); }

// Returns where the words of a sentence begin and end. Its special token, the first input piece or else the last piece,
// is not part of them.
function spansOf(pieces, mark) {
  const begins = pieces.map((piece, i) => choice.unit === "pieces" || i === 0 || i === mark || i - 1 === mark ||
    piece.startsWith("▁") || (pieces[i - 1].length > 1 && pieces[i - 1].endsWith("▁")));
  const spans = [];
  begins.forEach((isBegin, i) => {
    if (isBegin) spans.push({ begin: i, end: i + 1 });
    else spans.at(-1).end = i + 1;
  });
  return spans;
}

// One side of a map: its tokens, their names, and the probabilities of written tokens.
function sideOf(title, pieces, mark, probabilities) {
  const spans = spansOf(pieces, mark);
  const names = spans.map(({ begin, end }) => {
    const text = pieces.slice(begin, end).join("");
    return choice.unit === "pieces" ? text : text.replaceAll("▁", "") || text;
  });
  const products = probabilities && spans.map(({ begin, end }) =>
    probabilities.slice(begin, end).reduce((product, probability) => product * probability, 1));
  return { title, spans, names, probabilities: products };
}

function rowSide() {
  const pair = chosenPair();
  if (choice.kind === "encoder") return sideOf("source", pair.source, pair.source.length - 1);
  return sideOf("target", pair.target, pair.target.length - 1, pair.probabilities);
}

function columnSide() {
  const pair = chosenPair();
  if (choice.kind === "decoder") return sideOf("target read", pair.target_input, 0);
  return sideOf("source", pair.source, pair.source.length - 1);
}

// Weights have two digits each, in units of 1/4095.
function weightsOf(map) {
  map.read ??= Float32Array.from({ length: map.weights.length / 2 },
    (_, i) => (64 * digitOf.get(map.weights[2 * i]) + digitOf.get(map.weights[2 * i + 1])) / 4095);
  return map.read;
}

function meanOf(maps) {
  const sum = new Float32Array(weightsOf(maps[0]).length);
  for (const map of maps) weightsOf(map).forEach((weight, i) => { sum[i] += weight / maps.length; });
  return sum;
}

// A word attends like the mean of its pieces, and is attended to like their sum, so rows still sum to 1.
function merged(weights, rows, columns) {
  if (choice.unit === "pieces") return weights;
  const pieces = columns.spans.at(-1).end;
  const result = new Float32Array(rows.spans.length * columns.spans.length);
  rows.spans.forEach((row, i) => columns.spans.forEach((column, j) => {
    let sum = 0;
    for (let r = row.begin; r < row.end; ++r) {
      for (let c = column.begin; c < column.end; ++c) sum += weights[r * pieces + c];
    }
    result[i * columns.spans.length + j] = sum / (row.end - row.begin);
  }));
  return result;
}

// Returns the weights of the chosen kind by layer and head; if there are several heads, their mean comes first.
function weightsByLayer(rows, columns) {
  const layers = new Map();
  for (const layer of new Set(mapsOf(choice.kind).map((map) => map.layer))) {
    const maps = mapsOf(choice.kind).filter((map) => map.layer === layer);
    const heads = new Map(maps.length > 1 ? [[mean, merged(meanOf(maps), rows, columns)]] : []);
    for (const map of maps) heads.set(map.head, merged(weightsOf(map), rows, columns));
    layers.set(layer, heads);
  }
  return layers;
}
