// A list of the report as a table: filtered, sorted, drawn a page at a time, rows that open.
const PAGE = 50;
const filter = { text: "", family: null, way: "", baseline: null, channel: null };

function passes(row, list) {
  if (filter.family !== null && row.f !== filter.family) return false;
  const way = row.d || row.way;
  if (filter.way && way && way !== "both" && way !== filter.way) return false;
  // an attack undecided as a whole concerns every baseline
  if (filter.baseline !== null && row.b !== null && row.b !== filter.baseline) return false;
  if (filter.channel !== null && row.c !== undefined && row.c !== filter.channel) return false;
  return !filter.text || list.words(row).includes(filter.text);
}

class List {
  // columns: {title, key (for sorting), cell, num}; detail: what an opened row shows
  constructor(id, rows, columns, { words, detail = null, sort = 0, noun }) {
    Object.assign(this, { id, rows, columns, words, detail, noun });
    this.limit = PAGE;
    this.open = new Set();
    this.sorted = { column: sort, down: true };
    this.home = byId(`${id}-list`);
    this.count = byId(`${id}-count`);
    this.body = el("tbody");
    this.heads = columns.map((column, i) => this.head(column, i));
    this.more = el("button", { type: "button", class: "more", onclick: () => this.grow() });
    this.home.append(
      el("div", { class: "scroll", tabindex: "0", role: "region",
        "aria-labelledby": `${id}-title` },
      el("table", { class: "rows" }, el("thead", {}, el("tr", {}, this.heads)), this.body)),
      this.more);
    this.draw();
  }

  head(column, i) {
    const button = el("button", { type: "button", onclick: () => this.sortBy(i) },
      column.title, el("span", { class: "arrow", "aria-hidden": "true" }));
    return el("th", { scope: "col", class: column.num ? "num" : null }, button);
  }

  sortBy(i) {
    const same = this.sorted.column === i;
    this.sorted = { column: i, down: same ? !this.sorted.down : Boolean(this.columns[i].num) };
    this.draw();
  }

  shown() {
    const { column, down } = this.sorted, key = this.columns[column].key;
    const rows = this.rows.filter((row) => passes(row, this));
    const keyed = rows.map((row, place) => [key(row), place, row]);
    keyed.sort((one, two) => {
      const order = one[0] < two[0] ? -1 : one[0] > two[0] ? 1 : 0;
      return (down ? -order : order) || one[1] - two[1];
    });
    return keyed.map(([, , row]) => row);
  }

  grow() {
    const first = this.limit;
    this.limit += 4 * PAGE;
    this.draw();
    const row = this.body.querySelectorAll("tr.row")[first];
    const next = row && row.querySelector("button");
    if (next) next.focus();
  }

  draw() {
    const rows = this.shown();
    this.matching = rows;
    this.count.textContent = rows.length === this.rows.length
      ? rows.length.toLocaleString("en")
      : `${rows.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")}`;
    this.heads.forEach((head, i) => {
      if (i === this.sorted.column) {
        head.setAttribute("aria-sort", this.sorted.down ? "descending" : "ascending");
      } else head.removeAttribute("aria-sort");
    });
    this.body.replaceChildren(...rows.slice(0, this.limit).flatMap((row) => this.rowsOf(row)));
    if (!rows.length) {
      this.body.append(el("tr", {}, el("td", { colspan: this.columns.length, class: "quiet" },
        this.rows.length ? "Nothing here matches the filter." : "None.")));
    }
    const left = rows.length - this.limit;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show more (${plural(Math.max(0, left), this.noun)} left)`;
  }

  rowsOf(row) {
    const open = this.open.has(row);
    const id = `${this.id}-detail-${row.i}`;
    const cells = this.columns.map((column, i) => {
      const inside = column.cell(row);
      if (i) return el("td", { class: column.num ? "num" : column.class || null }, inside);
      if (!this.detail) return el("th", { scope: "row" }, inside);
      const button = el("button", { type: "button", class: "open", "aria-expanded": String(open),
        "aria-controls": open ? id : null }, inside);
      return el("th", { scope: "row" }, button);
    });
    const line = el("tr", { class: "row", id: `${this.id}-${row.i}` }, cells);
    if (!this.detail) return [line];
    line.classList.add("opens");
    line.addEventListener("click", () => {
      if (String(window.getSelection())) return; // someone copies text
      this.toggle(row);
    });
    if (!open) return [line];
    return [line, el("tr", { class: "detail", id },
      el("td", { colspan: this.columns.length }, this.detail(row)))];
  }

  toggle(row, open = !this.open.has(row)) {
    if (open) this.open.add(row);
    else this.open.delete(row);
    const line = byId(`${this.id}-${row.i}`);
    if (!line) return;
    const next = line.nextElementSibling;
    if (next && next.className === "detail") next.remove();
    const focused = line.contains(document.activeElement);
    const fresh = this.rowsOf(row);
    line.replaceWith(...fresh);
    if (focused) fresh[0].querySelector("button").focus();
  }

  // Bring a row into view, whatever page or filter it is behind.
  reveal(row) {
    if (!this.matching.includes(row)) clearFilter();
    const place = this.matching.indexOf(row);
    if (place >= this.limit) this.limit = place + PAGE;
    this.open.add(row);
    this.draw();
    const line = byId(`${this.id}-${row.i}`);
    line.scrollIntoView({ block: "start" });
    line.querySelector("button").focus({ preventScroll: true });
  }
}
