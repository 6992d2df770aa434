// Saves charts as files: a PNG of the visible chart, and a CSV of its figures. Only the reader can start it.

const fileName = (title, ending) => title.replace(/[^\w+-]+/g, "_") + ending;

// Returns a cell of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula is escaped.
function csvCell(value) {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? "'" + value : value ?? "";
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

const csvText = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");

// Styles that SVG has as attributes, so that it looks the same without a style sheet.
const drawnStyles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-weight"];

function withStyles(node) {
  const copy = node.cloneNode(false);
  if (node.nodeType === Node.ELEMENT_NODE) {
    const style = getComputedStyle(node);
    copy.removeAttribute("style");
    for (const name of drawnStyles) copy.setAttribute(name, style.getPropertyValue(name));
    copy.append(...[...node.childNodes].map(withStyles));
  }
  return copy;
}

// Removes characters that XML does not allow.
const xmlText = (text) => text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");

// Returns the chart with its title above and a legend below.
function standaloneDrawing(chart) {
  const colors = getComputedStyle(document.body);
  const lines = chart.shown.filter((line) => !line.isFaint);
  const top = 34, row = 18, height = top + chart.totalHeight + row * lines.length + 8;
  const text = (x, y, content, bold) => drawn("text", { x, y, fill: colors.color, "font-size": bold ? 15 : 12, "font-weight": bold ? 600 : 400 }, xmlText(content));
  const legend = lines.flatMap((line, i) => {
    const y = top + chart.totalHeight + row * i + 8;
    const piece = sample(line);
    chart.drawing.append(piece);  // only what is in the page has computed styles
    const copy = withStyles(piece);
    piece.remove();
    return [drawn("g", { transform: `translate(${margin.left} ${y - 5})` }, ...copy.childNodes), text(margin.left + 34, y + 4, line.name)];
  });
  const body = withStyles(chart.drawing);
  body.querySelectorAll(".selection, .crosshair").forEach((node) => node.remove());
  return drawn("svg", { width: chart.total, height, "font-family": "sans-serif" },
    drawn("rect", { width: chart.total, height, fill: colors.backgroundColor }), text(12, 23, `${chart.title} over ${chart.axis().name}`, true),
    drawn("g", { transform: `translate(0 ${top})` }, ...body.childNodes), ...legend);
}

// Uses twice the size, for current screens and printers. Images may only come from data (see page.cpp).
async function savePng(chart) {
  const drawing = standaloneDrawing(chart);
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(drawing));
  await image.decode();
  const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(blob, fileName(chart.title, ".png")), "image/png");
}
