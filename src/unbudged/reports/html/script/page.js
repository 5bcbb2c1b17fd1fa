// The page's data, and how elements are made: text is only ever set as text.
"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);

const byId = (id) => document.getElementById(id);

function el(name, attributes, ...children) {
  const made = name.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4))
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null) made.append(child);
  return made;
}

function number(value, sign, digits = 4) {
  if (value === null || value === undefined) return "unknown";
  const shown = String(Number(Math.abs(value).toPrecision(digits)));
  if (shown === "0") return shown;
  return (value < 0 ? "−" : sign ? "+" : "") + shown;
}

const plural = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
const signed = (finding) => (finding.d === "up" ? finding.x : -finding.x);
const several = DATA.channels.length > 1;
