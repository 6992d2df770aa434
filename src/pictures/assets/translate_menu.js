// The menu of a word: the word itself, its alternatives from hypotheses that end soon after it, and words that the
// sentence must contain. Choosing either translates the sentence again, keeping everything before a chosen word and
// earlier choices.
const letters = (text) => text.replaceAll(/[\s\u2581]/g, "");
const further = 3; // tokens that a word has room for
const leastShown = 0.01; // probability of a word in the menu
let current = null; // the word that has the menu

// Returns how many tokens of a translation make up its first words.
function tokensOf({ tokens, words }, count) {
  let left = letters(words.slice(0, count).join("")).length;
  let used = 0;
  while (left > 0 && used < tokens.length) left -= letters(tokens[used++]).length;
  return used;
}

function closeMenu(focus = false) {
  find("menu")?.remove();
  if (focus) current?.focus();
}

async function askAgain(part, more) {
  const [result] = await ask({ ...settings(), ...told, ...more, model: model().name, text: part.source }, pending.signal);
  if (result.error) throw new Error(result.error);
  return result;
}
const behind = (words) => (words.length > 0 ? { prefix: words.join(" ") } : {});

async function openMenu(node) {
  closeMenu();
  current = node;
  const { part, word } = node.place;
  const length = tokensOf(part.result, word) + further;
  try {
    const { n_best } = await askAgain(part, { ...behind(part.result.words.slice(0, word)),
      beam: 16, n_best: 16, max_length_factor: 0, max_length_extra: length });
    const others = new Map();
    for (const { words, tokens, word_log_probabilities } of n_best) {
      const isWhole = words.length > word + 1 || (words.length > word && tokens.length < length);
      if (isWhole && !others.has(words[word])) others.set(words[word], Math.exp(word_log_probabilities[word]));
    }
    others.delete(part.result.words[word]);
    const shown = [...others].filter(([, probability]) => probability >= leastShown).sort(([, a], [, b]) => b - a);
    if (node.isConnected) showMenu(node, shown);
  } catch (error) {
    tell(error);
  }
}

// Replaces a sentence by its new translation, and moves the focus to the word at the place of the previous one.
async function exchange(result) {
  const { part } = current.place;
  const place = [...output.querySelectorAll(".word")].indexOf(current);
  closeMenu();
  try {
    known.set(keyOf(part.source), await result(part));
    await translate();
    const words = output.querySelectorAll(".word");
    words[Math.min(place, words.length - 1)]?.focus();
  } catch (error) {
    tell(error);
  }
}

// The requirements of a sentence: first words, the log-probabilities before them, and phrases.
const askedOf = ({ result }) => result.asked ?? { words: [], before: [], constraints: [] };

const change = (changed) => exchange(async (part) => {
  const asked = { ...askedOf(part), ...changed(part.result) };
  const { words, before, constraints } = asked;
  const result = await askAgain(part, { ...behind(words), ...glossaryOfRequest(model()), ...(constraints.length > 0 && { constraints }) });
  if (result.missing_constraints) throw new Error(`The model finds no translation with ${constraints.join(", ")}.`);
  result.word_log_probabilities?.splice(0, before.length, ...before); // what is given would count as certain
  return { ...result, asked };
});

const choose = (word, name, probability) => change(({ words, word_log_probabilities: before }) =>
  ({ words: [...words.slice(0, word), name], before: [...before.slice(0, word), Math.log(probability)] }));

// `phrases` are separated by semicolons.
const contain = (phrases) => change(() =>
  ({ constraints: phrases.split(";").map((phrase) => phrase.trim()).filter((phrase) => phrase) }));

function showMenu(node, others) {
  closeMenu();
  const { part, word } = node.place;
  const choice = (name, probability, isChosen, click) => element("li", { role: "none" },
    element("button", { role: "menuitemradio", "aria-checked": String(isChosen), click },
      element("span", {}, name), element("span", { class: "muted" }, `${(100 * probability).toFixed(0)} %`)));
  const list = element("ul", { role: "menu", "aria-label": "words here" },
    choice(part.result.words[word], Math.exp(part.result.word_log_probabilities[word]), true, () => closeMenu(true)),
    ...others.map(([name, probability]) => choice(name, probability, false, () => choose(word, name, probability))));
  const must = element("form", { submit: (event) => {
    event.preventDefault();
    contain(must.elements.phrases.value);
  } }, element("label", {}, "must contain ", element("input", { name: "phrases", placeholder: "words; other words",
    value: askedOf(part).constraints.join("; "), autocomplete: "off" })));
  const menu = element("div", { id: "menu", role: "dialog", "aria-label": "this word, and its sentence" }, list,
    ...(others.length === 0 ? [element("p", { class: "muted" }, "no other words")] : []), must);
  document.body.append(menu);
  const { left, bottom } = node.getBoundingClientRect();
  const right = document.documentElement.clientWidth - menu.offsetWidth - 4;
  menu.style.left = `${Math.max(4, Math.min(left, right)) + scrollX}px`;
  menu.style.top = `${bottom + 4 + scrollY}px`;
  menu.querySelector("button, input").focus();
}
