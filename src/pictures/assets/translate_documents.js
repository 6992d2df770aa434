// Documents: files that the server translates in the background. The page sends them, shows how far they are, and saves the
// results. A reload loses none, because the tab keeps their ids; the server deletes them after some time.

const documentsStoredAs = "nmt-documents";
const pollPause = 1; // seconds
const tellOfDocuments = reporter("documents_status"); // to screen readers; the list shows it
const gone = new Error("The server does not have this document any more.");
const megabytes = (bytes) => counted(Math.ceil(bytes / 2 ** 20));
let sending = Promise.resolve(); // after the last document that is being sent
let jobs = []; // {id, name, source, target, status, progress, error}, and the row that shows each

const documentPath = (job) => `v1/documents/${encodeURIComponent(job.id)}`;
const isInProgress = ({ status }) => ["sending", "queued", "translating"].includes(status);
const keepJobs = () => keep("sessionStorage", documentsStoredAs,
  jobs.filter(({ id }) => id).map(({ id, name, source, target }) => ({ id, name, source, target })));

// Adds a document to the list.
function addJob(job) {
  const button = (label, click) => element("button", { "aria-label": `${label} ${job.name}`, click }, label);
  job.row = {
    bar: element("progress", { max: 1, "aria-label": job.name }),
    state: element("span", {}),
    save: button("Download", () => download(job)),
    remove: button("Remove", () => removeJob(job)),
    cancel: button("Cancel", () => removeJob(job)),
  };
  job.stop = new AbortController();
  const { bar, state, save, remove, cancel } = job.row;
  job.row.node = element("li", {}, element("bdi", { class: "name" }, job.name),
    element("span", { class: "muted" }, `${job.source === detecting ? "" : `${labelOf(job.source)} `}→ ${labelOf(job.target)}`),
    bar, state, element("span", { class: "actions" }, save, cancel, remove));
  jobs.push(job);
  find("jobs").append(job.row.node);
  showJob(job);
}

function showJob(job) {
  const { bar, state, save, remove, cancel } = job.row;
  const hadFocus = document.activeElement === cancel;
  bar.value = job.status === "done" ? 1 : job.progress ?? 0;
  bar.hidden = job.status === "failed";
  state.textContent = job.notice ?? {
    sending: "being sent", queued: "waiting", translating: `${Math.floor(100 * (job.progress ?? 0))} %`, failed: job.error,
    done: `translated${job.expires ? `, kept until ${new Date(job.expires).toLocaleTimeString([], { timeStyle: "short" })}` : ""}`,
  }[job.status];
  state.classList.toggle("error", job.status === "failed");
  cancel.hidden = !isInProgress(job);
  save.hidden = job.status !== "done";
  remove.hidden = isInProgress(job);
  if (hadFocus && cancel.hidden) (save.hidden ? remove : save).focus();
}

function failJob(job, error) {
  if (error.name === "AbortError") return;
  Object.assign(job, { status: "failed", error: error.message, notice: undefined });
  showJob(job);
  tellOfDocuments(`${job.name}: ${error.message}`);
}

// How requests about a document are repeated: until it is removed, with the reason in its row.
const whileWaiting = (job) => ({ signal: job.stop.signal, wait: (reason) => { job.notice = reason; showJob(job); } });

// Returns the fields of a request to translate a document with the languages and the glossary of the page.
function fieldsOfRequest(job) {
  const pair = job.source === detecting ? null : model();
  const { glossary } = glossaryOfRequest(pair);
  if (!pair && typeof glossary === "string") throw new Error("Choose the language of the document; its glossary needs it.");
  return { ...(pair ? { model: pair.name } : { source: detecting, target: job.target }),
    ...(glossary && { glossary: typeof glossary === "string" ? glossary : JSON.stringify(glossary) }) };
}

async function sendDocument(job, file, fields) {
  const form = new FormData();
  form.append("file", file, file.name);
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const answer = await send("POST", "v1/documents", { body: form, ...whileWaiting(job) });
  Object.assign(job, await answer.json(), { notice: undefined });
  keepJobs();
  showJob(job);
}

// Sends a document after those before it, and follows its translation.
async function translateDocument(file) {
  const job = { name: file.name, source: sourceSelect.value, target: targetSelect.value, status: "sending" };
  addJob(job);
  try {
    if (file.size > data.most_document_bytes)
      throw new Error(`The document has ${megabytes(file.size)} MB, but this server takes at most ${megabytes(data.most_document_bytes)} MB.`);
    const fields = fieldsOfRequest(job);
    sending = sending.then(() => sendDocument(job, file, fields));
    const sent = sending;
    sending = sending.catch(() => {});
    await sent;
    await follow(job);
  } catch (error) {
    failJob(job, error);
  }
}

async function follow(job) {
  while (isInProgress(job)) {
    try {
      Object.assign(job, await (await send("GET", documentPath(job), whileWaiting(job))).json(), { notice: undefined });
    } catch (error) {
      if (error.status === 404) throw gone;
      if (error !== unreachable) throw error;
      job.notice = error.message; // and it is asked again
    }
    showJob(job);
    if (isInProgress(job)) await paused(pollPause, job.stop.signal);
  }
  if (job.status === "failed") throw new Error(job.error);
  tellOfDocuments(`${job.name} is translated.`);
}

// Returns the file name in a field Content-Disposition.
function nameIn(disposition) {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return encoded ? decodeURIComponent(encoded) : /filename="([^"]*)"/i.exec(disposition)?.[1];
}

async function download(job) {
  try {
    const answer = await send("GET", `${documentPath(job)}/result`, whileWaiting(job));
    saveFile(await answer.blob(), nameIn(answer.headers.get("Content-Disposition") ?? "") ?? job.name);
    job.notice = undefined;
  } catch (error) {
    if (error.status === 404) return failJob(job, gone);
    job.notice = error.message;
  }
  return showJob(job);
}

// Cancels a document, or removes a finished one, here and on the server.
function removeJob(job) {
  job.stop.abort();
  const next = job.row.node.nextElementSibling ?? job.row.node.previousElementSibling;
  job.row.node.remove();
  jobs = jobs.filter((each) => each !== job);
  keepJobs();
  (next?.querySelector("button:not([hidden])") ?? find("choose")).focus();
  tellOfDocuments(isInProgress(job) ? `${job.name} is canceled.` : "");
  if (job.id) send("DELETE", documentPath(job), { wait: () => {} }).catch(() => {}); // it is deleted after some time anyway
}

// Continues to show the documents of this tab after a reload.
function resumeDocuments() {
  if (data.most_document_bytes === 0 || lacksKey() || jobs.length > 0) return;
  for (const each of kept("sessionStorage", documentsStoredAs, [])) {
    const job = { ...each, status: "queued" };
    addJob(job);
    follow(job).catch((error) => failJob(job, error));
  }
}

function translateDocuments(files) {
  if (lacksKey()) return askForKey();
  return [...files].map(translateDocument);
}

find("choose")?.addEventListener("click", () => find("files").click());
find("files")?.addEventListener("change", ({ target }) => {
  translateDocuments(target.files);
  target.value = ""; // so that the same file can be chosen again
});
