// Requests to the server.

const unreachable = new Error("The server cannot be reached.");
const lost = (error) => { throw error.name === "AbortError" ? error : unreachable; };

// Yields the events of a stream: their names and data.
async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch(lost);
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const [, name, told] = event.match(/^event: (.*)\ndata: (.*)$/);
      yield [name, JSON.parse(told)];
    }
  }
}

// The key, if the server needs one, is in a field of the settings.
const lacksKey = () => find("key")?.value === "";

function askForKey() {
  find("settings").open = true;
  say("This server needs a key.", true);
}

// Returns the answer to a request, which is repeated if the server is busy. Throws if the answer is an error.
async function post(path, request, signal) {
  for (;;) {
    const headers = { "Content-Type": "application/json" };
    if (find("key")?.value) headers.Authorization = `Bearer ${find("key").value}`;
    const answer = await fetch(path, { method: "POST", headers, signal, body: JSON.stringify(request) }).catch(lost);
    if (answer.ok) return answer;
    const { error } = await answer.json();
    if (find("key") && (answer.status === 401 || answer.status === 403)) find("settings").open = true;
    if (answer.status !== 429 && answer.status !== 503) throw new Error(error);
    say("The server is busy; it is asked again.");
    await new Promise((resolve) => { setTimeout(resolve, 1000 * Number(answer.headers.get("Retry-After") ?? 1)); });
    signal.throwIfAborted();
  }
}

// Returns the translations of a request. `grown`, if given, is called with events before the answer is complete.
async function ask(request, signal, grown) {
  const answer = await post("v1/translate", { ...request, ...(grown && { stream: true, partial: true }) }, signal);
  return grown ? lastOf(eventsOf(answer), grown) : (await answer.json()).translations;
}

async function lastOf(events, grown) {
  for await (const [name, told] of events) {
    if (name === "done") return told.translations;
    if (name === "error") throw new Error(told.error);
    grown(name, told);
  }
  throw unreachable;
}
