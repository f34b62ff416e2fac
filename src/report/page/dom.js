/* dom.js -- making elements, and words for numbers.
 *
 * What comes from a test is only ever text: elements are made one by one, and a string becomes
 * the text of one, never markup. */
"use strict";

/* make("p", {class: "faint"}, "text", element, ...): functions become listeners, `false` and null
 * leave an attribute or a child out. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);

  for (const [name, value] of Object.entries(attributes || {}))
    setAttribute(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (typeof value === "function")
    element.addEventListener(name, value);
  else if (value !== false && value !== null && value !== undefined)
    element.setAttribute(name, value === true ? "" : value);
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);

  for (const [name, value] of Object.entries(attributes || {}))
    setAttribute(element, name, value);
  element.append(...children);
  return element;
}

/* Styles that data decide cannot be attributes, which the page forbids. */
function place(element, styles) {
  for (const [name, value] of Object.entries(styles))
    element.style.setProperty(name, typeof value === "number" ? value + "px" : value);
  return element;
}

function many(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/* As short as a number can be shown and still be told from its neighbours. */
function short(number) {
  if (number === null || number === undefined)
    return "–";
  if (Number.isInteger(number) || Math.abs(number) >= 1000)
    return grouped(Math.round(number));
  return String(Number(number.toPrecision(3)));
}

function seconds(time) {
  return time >= 100 ? `${Math.round(time)} s` : `${time.toFixed(time >= 1 ? 1 : 2)} s`;
}

function chip(verdict) {
  return make("span", {class: `chip ${verdict}`}, verdict);
}

/* A line of text with a button that copies it. */
function copyable(text, what) {
  const said = make("span", {class: "said", role: "status"});
  const code = make("code", {}, text);
  const button = make("button", {
    type: "button", class: "copy", "aria-label": `copy ${what}`,
    click: () => copy(text, code).then((ok) => {
      said.textContent = ok ? "copied" : "selected: copy it with Ctrl-C";
    }),
  }, "copy");

  return make("div", {class: "copyable"}, make("span", {class: "what"}, what), code, button, said);
}

/* Where there is no clipboard for us, the text is selected, so that a key does it. */
async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}
