// Marks of constant size over the surfaces, and surfaces too where WebGL is missing.
// Thin lines that change with each picture cost less without the graphics processor, much less where there is none.
const paper = $("marks").getContext("2d", { willReadFrequently: true });
// Thousands of marks, orbits and edges hide what they are drawn on; what is left out is said under the drawing.
const [MOST_MARKS, MOST_ORBITS, MOST_FACES] = [300, 400, 20000];
let seen = { from: "", glyphs: [] };
const AT_ONE_PLACE = ["pin", "ground", "mass", "weld", "spiral", "vane"];
/// The marks of this view: of those at one place, of a kind, one stands for all within a square of twelve pixels, or of more where
/// many would be left.
function glyphsInView() {
  const from = JSON.stringify(camera);
  if (seen.from === from) return seen.glyphs;
  const project = projector(), at = (n) => project([0, 1, 2].map((i) => rest[3 * n + i] / STEPS));
  const placed = scene.glyphs.map((glyph) => ({ glyph, at: AT_ONE_PLACE.includes(glyph.mark) && at(glyph.nodes[0]) }));
  const thinned = (pixels) => {
    const taken = new Set();
    return placed.filter(({ glyph, at }) => {
      const square = at && [glyph.mark, Math.round(at[0] / pixels), Math.round(at[1] / pixels)].join();
      return !at || (!taken.has(square) && taken.add(square));
    });
  };
  let pixels = 12, left = thinned(pixels);
  while (left.length > MOST_MARKS && pixels < 96) left = thinned(pixels *= 2);
  seen = { from, glyphs: left.map(({ glyph }) => glyph) };
  return seen.glyphs;
}

// Lines by which a name moves up (negative) or down where it would lie on another; pictures (mb-cli/src/plot/tags.rs) have the same.
const [NAME_LINE, AWAY] = [15, [0, -1, 1, -2, 2]];
const FONT = "12px sans-serif";
let written = { from: "", asked: 0, list: [] };
/// Names with their places: right of and above the middle of each part at rest, or in this frame of a motion, inside the drawing, at
/// the first of some lines where none stands. Names without such a line are left out.
function namesInView(state) {
  const from = JSON.stringify([camera, state.scheme, state.still, state.still[1] && state.turns]);
  if (written.from === from) return written;
  const project = projector(), [still, real, imaginary] = [state.positions, state.real, state.imaginary].map(middles), { width, height } = camera, list = [];
  let asked = 0;
  // Triad, scale and colours.
  const taken = [[width - 90, height - 84, width, height], [0, height - 30, 220, height], [0, 0, state.scheme ? 220 : 0, state.scheme ? 44 : 0]];
  paper.font = FONT;
  scene.owners.forEach((whole, o) => {
    if (!nodesOf[o].size) return;
    const [px, py] = project(still[o].map((v, i) => v + state.still[0] * real[o][i] + state.still[1] * imaginary[o][i]));
    if (!(px >= 0 && px <= width && py >= 0 && py <= height)) return;
    asked += 1;
    const name = middle(whole, Math.floor((width - 20) / 8)), long = paper.measureText(name).width, x = Math.max(6, Math.min(px + 8, width - 6 - long));
    const first = Math.max(NAME_LINE, Math.min(py - 8, height - 6));
    const y = AWAY.map((k) => first + NAME_LINE * k).find((y) => y >= NAME_LINE && y <= height - 6 && !taken.some(([a, b, c, d]) => x < c && x + long > a && y - NAME_LINE + 1 < d && y > b));
    if (y === undefined) return;
    taken.push([x, y - NAME_LINE + 1, x + long, y]);
    list.push({ name, x, y });
  });
  return written = { from, asked, list };
}

/// What the drawing leaves out, in sentences.
function leftOut(state, orbits) {
  const words = [], hidden = scene.glyphs.length - glyphsInView().length, shown = Math.ceil(scene.count / Math.ceil(scene.count / MOST_ORBITS));
  if (hidden) words.push(`${hidden} of ${scene.glyphs.length} marks, close to others of their kind, are not drawn.`);
  // Of a motion that would change with each picture.
  const { asked, list } = state.names && !state.still.some(Boolean) ? namesInView(state) : { asked: 0, list: [] };
  if (asked > list.length) words.push(`${asked - list.length} of ${asked} names have no room.`);
  if (mesh.faces.length >= MOST_FACES) words.push(`The edges of the ${mesh.faces.length} faces are not drawn.`);
  if (orbits && scene.count > MOST_ORBITS) words.push(`Orbits are those of ${shown} of ${scene.count} nodes.`);
  return words.join(" ");
}

