// The page: what is chosen, what plays, keys and pointers.
const root = document.documentElement;
const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
const state = { picked: -1, playing: false, turns: 0, drawn: true, level: 0, late: 0, count: 0, tints: scene.owners.map((_, o) => TINTS[o % TINTS.length]) };

function setTheme(theme) {
  root.dataset.theme = theme;
  state.drawn = false;
}
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

$("title").textContent = data.title;
$("source").textContent = data.source;
$("program").textContent = data.program;
for (const [name, text] of data.facts) $("facts").append(element("div", {}, element("dt", {}, name), element("dd", {}, text)));

// What can be played: the mode shapes, then the motion.
const plays = shapes.map((s) => ({ name: s.name, shape: s }));
if (frames.length > 1) plays.push({ name: "motion in time", motion: true });
plays.forEach((p, i) => $("pick").append(element("option", { value: i }, p.name)));
if (data.modes) {
  $("statement").textContent = data.statement;
  $("modes").append(makeTable(data.modes, (row, at) => {
    const index = shapes.findIndex((s) => s.row === row);
    if (at && index >= 0) pick(index);
    return index >= 0;
  }));
} else {
  $("list").className = "hidden";
}
$("look").classList.toggle("both", Boolean(data.modes));
for (const chart of data.charts) $("charts").append(makeChart(chart));
for (const table of data.tables) {
  const part = element("article", {}, element("h2", {}, table.title));
  if (table.note) part.append(element("p", { class: "under" }, table.note));
  part.append(makeTable(table));
  $("tables").append(part);
}
if (data.notes.length) $("notes").append(element("h2", {}, "Notes"), element("ul", {}, ...data.notes.map((n) => element("li", {}, n))));

const solid = makeSolid($("solid"));
root.dataset.renderer = solid ? "webgl2" : "canvas";

/// The sentence under the drawing: what it is and which part moves.
function tell() {
  const caption = $("caption"), play = plays[state.picked];
  caption.replaceChildren();
  if (!play) return caption.append(scene.count ? "The model at its operating point." : "Nothing of this model can be drawn.");
  if (play.motion) return caption.append(element("strong", {}, "Motion in time. "), `${frames.length} frames.`);
  caption.append(element("strong", {}, play.shape.sentence), " ");
  const list = moves(play.shape);
  if (!list.length) return caption.append("Nothing that is drawn moves in this mode.");
  const share = (p) => (p.size > 0.9995 ? "" : ` ${p.size >= 0.01 ? Math.round(100 * p.size) + " %" : "under 1 %"}`);
  caption.append("Moves most: ", element("strong", {}, list[0].name), list.slice(1, 5).map((p) => `, ${p.name}${share(p)}`).join(""));
  if (list.length > 5) caption.append(` and ${list.length - 5} more`);
  caption.append(" (largest displacement, relative).");
}

function pick(index) {
  state.picked = index;
  state.turns = 0;
  const play = plays[index];
  $("pick").value = String(index);
  const shape = play && play.shape, strain = Boolean(shape && shape.strain.length);
  for (const row of $("modes").querySelectorAll("tr[data-row]")) row.classList.toggle("chosen", Boolean(shape) && Number(row.dataset.row) === shape.row);
  // A motion has neither an amplitude nor a phase to choose.
  for (const label of $("controls").querySelectorAll(".of-shape")) label.classList.toggle("hidden", !shape);
  $("colour").querySelector('[value="energy"]').disabled = !strain;
  if (!strain && $("colour").value === "energy") $("colour").value = "part";
  tell();
  state.drawn = false;
}

function setPlaying(on) {
  state.playing = on && plays.length > 0;
  // What stands is drawn in full; the next start tries a little more than the last could.
  state.level = Math.max(0, state.level - on);
  state.drawn = false;
  $("play").textContent = state.playing ? "pause" : "play";
}

const colours = () => {
  const style = getComputedStyle(root), of = (name) => style.getPropertyValue(name).trim();
  const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
  return { shade: rgb(of("--ghost")), line: rgb(of("--sign")), sign: of("--sign"), panel: of("--panel"), accent: of("--accent") };
};

/// Largest displacement that is drawn, in halves of the model's largest side.
const amplitude = () => Number($("amplitude").value) / 100 * 2;

/// The rate of growth over a radian of the oscillation, held where nothing would be seen.
function growth(value) {
  const [re, im] = value;
  return im ? Math.max(-2, Math.min(2, re / Math.abs(im))) : Math.sign(re) * 0.35;
}
const LOOP = 8;

