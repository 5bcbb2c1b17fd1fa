// A text of the scan: hidden characters as framed escapes, what differs marked.
const DIFFERS = 1, ESCAPE = 2;

function pieces(index) {
  return DATA.texts[index].map(([flags, text]) => {
    const shown = flags & ESCAPE ? el("span", { class: "escape" }, text) : text;
    return flags & DIFFERS ? el("mark", {}, shown) : shown;
  });
}

function textBlock(title, says, index) {
  return el("div", { class: "text" },
    el("h3", {}, title, " ", el("span", { class: "quiet" }, says)),
    index === null
      ? el("p", { class: "quiet" }, "None was read.")
      : el("div", { class: "verbatim", dir: "ltr", tabindex: "0", role: "region",
        "aria-label": title }, pieces(index)));
}

const spoken = new Map();

// What a search looks at: the text as shown, in lower case.
function words(index) {
  if (index === null) return "";
  if (!spoken.has(index)) {
    spoken.set(index, DATA.texts[index].map(([, text]) => text).join("").toLowerCase());
  }
  return spoken.get(index);
}
