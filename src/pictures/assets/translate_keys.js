// Shortcuts of the whole page, and the list of all keys.

const shortcuts = [
  { keys: "Ctrl+Enter", does: "translate at once" },
  { keys: "Ctrl+O", does: "choose documents", button: "choose" },
  { keys: "Ctrl+Shift+S", does: "swap the languages", button: "swap" },
  { keys: "Ctrl+Shift+Y", does: "copy the translation", button: "copy" },
  { keys: "Ctrl+Shift+G", does: "edit glossaries", button: "open_glossaries" },
  { keys: "Ctrl+Shift+H", does: "open the history", button: "open_history" },
].filter(({ button }) => !button || find(button));
const otherKeys = [
  { keys: "Arrow keys", does: "move between the words of the translation" },
  { keys: "Enter", does: "open the menu of a word" },
  { keys: "Escape", does: "close a menu or a window" },
];

// Returns the keys of an event as the table has them. Letters of other scripts count by their place on the keyboard.
function keysOf(event) {
  const key = /^[^\x21-\x7e]$/.test(event.key) ? event.code.replace("Key", "") : event.key;
  return [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.shiftKey ? "Shift" : "", event.altKey ? "Alt" : "",
    key.length === 1 ? key.toUpperCase() : key].filter(Boolean).join("+");
}

for (const { keys, does, button } of [...shortcuts, ...otherKeys]) {
  if (button) find(button).setAttribute("aria-keyshortcuts", keys.replace("Ctrl", "Control"));
  find("shortcuts").append(element("dt", {}, element("kbd", {}, keys)), element("dd", {}, does));
}

document.addEventListener("keydown", (event) => {
  const shortcut = shortcuts.find(({ keys }) => keys === keysOf(event));
  if (!shortcut || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  if (shortcut.button) find(shortcut.button).click();
  else translate();
});
