// What the browser keeps: the text and the settings until the tab is closed (`sessionStorage`), the history and glossaries
// until they are deleted (`localStorage`). The key is never kept. Browsers may refuse to store data.

// Returns whether a value is kept.
function keep(storage, name, value) {
  try {
    window[storage].setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

// Returns a value that was kept, or `otherwise`.
function kept(storage, name, otherwise) {
  try {
    return JSON.parse(window[storage].getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

const keptFields = ["text", "source", "target", "beam", "penalty"];
const keepTexts = () => keep("sessionStorage", "nmt-translate",
  { ...Object.fromEntries(keptFields.map((id) => [id, find(id).value])), glossary: chosenGlossary });
const keptTexts = () => kept("sessionStorage", "nmt-translate", {});
