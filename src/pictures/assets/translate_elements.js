// The page of nmt serve: its elements, and messages to the reader. `data` has the models, the languages, the maximum number of
// characters, the maximum size of a document (0: the server translates none), and whether the server has `quality` and stores
// `glossaries`.

const find = (id) => document.getElementById(id);
const input = find("text"), output = find("output"), sourceSelect = find("source"), targetSelect = find("target");
const counted = (count) => count.toLocaleString("en");

// Returns a function that shows messages in an element.
const reporter = (id) => (text, isError = false) => {
  find(id).textContent = text;
  find(id).classList.toggle("error", isError);
};
const say = reporter("status");

function tell(error) {
  if (error.name !== "AbortError") say(error.message, true);
}
