// The two panes. They scroll together, and their texts are kept in this tab of the browser.

function scrollTogether(...panes) {
  const placed = new Map(); // where a pane was put by the other one
  panes.forEach((pane, i) => pane.addEventListener("scroll", () => {
    const other = panes[1 - i], room = pane.scrollHeight - pane.clientHeight, otherRoom = other.scrollHeight - other.clientHeight;
    const wasPlaced = placed.get(pane) === pane.scrollTop;
    placed.delete(pane);
    if (wasPlaced || room <= 0) return;
    const before = other.scrollTop;
    other.scrollTop = Math.round(pane.scrollTop / room * otherRoom);
    if (other.scrollTop !== before) placed.set(other, other.scrollTop);
  }));
}

const storedAs = "nmt-translate";
const keptFields = ["text", "source", "target", "beam", "penalty"];

// Browsers may refuse to store data.
function keepTexts() {
  try {
    sessionStorage.setItem(storedAs, JSON.stringify(Object.fromEntries(keptFields.map((id) => [id, find(id).value]))));
  } catch { /* then a page that is loaded again is empty */ }
}
function keptTexts() {
  try {
    return JSON.parse(sessionStorage.getItem(storedAs)) ?? {};
  } catch {
    return {};
  }
}