/// What is drawn now.
function snapshot() {
  const play = plays[state.picked], shape = play && play.shape;
  const now = { ...colours(), positions: rest, real: zeros, imaginary: zeros, phase: [0, 0], still: [0, 0], radius: 0.011, tints: state.tints, ghost: false, scheme: 0, orbits: $("orbits").checked, names: $("names").checked, picked: state.picked, turns: state.turns };
  if (shape) {
    now.real = shape.real;
    now.imaginary = shape.imaginary || zeros;
    now.amplitude = amplitude();
    const angle = 2 * Math.PI * state.turns;
    let size = now.amplitude;
    if ($("decay").checked) {
      // A loop of some periods: it decays from its start, or grows to its end.
      const g = growth(shape.value), within = angle % (2 * Math.PI * LOOP);
      size *= Math.exp(g > 0 ? g * (within - 2 * Math.PI * LOOP) : g * within);
    }
    // Re((a + i b) e^(i angle)) = a cos(angle) - b sin(angle)
    now.phase = shape.value[1] || !$("decay").checked ? [size * Math.cos(angle), -size * Math.sin(angle)] : [size, 0];
    now.ghost = $("ghost").checked;
    now.scheme = { part: 0, displacement: 1, energy: 2 }[$("colour").value];
    if (now.scheme === 2) {
      now.strainMost = Math.max(...shape.strain, 1e-300);
      now.tints = shape.tints ??= scene.owners.map((_, o) => scaleColour((shape.strain[o] ?? 0) / now.strainMost));
    }
    $("clock").textContent = `${Math.round((360 * state.turns) % 360)}°`;
    $("time").value = String(Math.round(1000 * (state.turns % 1)));
  } else if (play) {
    const times = data.motion.times, last = times.length - 1, t = times[0] + (state.turns % 1) * (times[last] - times[0]);
    let k = times.findIndex((x) => x > t);
    k = k < 0 ? last : Math.max(1, k);
    const share = Math.min(1, (t - times[k - 1]) / (times[k] - times[k - 1] || 1));
    // Between two frames, which are sent once each: (1 - share) a + share b.
    [now.positions, now.real, now.imaginary] = [zeros, frames[k - 1], frames[k]];
    now.phase = now.still = [1 - share, share];
    $("clock").textContent = `${t.toFixed(Math.max(0, Math.min(20, 3 - Math.floor(Math.log10(times[last] - times[0] || 1)))))} of ${figure(times[last])} s`;
    $("time").value = String(Math.round(1000 * (state.turns % 1)));
  }
  now.level = levelNow();
  const left = `${leftOut(now, now.orbits && Boolean(shape))} ${slowly(now.level)}`.trim();
  if ($("left").textContent !== left) $("left").textContent = left;
  return now;
}

/// What is left out at a level of detail, in a sentence.
function slowly(level) {
  const less = [];
  if (solid && level >= COARSE) less.push("half the pixels each way");
  if (CELLS[level]) less.push(`${Math.round(100 * cornersAt(level).length / mesh.corners.length)} % of the triangles`);
  return less.length ? `Pictures come slowly here: ${less.join(" and ")} are drawn while it moves.` : "";
}

/// The level of detail of what is drawn now: what stands has all.
const levelNow = () => (state.playing || down.size ? state.level : 0);

function resize() {
  const box = $("stage").getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1), coarse = levelNow() >= COARSE;
  if (box.width === camera.width && box.height === camera.height && coarse === state.coarse) return;
  const first = camera.width === 1;
  [camera.width, camera.height] = [box.width, box.height];
  state.coarse = coarse;
  for (const [id, fine] of [["solid", coarse ? ratio / 2 : ratio], ["marks", ratio]]) [$(id).width, $(id).height] = [box.width, box.height].map((side) => Math.round(side * fine));
  if (first || !state.moved) fit(amplitude());
  state.drawn = false;
  // A canvas that is sized anew is empty.
  drawnMarks = "";
}

/// Counts pictures over a second at least, and three of them: where they are fewer than 30 a second, with a tenth for the clock, the
/// next have less.
function keepUp(seconds) {
  state.late += seconds;
  state.count += 1;
  if (state.late < 1 || state.count < 3) return;
  const rate = state.count / state.late;
  state.late = state.count = 0;
  if (rate < 27) state.level = Math.min(state.level + (rate < 7 ? 2 : 1), mesh.faces.length > MANY_FACES ? CELLS.length - 1 : COARSE);
}

let before = 0, painted = false;
function frame(now) {
  const step = Math.min(0.1, (now - before) / 1000);
  if (painted) keepUp((now - before) / 1000);
  before = now;
  resize();
  if (state.playing) {
    const play = plays[state.picked], rate = 2 ** (Number($("speed").value) / 5);
    const span = play && play.motion ? Math.max(1e-9, data.motion.times.at(-1) - data.motion.times[0]) : 1 / 0.7;
    state.turns += step * rate / span;
    state.drawn = false;
  }
  painted = !state.drawn && camera.width > 0;
  if (painted) paint();
  requestAnimationFrame(frame);
}