/// Colour of a value between 0 and 1, as in the shader.
function scaleColour(x) {
  const within = (v) => Math.max(0, Math.min(1, v)), t = within(x);
  return [0, 1, 2].map((k) => within(SCALE.reduceRight((sum, row) => sum * t + row[k], 0)));
}
const css = (rgb, alpha = 1) => `rgba(${rgb.map((v) => Math.round(255 * v)).join(",")},${alpha})`;

/// Where a node is: at rest, and moved by the shape.
function nodeAt(state, n, phase = state.phase) {
  const k = 3 * n, p = [0, 0, 0];
  for (let i = 0; i < 3; i++) p[i] = (state.positions[k + i] + phase[0] * state.real[k + i] + phase[1] * state.imaginary[k + i]) / STEPS;
  return p;
}

/// The middle of the nodes of each part: it moves as they do, so that a picture takes it of each shape once.
const middlesOf = new WeakMap();
function middles(values) {
  if (!middlesOf.has(values)) {
    const middle = (nodes) => [0, 1, 2].map((i) => { let sum = 0; for (const n of nodes) sum += values[3 * n + i]; return sum / STEPS / (nodes.size || 1); });
    middlesOf.set(values, nodesOf.map(middle));
  }
  return middlesOf.get(values);
}

/// The orbits of some nodes, which stand while the mode plays.
let knownOrbits = { from: "" };
function orbitsInView(state, project) {
  const from = JSON.stringify([camera, state.amplitude, state.picked]);
  if (knownOrbits.from !== from) {
    const all = new Path2D(), turns = Array.from({ length: 32 }, (_, k) => [Math.cos(k * Math.PI / 16), -Math.sin(k * Math.PI / 16)].map((x) => state.amplitude * x));
    for (let n = 0; n < scene.count; n += Math.ceil(scene.count / MOST_ORBITS)) {
      turns.forEach((phase, k) => { const [x, y] = project(nodeAt(state, n, phase)); if (k) all.lineTo(x, y); else all.moveTo(x, y); });
      all.closePath();
    }
    knownOrbits = { from, all };
  }
  return knownOrbits.all;
}

function path(points, closed) {
  paper.beginPath();
  points.forEach(([x, y], i) => (i ? paper.lineTo(x, y) : paper.moveTo(x, y)));
  if (closed) paper.closePath();
}
const stroke = (...lines) => { for (const line of lines) { path(line); paper.stroke(); } };
const area = (points) => { path(points, true); paper.fill(); };
const disc = ([x, y], radius) => { paper.beginPath(); paper.arc(x, y, radius, 0, 7); paper.fill(); };

/// Points in pixels about a, along the direction from `from` to b, or along `without` where they are one, and across it.
function turned(a, b, without = [1, 0], from = a) {
  const d = b ? [b[0] - from[0], b[1] - from[1]] : [0, 0], length = Math.hypot(...d), e = length > 1e-6 ? d.map((x) => x / length) : without;
  return (s, t) => [a[0] + s * e[0] - t * e[1], a[1] + s * e[1] + t * e[0]];
}
/// Points along a line from a to b: share of the length, and pixels to the side.
function beside(a, b) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]), at = turned(a, b);
  return { length, at: (s, t) => at(s * length, t) };
}
/// Points about a in turns and pixels.
const polar = (a) => (turns, radius) => [a[0] + radius * Math.cos(2 * Math.PI * turns), a[1] - radius * Math.sin(2 * Math.PI * turns)];

/// The ends of a mark beside the line from a to b, with the bars that hold it there.
function inLane([a, b], lane) {
  const l = beside(a, b), side = lane * Math.min(8, 0.16 * l.length), ends = [l.at(0, side), l.at(1, side)];
  stroke([a, ends[0]], [b, ends[1]]);
  return ends;
}

