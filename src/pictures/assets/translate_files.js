// Files that are dropped on the page.

// Returns the text of a file. Throws an error if it is not UTF-8.
async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not text in UTF-8.`);
  }
}

async function openText(file) {
  input.value = await textOf(file);
  await translate();
}

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
const markDropping = (is) => document.body.classList.toggle("dropping", is);

document.addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  markDropping(!document.querySelector("dialog[open]"));
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) markDropping(false); });

// A plain text that is dropped on the text replaces it; all other files are documents, if the server translates them.
document.addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  markDropping(false);
  if (document.querySelector("dialog[open]")) return;
  const { files, items } = event.dataTransfer;
  if ([...items].some((item) => item.webkitGetAsEntry()?.isDirectory)) return void say("A folder cannot be dropped; drop its files.", true);
  if (data.most_document_bytes === 0 || (event.target === input && files[0].type === "text/plain")) openText(files[0]).catch(tell);
  else translateDocuments(files);
});
