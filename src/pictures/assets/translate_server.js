// Asking the server for translations.

const unreachable = new Error("The server cannot be reached.");
const lost = (error) => { throw error.name === "AbortError" ? error : unreachable; };

// The events of a stream: their names and what they tell.
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

// The translations of a request. `grown`, where it is given, is told of the events before they are all there.
async function ask(request, signal, grown) {
  const headers = { "Content-Type": "application/json" };
  if (find("key")?.value) headers.Authorization = `Bearer ${find("key").value}`;
  const body = JSON.stringify({ ...request, ...(grown && { stream: true, partial: true }) });
  for (;;) {
    const answer = await fetch("v1/translate", { method: "POST", headers, signal, body }).catch(lost);
    if (answer.ok && grown) return lastOf(eventsOf(answer), grown);
    const { translations, error } = await answer.json();
    if (answer.ok) return translations;
    if (answer.status !== 429 && answer.status !== 503) throw new Error(error);
    say("The server is busy; it is asked again.");
    await new Promise((resolve) => { setTimeout(resolve, 1000 * Number(answer.headers.get("Retry-After") ?? 1)); });
    signal.throwIfAborted();
  }
}

async function lastOf(events, grown) {
  for await (const [name, told] of events) {
    if (name === "done") return told.translations;
    if (name === "error") throw new Error(told.error);
    grown(name, told);
  }
  throw unreachable;
}