const box = (at, w) => [at(-w, -5), at(w, -5), at(w, 5), at(-w, 5)];
const GLYPHS = {
  pin: ([a]) => { disc(a, 4); paper.stroke(); },
  wall: ([a, b]) => {
    const at = turned(a, b, [0, -1]);
    paper.lineWidth = 2.2; stroke([at(0, -12), at(0, 12)]); paper.lineWidth = 1.2;
    for (let k = 0; k < 5; k++) stroke([at(0, 5 * k - 9), at(-7, 5 * k - 14)]);
  },
  weld: ([a, b], sign) => { paper.fillStyle = sign; area(box(turned(a, b), 5)); },
  spiral: ([a]) => {
    const at = polar(a);
    stroke([...Array.from({ length: 43 }, (_, k) => at(0.5 + k / 24, 5 + k / 6)), at(0.25, 16)]);
  },
  vane: ([a]) => {
    const at = polar(a);
    stroke(Array.from({ length: 25 }, (_, k) => at(0.125 + k / 32, 11)), [at(0, 4), at(0, 14)], [at(0.07, 8.5), at(-0.07, 8.5)]);
  },
  mass: ([a], sign) => { paper.fillStyle = sign; disc(a, 5); },
  link: (ends) => stroke(ends),
  slider: ([a, b, c]) => {
    const at = turned(a, c, [1, 0], b);
    paper.setLineDash([5, 4]); stroke([at(-45, 0), at(45, 0)]); paper.setLineDash([]);
    area(box(at, 9)); paper.stroke();
  },
  spring: ([a, b]) => {
    const { length, at } = beside(a, b), side = Math.min(6, 0.12 * length), points = [at(0, 0), at(0.18, 0)];
    for (let k = 0; k < 14; k++) points.push(at(0.18 + 0.64 * (k + 0.5) / 14, k % 2 ? -side : side));
    stroke([...points, at(0.82, 0), at(1, 0)]);
  },
  damper: ([a, b]) => {
    const { length, at } = beside(a, b), h = Math.min(6, 0.12 * length);
    stroke([at(0, 0), at(0.4, 0)], [at(0.62, h), at(0.4, h), at(0.4, -h), at(0.62, -h)], [at(0.54, 0.8 * h), at(0.54, -0.8 * h)], [at(0.54, 0), at(1, 0)]);
  },
  bushing: ([a, b]) => {
    stroke([a, b]);
    for (const r of [9, 4.5]) { disc(beside(a, b).at(0.5, 0), r); paper.stroke(); }
  },
  ground: ([a]) => {
    const at = turned(a);
    area([at(-9, 10), a, at(9, 10)]); paper.stroke();
    for (let k = 0; k < 4; k++) stroke([at(5 * k - 8, 10), at(5 * k - 12, 15)]);
  },
};

/// Faces at a level of detail.
function* facesAt(level) {
  const corners = cornersAt(level);
  if (corners === mesh.corners) yield* mesh.faces;
  else for (let i = 0; i < corners.length; i += 3) yield { nodes: [...corners.subarray(i, i + 3)].map((v) => mesh.vertices[v]), owner: mesh.owners[corners[i]] };
}

/// Everything that the shaders draw, from far to near: for browsers without WebGL.
function drawSurfaces(state, project, phase, ghost) {
  // A face has one colour here, that of the mean of its corners.
  const colour = (owner, nodes) => (state.scheme === 1 ? scaleColour(nodes.reduce((s, n) => s + sizeAt(state, n), 0) / nodes.length) : state.tints[owner]);
  const list = [];
  for (const { nodes, owner, sides } of facesAt(state.level)) {
    const p = nodes.map((n) => project(nodeAt(state, n, phase)));
    list.push({ p, near: p.reduce((s, q) => s + q[2], 0) / p.length, owner, nodes, sides: ghost || !sides ? [] : sides });
  }
  for (let i = 0; i < mesh.pieces.length; i += 5) {
    const [a, b, c, d, owner] = mesh.pieces.subarray(i, i + 5), q = [a, b, c, d].map((n) => project(nodeAt(state, n, phase)));
    const p = Array.from({ length: 7 }, (_, k) => [0, 1].map((j) => {
      const t = k / 6, [e, f, g, h] = q.map((x) => x[j]);
      return f + t / 2 * (g - e + t * (2 * e - 5 * f + 4 * g - h + t * (3 * f - e - 3 * g + h)));
    }));
    list.push({ p, line: true, near: (q[1][2] + q[2][2]) / 2, owner, nodes: [b, c] });
  }
  list.sort((a, b) => a.near - b.near);
  for (const { p, line, owner, nodes, sides } of list) {
    path(p, !line);
    const rgb = ghost ? state.shade : colour(owner, nodes);
    if (line) {
      paper.strokeStyle = css(rgb, ghost ? 0.35 : 1);
      paper.lineWidth = Math.max(2, 2 * state.radius * camera.zoom);
      paper.lineCap = "round";
      paper.stroke();
    } else {
      // By the share of the normal towards the reader, so that the faces of a plate have one shade.
      const [u, v] = [p[1], p[2]].map((q) => [q[0] - p[0][0], q[1] - p[0][1], camera.zoom * (q[2] - p[0][2])]), turn = Math.abs(u[0] * v[1] - u[1] * v[0]), long = Math.hypot(turn, u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2]) || 1;
      paper.fillStyle = css(rgb.map((v) => v * (ghost ? 1 : 0.65 + 0.35 * turn / long)), ghost ? 0.2 : 1);
      paper.fill();
      // A thin line of the same colour closes the gaps between faces.
      paper.strokeStyle = p.length === 4 ? css(state.line, ghost ? 0.1 : 0.3) : paper.fillStyle;
      paper.lineWidth = 0.7;
      paper.stroke();
      paper.strokeStyle = css(state.line, 0.45);
      paper.lineWidth = 1;
      for (const [, , i, j] of sides) stroke([p[i], p[j]]);
    }
  }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above x.
