// All readings of a probe as dots on one axis, a lane for each kind of text.
const ARMS = ["baseline", "twins", "filler", "marking text", "payload"];
const LANE = 22, LEFT = 92, RIGHT = 30, WIDE = 620;

function domain(values) {
  let low = Math.min(...values), high = Math.max(...values);
  if (DATA.scale) {
    low = Math.min(low, DATA.scale[0]);
    high = Math.max(high, DATA.scale[1]);
  }
  const room = high > low ? (high - low) * 0.04 : Math.abs(low) * 0.1 || 1;
  return [low - room, high + room];
}

function dots(finding) {
  const lanes = ARMS.map((name, i) => [name, finding.r[i].filter((v) => v !== null), i])
    .filter(([, values]) => values.length);
  if (!lanes.length) return el("p", { class: "quiet" }, "This report holds no single readings.");
  const [low, high] = domain(lanes.flatMap(([, values]) => values));
  const x = (v) => LEFT + ((v - low) / (high - low)) * (WIDE - LEFT - RIGHT);
  const height = lanes.length * LANE + 24;
  const says = lanes.map(([name, values]) => `${name}: ${summary(values)}`).join("; ");
  const svg = el("svg:svg", { class: "dots", viewBox: `0 0 ${WIDE} ${height}`, role: "img",
    "aria-label": `All readings on one axis. ${says}` });
  const bottom = lanes.length * LANE + 4;
  for (const tick of ticks(low, high)) {
    svg.append(
      el("svg:line", { class: "tick", x1: x(tick), x2: x(tick), y1: 2, y2: bottom }),
      el("svg:text", { class: "tick", x: x(tick), y: bottom + 14, "text-anchor": "middle" },
        number(tick)));
  }
  if (DATA.mark !== null && DATA.mark > low && DATA.mark < high) {
    svg.append(el("svg:line", { class: "mark", x1: x(DATA.mark), x2: x(DATA.mark), y1: 2,
      y2: bottom }, el("svg:title", {}, `pass mark ${number(DATA.mark)}`)));
  }
  lanes.forEach(([name, values, arm], lane) => {
    const y = lane * LANE + LANE / 2 + 2;
    svg.append(
      el("svg:line", { class: "lane", x1: LEFT, x2: WIDE - RIGHT, y1: y, y2: y }),
      el("svg:text", { class: "name", x: LEFT - 8, y: y + 4, "text-anchor": "end" }, name));
    for (const [value, times] of counted(values)) {
      const kind = arm === 4 ? `attack ${finding.d}` : arm === 0 ? "clean" : "control";
      svg.append(el("svg:circle", { class: kind, cx: x(value), cy: y,
        r: 4 + Math.min(3, Math.log2(times)) },
      el("svg:title", {}, `${name}: ${number(value)}${times > 1 ? `, ${times} times` : ""}`)));
      if (times > 1 && counted(values).length < 8) {
        svg.append(el("svg:text", { class: "times", x: x(value) + 10, y: y + 4 }, `×${times}`));
      }
    }
  });
  return svg;
}

function counted(values) {
  const times = new Map();
  for (const value of values) times.set(value, (times.get(value) || 0) + 1);
  return [...times].sort((a, b) => a[0] - b[0]);
}

function summary(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const range = low === high ? number(low) : `${number(low)} to ${number(high)}`;
  return values.length > 1 ? `${values.length} readings, ${range}` : range;
}

function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const made = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) made.push(i * step);
  return made;
}
