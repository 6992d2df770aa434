// The two panes, which scroll together.

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
