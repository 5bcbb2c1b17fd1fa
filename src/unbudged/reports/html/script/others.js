// What is listed besides findings: confounded, undecided, unscorable, and the baselines.
const attackCell = (row) => (row.a === null ? "no payload" : DATA.attacks[row.a] === "*"
  ? "every payload" : DATA.attacks[row.a]);
const ATTACK = { title: "Attack", key: attackCell, cell: attackCell };
const BASELINE = { title: "Baseline", key: (r) => r.b ?? -1, cell: answer };
const WHY = { title: "Why", key: (r) => r.why, cell: (r) => r.why };
const CHANNEL = { title: "Channel", key: (r) => DATA.channels[r.c],
  cell: (r) => DATA.channels[r.c] };
const shift = (title, name) => ({ title, num: true, key: (r) => r[name] ?? 0,
  cell: (r) => number(r[name], true) });
const ofChannel = several ? [CHANNEL] : [];

function otherLists() {
  const made = [];
  const list = (id, columns, noun, sort) => {
    if (!DATA[id].length) return;
    const words = (row) => (row.said ??= searched(row, row.why, row.reason || ""));
    const one = new List(id, DATA[id], columns, { words, noun, sort });
    one.sorted.down = false;
    one.draw();
    made.push(one);
  };
  for (const row of DATA.confounded) row.way = row.as < 0 ? "down" : "up";
  list("confounded", [ATTACK, BASELINE, shift("Payload", "as"), shift("Twins", "ts"),
    shift("Filler", "os"), WHY, ...ofChannel], "probe", 0);
  list("undecided", [ATTACK, BASELINE,
    { title: "Direction", key: (r) => r.d, cell: (r) => r.d }, WHY, ...ofChannel], "row", 0);
  list("unscorable", [ATTACK, BASELINE,
    { title: "When", key: (r) => r.stage, cell: (r) => r.stage },
    { title: "Reason", key: (r) => r.reason, cell: (r) => [r.reason,
      r.off ? el("span", { class: "badge" }, "payload disables the judge") : null] },
    WHY], "reading", 0);
  return made;
}

function baselineTable() {
  const home = byId("baselines"), all = Object.entries(DATA.baselines);
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more", onclick: () => draw(all.length) });
  const draw = (limit) => {
    body.replaceChildren(...all.slice(0, limit).map(([index, baseline]) => el("tr", {},
      el("th", { scope: "row" }, String(Number(index) + 1), baseline.id === null
        ? null : el("span", { class: "quiet" }, ` ${baseline.id}`)),
      el("td", { class: "num" }, Object.entries(baseline.v).map(([name, value]) =>
        el("div", {}, several ? `${name} ` : "", number(value)))),
      el("td", { class: "verbatim-cell" }, pieces(baseline.t)))));
    more.hidden = all.length <= limit;
    more.textContent = `Show all ${plural(all.length, "baseline")}`;
  };
  home.append(el("div", { class: "scroll", tabindex: "0", role: "region",
    "aria-labelledby": "baselines-title" },
  el("table", { class: "rows" }, el("thead", {}, el("tr", {},
    el("th", { scope: "col" }, "Number"), el("th", { scope: "col", class: "num" }, "Clean score"),
    el("th", { scope: "col" }, "Answer"))), body)), more);
  draw(10);
}
