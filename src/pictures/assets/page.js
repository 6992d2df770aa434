// Common code of all pages. `data` has the contents that the program put into the page.
let data = JSON.parse(document.getElementById("data").textContent);

// Adds attributes and children to an element. Strings become text, never HTML; functions become listeners of the event
// of their name; undefined and false attributes are omitted.
function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

// Makes an HTML element: element("td", { class: "number" }, "7").
function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

// Makes an element of SVG.
function drawn(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// Lets the reader save a file. Only an action of the reader may call it.
function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
