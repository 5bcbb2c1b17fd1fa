// Puts the page together, and keeps lists, filters, links and print in step.
const PRINTED = 40;
for (const name of ["findings", "confounded", "undecided", "unscorable"]) {
  DATA[name].forEach((row, i) => { row.i = i; });
}
const findings = DATA.findings.length ? new List("findings", DATA.findings, findingColumns(),
  { words: findingWords, detail: findingDetail, sort: 1, noun: "finding" }) : null;
const lists = [...(findings ? [findings] : []), ...otherLists()];
baselineTable();
if (DATA.maps.length) new ExcessMap(findings);

const inputs = { text: byId("filter-text"), family: byId("filter-family"),
  way: byId("filter-way"), baseline: byId("filter-baseline"), channel: byId("filter-channel") };

function fillFilters() {
  const families = DATA.families.map((name, i) => [name, i]).filter(([name]) => name !== "*");
  families.sort((one, two) => (one[0] < two[0] ? -1 : 1));
  inputs.family.append(...families.map(([name, i]) => el("option", { value: i }, name)));
  inputs.baseline.append(...Object.entries(DATA.baselines).map(([b, baseline]) =>
    el("option", { value: b }, `${Number(b) + 1}: ${baseline.s.slice(0, 40)}`)));
  if (inputs.channel) {
    inputs.channel.append(...DATA.channels.map((name, i) => el("option", { value: i }, name)));
  }
}

function readFilter() {
  const chosen = (input) => (input && input.value !== "" ? Number(input.value) : null);
  filter.text = inputs.text.value.trim().toLowerCase();
  filter.family = chosen(inputs.family);
  filter.way = inputs.way.value;
  filter.baseline = chosen(inputs.baseline);
  filter.channel = chosen(inputs.channel);
  for (const list of lists) {
    list.limit = PAGE;
    list.draw();
  }
  const active = filter.text || filter.way || [filter.family, filter.baseline, filter.channel]
    .some((value) => value !== null);
  byId("filter-said").textContent = active
    ? lists.map((list) => `${list.id} ${list.count.textContent}`).join(", ") : "";
}

function clearFilter() {
  byId("filters").querySelector("form").reset();
  readFilter();
}

fillFilters();
const form = byId("filters").querySelector("form");
form.addEventListener("input", readFilter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(readFilter));

function follow() {
  const named = /^#finding-(\d+)$/.exec(location.hash);
  const finding = named && DATA.findings[Number(named[1]) - 1];
  if (finding) findings.reveal(finding);
}
window.addEventListener("hashchange", follow);
follow();

// On paper nothing opens: the first findings are printed open, and the rows of every list.
let before = null;
window.addEventListener("beforeprint", () => {
  before = lists.map((list) => [list.limit, new Set(list.open)]);
  for (const list of lists) {
    list.limit = Math.max(list.limit, 10 * PAGE);
    if (list.detail) list.matching.slice(0, PRINTED).forEach((row) => list.open.add(row));
    list.draw();
  }
});
window.addEventListener("afterprint", () => {
  lists.forEach((list, i) => {
    [list.limit, list.open] = before[i];
    list.draw();
  });
});
