// Tables that sort, curves that tell their numbers. All text enters as text, never as markup.
function element(name, attributes = {}, ...children) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  out.append(...children);
  return out;
}

const shown = (cell) => (Array.isArray(cell) ? cell[1] : cell);
function compare(a, b) {
  const [p, q] = [a, b].map((c) => (Array.isArray(c) ? c[0] : c));
  if (p === null || q === null) return (p === null) - (q === null);
  return typeof p === "number" && typeof q === "number" ? p - q : String(p).localeCompare(String(q), undefined, { numeric: true });
}

function makeTable(table, onRow) {
  const body = element("tbody"), head = element("tr");
  const numeric = table.columns.map((_, k) => table.rows.some((row) => Array.isArray(row[k])));
  const rows = table.rows.map((cells, index) => {
    const row = element("tr", { "data-row": index });
    cells.forEach((cell, k) => {
      const td = element("td", { class: numeric[k] ? "figure" : "words" }, shown(cell));
      // The number at full precision.
      if (Array.isArray(cell)) td.dataset.value = cell[0];
      row.append(td);
    });
    if (onRow && onRow(index, null)) {
      row.tabIndex = 0;
      row.addEventListener("click", () => onRow(index, row));
      row.addEventListener("keydown", (e) => { if (e.key === "Enter") onRow(index, row); });
    }
    return { row, cells };
  });
  body.append(...rows.map((r) => r.row));
  table.columns.forEach((column, k) => {
    const button = element("button", { type: "button" }, column.name);
    if (column.unit) button.append(" ", element("small", {}, column.unit));
    const th = element("th", { scope: "col", "aria-sort": "none", class: numeric[k] ? "figure" : "words" }, button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === "ascending";
      for (const other of head.children) other.setAttribute("aria-sort", "none");
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort((a, b) => (down ? -1 : 1) * compare(a.cells[k], b.cells[k]));
      body.append(...rows.map((r) => r.row));
    });
    head.append(th);
  });
  return element("div", { class: "wide" }, element("table", {}, element("thead", {}, head), body));
}

