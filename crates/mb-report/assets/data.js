// The data of the page: 16-bit coordinates, 32-bit indices.
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const shorts = (text) => new Int16Array(bytes(text));
const indices = (text) => new Uint32Array(bytes(text));
const STEPS = 32767;
const scene = data.scene;
// Colours that differ also for most colour-blind readers, softened; they repeat.
const TINTS = ["#7d9cb8", "#e0a458", "#7fb59a", "#c98ba6", "#a7a36a", "#9b90c2", "#d98a76", "#6fb0c4"].map((t) => [1, 3, 5].map((k) => parseInt(t.slice(k, k + 2), 16) / 255));
// Lengths are counted in halves of the model's largest side, from its middle: all nodes lie between -1 and 1.
const half = scene.unit * STEPS;
const mesh = (() => {
  const quads = indices(scene.quads), triangles = indices(scene.triangles), pieces = indices(scene.tubes);
  // A node is one vertex for each part that it belongs to, so that a face shares its corners with its neighbours.
  const corners = [], vertices = [], owners = [], edges = [], faces = [];
  const known = new Map(), parts = Math.max(1, scene.owners.length);
  const vertex = (node, owner) => {
    const key = node * parts + owner;
    let at = known.get(key);
    if (at === undefined) {
      known.set(key, at = vertices.length);
      vertices.push(node);
      owners.push(owner);
    }
    return at;
  };
  for (let i = 0; i < quads.length; i += 5) {
    const [a, b, c, d, o] = quads.subarray(i, i + 5);
    const [p, q, r, t] = [a, b, c, d].map((n) => vertex(n, o));
    corners.push(p, q, r, p, r, t);
    edges.push(p, q, q, r, r, t, t, p);
    faces.push({ nodes: [a, b, c, d], owner: o });
  }
  // Which sides of triangles are edges of their body, for drawing by hand.
  const lines = indices(scene.edges), pair = (a, b) => Math.min(a, b) * scene.count + Math.max(a, b), drawn = new Set();
  for (let i = 0; i < lines.length; i += 2) drawn.add(pair(lines[i], lines[i + 1]));
  for (let i = 0; i < triangles.length; i += 4) {
    const [a, b, c, o] = triangles.subarray(i, i + 4);
    corners.push(...[a, b, c].map((n) => vertex(n, o)));
    faces.push({ nodes: [a, b, c], owner: o, sides: [[a, b, 0, 1], [b, c, 1, 2], [c, a, 2, 0]].filter(([m, n]) => drawn.has(pair(m, n))) });
  }
  for (const node of lines) edges.push(vertex(node, 0));
  return { corners: new Uint32Array(corners), vertices: new Uint32Array(vertices), owners, edges: new Uint32Array(edges), faces, pieces };
})();
// The nodes of each part, for what moves most and for its name in the drawing.
const nodesOf = scene.owners.map(() => new Set());
for (const face of mesh.faces) for (const n of face.nodes) nodesOf[face.owner].add(n);
for (let i = 0; i < mesh.pieces.length; i += 5) for (const k of [1, 2]) nodesOf[mesh.pieces[i + 4]].add(mesh.pieces[i + k]);
for (const glyph of scene.glyphs) if (glyph.mark === "mass") for (const n of glyph.nodes) nodesOf[glyph.owner].add(n);

const rest = shorts(scene.nodes);
const zeros = new Int16Array(rest.length);
const shapes = data.shapes.map((s) => {
  return { ...s, real: shorts(s.real), imaginary: s.imaginary && shorts(s.imaginary) };
});
const frames = data.motion ? data.motion.frames.map(shorts) : [];

/// Largest displacement of a node in a shape.
function sizeAt(shape, n) {
  let sum = 0;
  for (let k = 3 * n; k < 3 * n + 3; k++) sum += shape.real[k] ** 2 + (shape.imaginary ? shape.imaginary[k] ** 2 : 0);
  return Math.sqrt(sum) / STEPS;
}
/// Largest displacement of each part relative to the largest of all, largest part first.
function moves(shape) {
  if (shape.moves) return shape.moves;
  const largest = (nodes) => { let most = 0; for (const n of nodes) most = Math.max(most, sizeAt(shape, n)); return most; };
  const parts = scene.owners.map((name, owner) => ({ name, owner, size: largest(nodesOf[owner]) }));
  shape.moves = parts.filter((p) => p.size > 0).sort((a, b) => b.size - a.size);
  return shape.moves;
}

// Where pictures come slowly, those of a motion are drawn with less. Cells along the largest side at each level of detail; none: all
// triangles. The first level alone has smooth edges; from COARSE on surfaces have half the pixels each way.
const CELLS = [0, 0, 0, 128, 64, 32], COARSE = 2, MANY_FACES = 2000;
const coarser = new Map();
/// Corners of the triangles at a level: those that are left when all vertices of a part within a cell, at rest, are one of them.
function cornersAt(level) {
  const cells = CELLS[level];
  if (!cells) return mesh.corners;
  if (coarser.has(cells)) return coarser.get(cells);
  const firsts = new Map(), out = [];
  const merged = mesh.vertices.map((node, v) => {
    let key = mesh.owners[v];
    for (let k = 3 * node; k < 3 * node + 3; k++) key = key * (cells + 1) + Math.floor((rest[k] / STEPS + 1) * cells / 2);
    if (!firsts.has(key)) firsts.set(key, v);
    return firsts.get(key);
  });
  for (let i = 0; i < mesh.corners.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => merged[mesh.corners[i + k]]);
    if (a !== b && b !== c && c !== a) out.push(a, b, c);
  }
  coarser.set(cells, new Uint32Array(out));
  return coarser.get(cells);
}