function paint() {
  state.drawn = true;
  const s = snapshot();
  if (solid) solid.draw(s);
  drawMarks(s, !solid);
  root.dataset.frames = state.frames = (state.frames || 0) + 1;
  root.dataset.level = s.level;
}

// Paper is light.
let onScreen = "light";
addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  setTheme("light");
  state.level = 0;
  paint();
});
addEventListener("afterprint", () => setTheme(onScreen));

// Controls.
const redraw = () => { state.drawn = false; };
if (plays.length < 2) for (const choice of $("controls").querySelectorAll(".choice")) choice.classList.add("hidden");
$("play").addEventListener("click", () => setPlaying(!state.playing));
$("pick").addEventListener("change", () => pick(Number($("pick").value)));
const step = (by) => plays.length && pick((state.picked + by + plays.length) % plays.length);
$("before").addEventListener("click", () => step(-1));
$("after").addEventListener("click", () => step(1));
$("time").addEventListener("input", () => { setPlaying(false); state.turns = Number($("time").value) / 1000 * 0.9999; redraw(); });
for (const id of ["amplitude", "speed", "colour", "ghost", "decay", "orbits", "names"]) $(id).addEventListener("input", redraw);
$("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
for (const button of $("views").children) button.addEventListener("click", () => { look(button.dataset.view); state.moved = false; redraw(); });
if (!plays.length) for (const row of $("controls").querySelectorAll(".row:not(#views)")) row.classList.add("hidden");

const nudge = (id, by) => { $(id).value = String(Number($(id).value) + by); redraw(); };
const toggle = (id) => { $(id).checked = !$(id).checked; redraw(); };
const KEYS = {
  " ": () => setPlaying(!state.playing), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  "+": () => nudge("amplitude", 2), "=": () => nudge("amplitude", 2), "-": () => nudge("amplitude", -2), ",": () => nudge("speed", -2), ".": () => nudge("speed", 2),
  1: () => look("front"), 2: () => look("side"), 3: () => look("top"), 4: () => look("iso"), f: () => look("fit"),
  g: () => toggle("ghost"), d: () => toggle("decay"), o: () => toggle("orbits"), n: () => toggle("names"), t: () => $("theme").click(),
  c: () => { const list = [...$("colour").options].filter((o) => !o.disabled), i = list.findIndex((o) => o.selected); $("colour").value = list[(i + 1) % list.length].value; },
};
addEventListener("keydown", (e) => {
  const pressed = e.key === " " && e.target.closest("input, select, button, summary"), moved = e.key.startsWith("Arrow") && e.target.closest("input, select");
  if (e.ctrlKey || e.metaKey || e.altKey || pressed || moved) return;
  const turns = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
  if (e.shiftKey && turns[e.key]) turn(...turns[e.key]);
  else if (KEYS[e.key]) KEYS[e.key]();
  else return;
  e.preventDefault();
  redraw();
});

// Pointers: one turns or moves, two move and zoom.
const stage = $("stage"), down = new Map();
stage.addEventListener("contextmenu", (e) => e.preventDefault());
stage.addEventListener("dblclick", () => { fit(amplitude()); state.moved = false; redraw(); });
stage.addEventListener("wheel", (e) => {
  e.preventDefault();
  const box = stage.getBoundingClientRect();
  zoom(Math.exp(-0.0015 * e.deltaY), e.clientX - box.left, e.clientY - box.top);
  state.moved = true;
  redraw();
}, { passive: false });
stage.addEventListener("pointerdown", (e) => { stage.setPointerCapture(e.pointerId); down.set(e.pointerId, [e.clientX, e.clientY]); });
for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, (e) => { down.delete(e.pointerId); redraw(); });
stage.addEventListener("pointermove", (e) => {
  const last = down.get(e.pointerId);
  if (!last) return;
  const d = [e.clientX - last[0], e.clientY - last[1]], box = stage.getBoundingClientRect();
  if (down.size > 1) {
    const other = [...down].find(([id]) => id !== e.pointerId)[1], far = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
    zoom(far([e.clientX, e.clientY]) / far(last), other[0] - box.left, other[1] - box.top);
    move(d[0] / 2, d[1] / 2);
  } else if ((e.buttons & 1 && !e.shiftKey) !== scene.planar) turn(...d);
  else move(...d);
  down.set(e.pointerId, [e.clientX, e.clientY]);
  state.moved = true;
  redraw();
});

[camera.azimuth, camera.elevation] = scene.planar ? VIEWS.top : VIEWS.iso;
pick(plays.length ? 0 : -1);
setPlaying(!quiet);
requestAnimationFrame(frame);
