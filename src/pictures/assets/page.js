// What the scripts of all pages share. `data` is what the program put into the page.
let data = JSON.parse(document.getElementById("data").textContent);

// Adds attributes and children to an element. Strings become text, never HTML; attributes that are functions listen
// to the event of their name; those that are undefined or false are left out.
function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

// An HTML element: element("td", { class: "number" }, "7").
function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

// The same in SVG.
function drawn(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