function round(x) {
  const decade = 10 ** Math.floor(Math.log10(x));
  return [5, 2, 1].map((m) => m * decade).find((m) => m <= x * (1 + 1e-9)) ?? decade;
}

function drawFrame(state) {
  const { height, width } = camera, [right, up] = axes();
  // Triad: the directions of the axes.
  const at = [width - 46, height - 40];
  paper.lineWidth = 1.5;
  ["x", "y", "z"].forEach((name, k) => {
    const d = [right[k], -up[k]];
    if (scene.planar && k === 2 && Math.hypot(...d) < 0.1) return;
    paper.strokeStyle = paper.fillStyle = ["#d5544a", "#3d9950", "#4a7fd5"][k];
    stroke([at, [at[0] + 26 * d[0], at[1] + 26 * d[1]]]);
    paper.fillText(name, at[0] + 34 * d[0] - 3, at[1] + 34 * d[1] + 4);
  });
  // Scale: a round length.
  const length = round(130 * half / camera.zoom), bar = length / half * camera.zoom, y = height - 18;
  paper.strokeStyle = paper.fillStyle = state.sign;
  stroke([[16, y - 5], [16, y], [16 + bar, y], [16 + bar, y - 5]]);
  paper.fillText(`${length >= 1e-3 && length < 1e5 ? +length.toPrecision(1) : length.toExponential(0)} m`, 22 + bar, y + 1);
  if (state.scheme) {
    for (let k = 0; k < 100; k++) { paper.fillStyle = css(scaleColour(k / 99)); paper.fillRect(16 + 1.3 * k, 14, 1.4, 9); }
    paper.fillStyle = state.sign;
    paper.fillText(state.scheme === 1 ? "displacement: none to largest" : `strain energy: none to ${(100 * state.strainMost).toFixed(1)} %`, 16, 38);
  }
}

// Places of the ground do not move with a mode; where nothing else is to be drawn anew, the picture stays.
const held = (glyph) => ["ground", "wall"].includes(glyph.mark);
let drawnMarks = "";
function drawMarks(state, surfaces) {
  const moving = surfaces || state.still[1] || glyphsInView().some((g) => !held(g));
  const { sign, scheme, strainMost, orbits, amplitude, picked, turns, ghost } = state;
  const now = JSON.stringify([camera, $("marks").width, sign, scheme, strainMost, picked, ghost, state.names, orbits && amplitude, moving && [turns, state.phase]]);
  if (now === drawnMarks) return;
  drawnMarks = now;
  const ratio = $("marks").width / camera.width || 1, project = projector();
  paper.setTransform(ratio, 0, 0, ratio, 0, 0);
  paper.clearRect(0, 0, camera.width, camera.height);
  paper.font = FONT;
  if (surfaces) {
    if (state.ghost) drawSurfaces(state, project, [0, 0], true);
    drawSurfaces(state, project, state.phase, false);
  }
  if (state.orbits && state.amplitude) {
    paper.strokeStyle = state.accent;
    paper.lineWidth = 1;
    paper.stroke(orbitsInView(state, project));
  }
  paper.lineJoin = "round";
  paper.lineCap = "butt";
  const draw = (glyph, phase, sign) => {
    paper.lineWidth = 1.4;
    paper.strokeStyle = sign;
    paper.fillStyle = state.panel;
    const ends = glyph.nodes.map((n) => project(nodeAt(state, n, phase)));
    GLYPHS[glyph.mark](glyph.lane ? inLane(ends, glyph.lane) : ends, sign);
  };
  if (state.ghost) for (const glyph of glyphsInView()) if (!held(glyph)) draw(glyph, [0, 0], css(state.shade));
  for (const glyph of glyphsInView()) draw(glyph, held(glyph) ? state.still : state.phase, state.sign);
  if (state.names) {
    const { list } = namesInView(state);
    paper.lineWidth = 3;
    paper.strokeStyle = state.panel;
    paper.fillStyle = state.sign;
    for (const { name, x, y } of list) {
      paper.strokeText(name, x, y);
      paper.fillText(name, x, y);
    }
  }
  drawFrame(state);
}
