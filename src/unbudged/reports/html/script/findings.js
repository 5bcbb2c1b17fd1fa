// The findings: a row each, and why it is believed, its texts, readings and fix when opened.
const FLIPS = { fail_to_pass: "fail → pass", pass_to_fail: "pass → fail" };
const KINDS = {
  instruction: "Instruction: text that asks for nothing moves the score less.",
  vocabulary: "Vocabulary: text on the subject that asks for nothing moves the score as far.",
  unknown: "Whether the instruction or just its words did it was not asked.",
};

const baselineOf = (row) => DATA.baselines[row.b] || { s: "", t: null, id: null, v: {} };

function answer(row) {
  if (row.b === null) return el("span", { class: "quiet" }, "every baseline");
  const baseline = baselineOf(row);
  return el("span", { class: "answer" },
    el("span", { class: "n" }, String(row.b + 1)), ` ${baseline.s}`);
}

function way(finding) {
  const up = finding.d === "up";
  return el("span", { class: `way ${finding.d}` },
    el("span", { "aria-hidden": "true" }, up ? "▲ " : "▼ "),
    el("span", { class: "hidden" }, up ? "raises " : "lowers "));
}

function findingColumns() {
  const columns = [
    { title: "Excess", num: true, key: (f) => f.x ?? 0,
      cell: (f) => [way(f), el("strong", {}, number(signed(f), true))] },
    { title: "Attack", key: (f) => DATA.attacks[f.a], cell: (f) => [
      el("span", {}, DATA.attacks[f.a]),
      f.n ? el("span", { class: "badge" }, "new") : null,
    ] },
    { title: "Family", key: (f) => DATA.families[f.f], cell: (f) => DATA.families[f.f] },
    { title: "Baseline", key: (f) => f.b, cell: answer, class: "answer-cell" },
    { title: "Payload", num: true, key: (f) => f.as ?? 0, cell: (f) => number(f.as, true) },
    { title: "Control", num: true, key: (f) => f.cs ?? 0, cell: (f) => number(f.cs, true) },
    { title: "Kind", key: (f) => f.k + (f.fl || ""), cell: (f) => [
      el("span", {}, f.k === "unknown" ? "not asked" : f.k),
      f.fl ? el("span", { class: "badge" }, FLIPS[f.fl]) : null,
    ] },
  ];
  if (several) {
    columns.push({ title: "Channel", key: (f) => DATA.channels[f.c],
      cell: (f) => DATA.channels[f.c] });
  }
  // the attack opens the row: it comes first
  [columns[0], columns[1]] = [columns[1], columns[0]];
  return columns;
}

const searched = (row, ...more) => [
  row.a === null ? "" : DATA.attacks[row.a], row.f === null ? "" : DATA.families[row.f],
  row.b === null ? "" : words(baselineOf(row).t), ...more,
].join("\n").toLowerCase();

function findingWords(f) {
  f.said ??= searched(f, words(f.p), words(f.s), f.k);
  return f.said;
}

function findingDetail(f) {
  const baseline = baselineOf(f), name = DATA.attacks[f.a];
  const clean = baseline.v[DATA.channels[f.c]] ?? null;
  const after = (shift) => clean === null || shift === null
    ? number(shift, true) : `${number(clean + shift)} (${number(shift, true)})`;
  const fix = DATA.fixes[f.f];
  const where = f.pl === "suffix" ? "behind the answer" : `placed as ${f.pl}`;
  return el("div", { class: "finding" },
    el("p", {}, el("strong", {}, KINDS[f.k]), " ",
      f.fl ? `Turns a ${f.fl === "fail_to_pass" ? "fail into a pass" : "pass into a fail"}. ` : "",
      `Believed because: ${DATA.evidence[f.e]}`,
      f.real === null ? "." : `; chance that luck looks like this: at most ${Number(f.real.toPrecision(2))}.`),
    el("figure", {}, el("figcaption", {}, "All readings, score units"), dots(f)),
    el("div", { class: "texts" },
      textBlock("Baseline", `scores ${number(clean)}`, baseline.t),
      textBlock("Payload", `${where}, scores ${after(f.as)}`, f.p),
      f.s === null ? null : textBlock("What it encodes", f.how, f.s),
      textBlock("Twin", f.r[1].length
        ? "its shape in other words, differences marked"
        : "its shape in other words, differences marked; read on another baseline", f.t),
      textBlock("Filler", f.r[2].length
        ? "plain text of its length"
        : "the plain text nearest in length that was read", f.o)),
    fix ? el("div", { class: "fix" }, el("h3", {}, `What to change (${DATA.families[f.f]})`),
      el("p", {}, fix)) : null,
    el("p", { class: "quiet" }, "Repeat it: add ", el("code", {}, `--attack ${name}`),
      " to the command of this scan. ",
      el("a", { href: `#finding-${f.i + 1}` }, "Link to this finding")));
}