const SVG = (name, attributes, text = "") => {
  const out = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  out.textContent = text;
  return out;
};
const COLOURS = ["#1767a8", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"];
const figure = (x) => (x === 0 || (Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5) ? String(+x.toPrecision(4)) : x.toExponential(2));

/// A value with the words of its axis, `frequency, Hz`, around it: `frequency 12.5 Hz`.
const labelled = (title, x) => {
  const at = title.indexOf(", ");
  return at < 0 ? `${title} ${figure(x)}` : `${title.slice(0, at)} ${figure(x)} ${title.slice(at + 2)}`;
};

/// The distance of ticks over so much: 1, 2 or 5 times a power of ten, or whole decades.
function stepOf(wide, decades = false) {
  const rough = wide / 6, unit = 10 ** Math.floor(Math.log10(rough));
  return decades ? Math.max(1, Math.ceil(rough)) : [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
}
const wholeSteps = ([low, high], step) => [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];

/// From values to places: in proportion, or by decimal logarithms. It ends at ticks where it is to be `whole`; otherwise an end that
/// is further than `gap` from all ticks is one itself.
function axis(values, logarithmic, [from, to], gap, whole = false) {
  const good = values.filter((v) => v !== null && Number.isFinite(v) && (!logarithmic || v > 0)), value = logarithmic ? Math.log10 : (v) => v;
  let low = Infinity, high = -Infinity;
  for (const v of good) { low = Math.min(low, value(v)); high = Math.max(high, value(v)); }
  const empty = !(low <= high);
  if (empty) [low, high] = [0, 1];
  // A constant gets room in proportion around it; of zero alone the one tick is at zero.
  const size = Math.max(Math.abs(low), Math.abs(high)), wide = size && !logarithmic ? size : 1, zero = !size && !logarithmic;
  if (high - low < 1e-9 * (size || 1)) [low, high] = [low - 0.5 * wide, high + 0.5 * wide];
  const step = stepOf(high - low, logarithmic && high - low >= 2);
  if (whole && !zero && !empty) [low, high] = wholeSteps([low, high], step);
  const ticks = [];
  if (zero) ticks.push(0);
  else if (!empty) for (let t = Math.ceil(low / step - 1e-9); t * step <= high + 1e-9 * step; t++) ticks.push(t * step);
  const near = gap * (high - low) / Math.abs(to - from);
  if (!zero && !empty) for (const end of [low, high]) if (!ticks.some((t) => Math.abs(t - end) < near)) ticks.push(end);
  return {
    empty,
    at: (v) => (logarithmic && !(v > 0) ? NaN : from + (to - from) * (value(v) - low) / (high - low)),
    back: (p) => { const v = low + (high - low) * (p - from) / (to - from); return logarithmic ? 10 ** v : v; },
    ticks: ticks.map((t) => ({ at: from + (to - from) * (t - low) / (high - low), text: logarithmic ? figure(10 ** t) : figure(Math.abs(t) < 1e-9 * step ? 0 : t) })),
  };
}

/// Least and largest finite value; zero twice where there is none.
function extent(values) {
  const good = values.filter((v) => v !== null && Number.isFinite(v));
  return good.length ? [good.reduce((a, b) => Math.min(a, b)), good.reduce((a, b) => Math.max(a, b))] : [0, 0];
}

/// Ends of both axes such that a unit is as long across as up, and the height: as the curves ask for, within bounds.
function equalAxes(curves, wide) {
  // What is widened to whole steps may have larger ones.
  const rounded = (values) => { let ends = extent(values); for (let k = 0; k < 3 && ends[1] > ends[0]; k++) ends = wholeSteps(ends, stepOf(ends[1] - ends[0])); return ends; };
  const ends = [rounded(curves.flatMap((c) => c.x)), rounded(curves.flatMap((c) => c.y))], [dx, dy] = ends.map(([low, high]) => high - low);
  const high = Math.min(620, Math.max(210, dx > 0 ? wide * dy / dx : 620)), unit = Math.max(dx / wide, dy / high) || 1 / wide;
  const around = ([low, top], long) => [(low + top - unit * long) / 2, (low + top + unit * long) / 2];
  return { high, x: around(ends[0], wide), y: around(ends[1], high) };
}

/// A long name without its middle.
const middle = (text, most) => (text.length <= most ? text : `${text.slice(0, Math.ceil((most - 1) / 2))}…${text.slice(text.length - Math.floor((most - 1) / 2))}`);

/// The width of a text of a chart in its own units, a tenth more where the browser has another font for it.
const lettersWide = (text) => {
  paper.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(1.1 * paper.measureText(text).width);
};

/// Most letters of a legend.
const LEGEND = 40;

/// Broken lines are references, of no colour of their own.
const tint = (curve) => (curve.mark === "dashes" ? "#8a8a8a" : COLOURS[curve.colour % COLOURS.length]);

function makeChart(chart) {
  // Names stand to the right of the drawing, so that they lie on no curve.
  const list = chart.panels, named = (panel) => panel.curves.filter((c) => c.name && !c.named_at_end), legends = (panel) => panel.curves.length > 1 && named(panel).length > 0;
  // The margin is as wide as the longest of them.
  const widest = Math.max(0, ...list.filter(legends).flatMap(named).map((c) => lettersWide(middle(c.name, LEGEND))));
  const [W, left, right, top, gap] = [980, 84, widest ? widest + 40 : 20, 8, 18];
  // A panel is as high as its legend needs.
  const equal = chart.equal ? equalAxes(list[0].curves, W - right - left) : null;
  const highs = list.map((panel) => Math.max(equal ? equal.high : 210, legends(panel) ? 15 * named(panel).length + 8 : 0));
  const H = top + highs.reduce((sum, high) => sum + high + gap, 0) + 40, svg = SVG("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": chart.title });
  const across = axis(equal ? equal.x : list.flatMap((p) => p.curves.flatMap((c) => c.x)), chart.logarithmic, [left, W - right], 60);
  list.forEach((panel, k) => {
    const high = highs[k], y0 = top + highs.slice(0, k).reduce((sum, h) => sum + h + gap, 0), up = axis(equal ? equal.y : panel.curves.flatMap((c) => c.y), panel.logarithmic, [y0 + high, y0], 24, !equal);
    for (const t of up.ticks) {
      svg.append(SVG("line", { class: "grid", x1: left, x2: W - right, y1: t.at, y2: t.at }), SVG("text", { x: left - 6, y: t.at + 4, "text-anchor": "end" }, t.text));
    }
    if (up.empty) svg.append(SVG("text", { x: (left + W - right) / 2, y: y0 + high / 2, "text-anchor": "middle" }, panel.curves.some((c) => c.y.includes(0)) ? "zero throughout" : "no values"));
    for (const t of across.ticks) svg.append(SVG("line", { class: "grid", x1: t.at, x2: t.at, y1: y0, y2: y0 + high }));
    svg.append(SVG("text", { x: 14, y: y0 + high / 2, transform: `rotate(-90 14 ${y0 + high / 2})`, "text-anchor": "middle" }, panel.ordinate));
    panel.curves.forEach((curve) => {
      const runs = [[]], height = (i) => (curve.y[i] === null ? NaN : up.at(curve.y[i]));
      curve.x.forEach((x, i) => {
        if (Number.isFinite(across.at(x)) && Number.isFinite(height(i))) runs.at(-1).push(i);
        else if (runs.at(-1).length) runs.push([]);
      });
      const spot = (i, py) => `${across.at(curve.x[i]).toFixed(1)} ${py.toFixed(1)}`;
      const d = runs.filter((run) => run.length).map((run) => "M" + run.map((i) => spot(i, height(i))).join("L")).join("");
      // An end of the band: of the panel where nothing is known.
      const edge = (i, side) => {
        const py = curve.band[i] === null ? NaN : up.at(curve.y[i] + side * curve.band[i]);
        return spot(i, Math.min(y0 + high, Math.max(y0, Number.isFinite(py) ? py : side > 0 ? y0 : y0 + high)));
      };
      const colour = tint(curve);
      if (curve.mark === "points") {
        curve.x.forEach((x, i) => {
          const [px, py] = [across.at(x), curve.y[i] === null ? NaN : up.at(curve.y[i])];
          if (Number.isFinite(px) && Number.isFinite(py)) svg.append(SVG("circle", { class: "curve", cx: px.toFixed(1), cy: py.toFixed(1), r: 3.2, stroke: colour }));
        });
      } else {
        if (curve.band) {
          const around = (run) => "M" + [...run.map((i) => edge(i, 1)), ...[...run].reverse().map((i) => edge(i, -1))].join("L") + "Z";
          svg.append(SVG("path", { class: "band", d: runs.filter((run) => run.length).map(around).join(""), fill: colour }));
        }
        svg.append(SVG("path", { class: "curve", d, stroke: colour, ...(curve.mark === "dashes" ? { "stroke-dasharray": "5 4" } : {}) }));
      }
    });
    const tell = (curve, at, text) => {
      const label = SVG("text", { class: "legend", ...at }, text);
      label.style.fill = tint(curve);
      if (text !== curve.name) label.append(SVG("title", {}, curve.name));
      svg.append(label);
    };
    // The name of a curve that has it at its end stands left of and above that.
    for (const curve of panel.curves.filter((c) => c.named_at_end)) {
      const i = curve.y.findLastIndex((y, k) => y !== null && Number.isFinite(up.at(y)) && Number.isFinite(across.at(curve.x[k])));
      if (i >= 0) tell(curve, { x: across.at(curve.x[i]) - 3, y: Math.max(y0 + 10, up.at(curve.y[i]) - 4), "text-anchor": "end" }, curve.name);
    }
    if (legends(panel)) named(panel).forEach((curve, n) => {
      const [x, y] = [W - right + 12, y0 + 12 + 15 * n], stroke = tint(curve);
      svg.append(curve.mark === "points" ? SVG("circle", { class: "curve", cx: x + 7, cy: y - 4, r: 3.2, stroke }) : SVG("path", { class: "curve", d: `M${x} ${y - 4}h14`, stroke, ...(curve.mark === "dashes" ? { "stroke-dasharray": "5 4" } : {}) }));
      tell(curve, { x: x + 20, y }, middle(curve.name, LEGEND));
    });
  });
  for (const t of across.ticks) svg.append(SVG("text", { x: Math.min(t.at, W - lettersWide(t.text) / 2), y: H - 26, "text-anchor": "middle" }, t.text));
  svg.append(SVG("text", { x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle" }, chart.abscissa));
  // The numbers under the pointer.
  const cross = SVG("line", { class: "cross", y1: top, y2: H - 40, x1: -9, x2: -9 }), told = element("output");
  // In the plane the point nearest to the pointer, with its frequency.
  const near = SVG("circle", { class: "cross", r: 5, cx: -9, cy: -9, fill: "none" }), plane = equal && axis(equal.y, false, [top + highs[0], top], 24);
  svg.append(equal ? near : cross);
  svg.addEventListener("pointermove", (e) => {
    const box = svg.getBoundingClientRect(), px = (e.clientX - box.left) * W / box.width, x = across.back(px);
    if (equal) {
      const py = (e.clientY - box.top) * H / box.height;
      let best = null;
      for (const curve of list[0].curves) curve.x.forEach((re, i) => {
        const at = [across.at(re), plane.at(curve.y[i])], far = Math.hypot(at[0] - px, at[1] - py);
        if (far < (best ? best.far : Infinity)) best = { far, at, curve, i };
      });
      if (!best) return;
      const { curve, i } = best, hz = (curve.frequencies_hz || [])[i];
      near.setAttribute("cx", best.at[0]);
      near.setAttribute("cy", best.at[1]);
      told.textContent = `${hz === undefined ? "" : `frequency ${figure(hz)} Hz: `}${curve.name ? `${curve.name}: ` : ""}${labelled(chart.abscissa, curve.x[i])}; ${labelled(list[0].ordinate, curve.y[i])}`;
      return;
    }
    cross.setAttribute("x1", px);
    cross.setAttribute("x2", px);
    // Curves at the same place share its words.
    const words = new Map();
    for (const panel of list) for (const curve of panel.curves) {
      const found = curve.x.findIndex((v) => v >= x), i = found < 0 ? curve.x.length - 1 : found, where = labelled(chart.abscissa, curve.x[i]);
      if (curve.y[i] === null || curve.y[i] === undefined) continue;
      words.set(where, [...(words.get(where) ?? []), `${curve.name ? `${curve.name}: ` : ""}${labelled(panel.ordinate, curve.y[i])}`]);
    }
    told.textContent = [...words].slice(0, 3).map(([where, texts]) => `${where}: ${texts.slice(0, 6).join("; ")}`).join(". ");
  });
  const out = element("article", { class: "chart" }, element("h2", {}, chart.title));
  if (chart.note) out.append(element("p", { class: "under" }, chart.note));
  out.append(svg, told);
  for (const table of chart.tables ?? []) {
    out.append(element("h3", {}, table.title));
    if (table.note) out.append(element("p", { class: "under" }, table.note));
    out.append(makeTable(table));
  }
  return out;
}
