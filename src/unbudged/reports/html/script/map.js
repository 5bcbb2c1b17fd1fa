// The map: a table per family, a row per attack, a column per baseline, some columns at a time.
const COLUMNS = 40;
const STEPS = 5;

class ExcessMap {
  constructor(findings) {
    this.findings = findings;
    this.channel = 0;
    this.first = 0;
    this.index();
    this.tools();
    this.draw();
    byId("map-body").addEventListener("keydown", (event) => this.walk(event));
  }

  // What each cell is, by channel, attack and baseline.
  index() {
    this.cells = new Map();
    const put = (c, a, b, mark) => this.cells.set(`${c}/${a}/${b}`, mark);
    for (const u of DATA.undecided) put(u.c, u.a, u.b ?? "all", { glyph: "?", says: u.why });
    for (const p of DATA.confounded) put(p.c, p.a, p.b, { glyph: "≈", says: "confounded" });
    for (const p of DATA.unscorable) {
      if (p.stage !== "attack") continue;
      DATA.maps.forEach((m) => put(m.c, p.a, p.b, { glyph: "×", says: `unscorable: ${p.reason}` }));
    }
    for (const f of DATA.findings) put(f.c, f.a, f.b, { finding: f });
  }

  tools() {
    const tools = byId("map-tools");
    if (DATA.maps.length > 1) {
      const choose = el("select", { id: "map-channel", onchange: (event) => {
        this.channel = Number(event.target.value);
        this.draw();
      } }, DATA.maps.map((m, i) => el("option", { value: i }, DATA.channels[m.c])));
      tools.append(el("label", {}, "Channel ", choose));
    }
    this.width = DATA.maps[0].x.length ? DATA.maps[0].x[0].length : 0;
    if (this.width <= COLUMNS) return;
    const turn = (step) => () => {
      this.first = Math.max(0, Math.min(this.first + step * COLUMNS, this.width - 1));
      this.draw();
    };
    this.back = el("button", { type: "button", onclick: turn(-1) }, "← earlier");
    this.on = el("button", { type: "button", onclick: turn(1) }, "later →");
    this.where = el("span", { role: "status" });
    tools.append(this.back, this.where, this.on);
  }

  draw() {
    const map = DATA.maps[this.channel];
    const last = Math.min(this.first + COLUMNS, this.width);
    if (this.where) {
      this.where.textContent = ` baselines ${this.first + 1} to ${last} of ${this.width} `;
      this.back.disabled = this.first === 0;
      this.on.disabled = last === this.width;
    }
    this.most = 0;
    for (const f of DATA.findings) if (f.c === map.c) this.most = Math.max(this.most, f.x);
    const families = new Map();
    map.f.forEach((family, i) => {
      if (!families.has(family)) families.set(family, []);
      families.get(family).push(i);
    });
    const home = byId("map-body");
    home.classList.toggle("wide", last - this.first > 8);
    home.classList.toggle("numbered", this.width <= 8);
    const blocks = [...families].map(([family, rows]) => this.block(map, family, rows, last));
    blocks.sort((one, two) => two.worst - one.worst);
    home.replaceChildren(...blocks.map((block) => block.table));
    const first = home.querySelector("button");
    if (first) first.tabIndex = 0;
  }

  block(map, family, rows, last) {
    const columns = [];
    for (let at = this.first; at < last; at++) columns.push({ at, b: map.b[at] ?? at });
    let found = 0, worst = 0;
    const body = rows.map((row) => el("tr", {},
      el("th", { scope: "row" }, DATA.attacks[map.a[row]]),
      columns.map(({ at, b }) => {
        const mark = this.cells.get(`${map.c}/${map.a[row]}/${b}`)
          || this.cells.get(`${map.c}/${map.a[row]}/all`);
        if (mark && mark.finding) {
          found += 1;
          worst = Math.max(worst, mark.finding.x);
        }
        return this.cell(map.x[row][at], mark, DATA.attacks[map.a[row]], b);
      })));
    const table = el("table", { class: "block" },
      el("caption", {}, DATA.families[family],
        el("span", { class: "quiet" }, found ? ` ${plural(found, "finding")}` : " no finding")),
      el("thead", {}, el("tr", {}, el("td"), columns.map(({ b }) =>
        el("th", { scope: "col" }, el("span", { class: "hidden" }, "baseline "), String(b + 1))))),
      el("tbody", {}, body));
    return { table, worst };
  }

  cell(excess, mark, attack, b) {
    const where = `${attack} on baseline ${b + 1}`;
    if (mark && mark.finding) {
      const f = mark.finding, short = this.width <= 8;
      const step = Math.max(1, Math.ceil((STEPS * f.x) / (this.most || 1)));
      const glyph = f.d === "up" ? "▲" : "▼";
      return el("td", { class: `cell ${f.d} s${Math.min(STEPS, step)}` },
        el("button", { type: "button", tabindex: "-1", title: `${where}: ${number(signed(f), true)}`,
          "aria-label": `${where}: finding, excess ${number(signed(f), true)}`,
          onclick: () => this.findings.reveal(f) },
        short ? number(signed(f), true, 3) : glyph));
    }
    if (mark) {
      return el("td", { class: "cell mid", title: `${where}: ${mark.says}` }, mark.glyph,
        el("span", { class: "hidden" }, mark.says));
    }
    if (excess === null) {
      return el("td", { class: "cell none" }, el("span", { class: "hidden" }, "not asked"));
    }
    if (!excess) {
      return el("td", { class: "cell" }, el("span", { "aria-hidden": "true" }, "·"),
        el("span", { class: "hidden" }, "inside its controls"));
    }
    return el("td", { class: "cell near",
      title: `${where}: ${number(excess, true)} outside its controls, not surely` },
    this.width <= 8 ? number(excess, true, 2) : excess > 0 ? "+" : "−");
  }

  // One stop of the Tab key; the arrow keys go from finding to finding.
  walk(event) {
    const all = [...byId("map-body").querySelectorAll("button")];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    let next = null;
    if (event.key === "ArrowRight") next = all[at + 1];
    else if (event.key === "ArrowLeft") next = all[at - 1];
    else if (event.key === "Home") next = all[0];
    else if (event.key === "End") next = all[all.length - 1];
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const column = all[at].parentElement.cellIndex;
      const rest = event.key === "ArrowDown" ? all.slice(at + 1) : all.slice(0, at).reverse();
      next = rest.find((button) => button.parentElement.cellIndex === column
        && button.closest("tr") !== all[at].closest("tr"));
    } else return;
    event.preventDefault();
    if (!next) return;
    all[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
