// The view: parallel projection, so that the scale holds everywhere.
const VIEWS = { front: [-90, 0], side: [0, 0], top: [-90, 90], iso: [-45, 35.264] };
const camera = { azimuth: 0, elevation: 0, zoom: 1, x: 0, y: 0, width: 1, height: 1 };

/// The share of a direction in the place that stands at an index of a list.
const dot = (d, list, i = 0) => d[0] * list[i] + d[1] * list[i + 1] + d[2] * list[i + 2];

/// Directions to the right, upwards and towards the reader.
function axes() {
  const [a, e] = [camera.azimuth * Math.PI / 180, camera.elevation * Math.PI / 180];
  const [ca, sa, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
  return [[-sa, ca, 0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]];
}

function look(name) {
  // The front of what lies in a plane is that plane.
  const view = scene.planar && name === "front" ? "top" : name;
  if (view !== "fit") [camera.azimuth, camera.elevation] = VIEWS[view];
  fit(amplitude());
}

/// Fits the nodes at rest and where modes of this amplitude take them, or all frames of a motion, into the frame.
function fit(amplitude) {
  const [right, up] = axes();
  const box = [Infinity, -Infinity, Infinity, -Infinity];
  for (const positions of frames.length ? [rest, ...frames] : [rest]) {
    for (let i = 0; i < positions.length; i += 3) {
      const [x, y] = [right, up].map((d) => dot(d, positions, i) / STEPS);
      let [w, h] = [0, 0];
      for (const s of positions === rest ? shapes : []) {
        const way = (d) => Math.hypot(dot(d, s.real, i), s.imaginary ? dot(d, s.imaginary, i) : 0);
        [w, h] = [Math.max(w, way(right)), Math.max(h, way(up))];
      }
      w *= amplitude / STEPS; h *= amplitude / STEPS;
      box[0] = Math.min(box[0], x - w); box[1] = Math.max(box[1], x + w); box[2] = Math.min(box[2], y - h); box[3] = Math.max(box[3], y + h);
    }
  }
  if (!(box[0] <= box[1])) box.splice(0, 4, -1, 1, -1, 1);
  const room = 0.1, [w, h] = [box[1] - box[0] + room, box[3] - box[2] + room];
  camera.zoom = Math.min((camera.width - 40) / w, (camera.height - 70) / h);
  [camera.x, camera.y] = [(box[0] + box[1]) / 2, (box[2] + box[3]) / 2];
}

/// From a place to pixels; the third number grows towards the reader.
function projector() {
  const [right, up, near] = axes();
  const { zoom, x, y, width, height } = camera;
  return (p) => [width / 2 + zoom * (dot(right, p) - x), height / 2 - 10 - zoom * (dot(up, p) - y), dot(near, p)];
}

function turn(dx, dy) {
  camera.azimuth -= 0.4 * dx;
  camera.elevation = Math.max(-90, Math.min(90, camera.elevation + 0.4 * dy));
}
function move(dx, dy) {
  camera.x -= dx / camera.zoom;
  camera.y += dy / camera.zoom;
}
/// The place under the pointer stays there.
function zoom(factor, px, py) {
  const [x, y] = [(px - camera.width / 2) / camera.zoom, (camera.height / 2 - 10 - py) / camera.zoom];
  camera.zoom *= factor;
  camera.x += x * (1 - 1 / factor);
  camera.y += y * (1 - 1 / factor);
}
