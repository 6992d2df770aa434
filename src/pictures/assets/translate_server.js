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

const paused = (seconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, 1000 * seconds);
  signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

// Returns the answer to a request, which is repeated if the server is busy; `wait` is then called with the reason. `body` is
// form data, or a value that is sent as JSON. Throws an error with its `status` if the answer is an error.
async function send(method, path, { body, signal, wait = () => say("The server is busy; it is asked again.") } = {}) {
  const isForm = body instanceof FormData;
  const headers = body && !isForm ? { "Content-Type": "application/json" } : {};
  if (find("key")?.value) headers.Authorization = `Bearer ${find("key").value}`;
  for (;;) {
    const answer = await fetch(path, { method, headers, signal, body: isForm ? body : JSON.stringify(body) }).catch(lost);
    if (answer.ok) return answer;
    const { status } = answer;
    const { error } = await answer.json().catch(() => ({ error: `The server answers with the status ${status}.` }));
    if (find("key") && (status === 401 || status === 403)) find("settings").open = true;
    if (status !== 429 && status !== 503) throw Object.assign(new Error(error), { status });
    wait(error);
    await paused(Number(answer.headers.get("Retry-After") ?? 1), signal);
  }
}
const post = (path, body, signal) => send("POST", path, { body, signal });

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
