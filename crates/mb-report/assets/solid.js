// Surfaces and tubes by WebGL2. Nodes and shapes lie in the memory of the graphics processor, which bends the model: a picture
// costs no transfer. Corners of faces are vertices that neighbours share; tubes look their nodes up in textures.
// Where pictures come slowly, those of a motion have no smooth edges and then fewer faces; one that stands has all.
const WIDE = 1024;
// Colours from 0 to 1: coefficients of a polynomial, a fit of viridis.
const SCALE = [[.27, .005, .33], [.1, 1.4, 1.39], [-.33, .21, .09], [-4.63, -5.8, -19.33], [6.23, 14.18, 56.69], [4.78, -13.75, -65.35], [-5.44, 4.65, 26.31]];
const COMMON = `#version 300 es
precision highp float; precision highp int;
uniform mat3 view; uniform vec4 window; uniform vec2 phase; uniform float lift;
flat out vec3 own; out float large; out vec3 seen;
void show(vec3 p) { seen = view * p; gl_Position = vec4((seen.xy - window.xy) * window.zw + vec2(0, lift), -seen.z * .2 , 1); }
`;
const FACES = COMMON + `in vec3 rest, real, imaginary, part;
void main() {
  own = part; large = sqrt(dot(real, real) + dot(imaginary, imaginary));
  show(rest + phase.x * real + phase.y * imaginary);
}`;
const LOOKED_UP = `precision highp isampler2D;
uniform isampler2D rest, real, imaginary;
vec3 texel(isampler2D t, uint i) { return vec3(texelFetch(t, ivec2(int(i % ${WIDE}u), int(i / ${WIDE}u)), 0).xyz) / ${STEPS}.0; }
vec3 place(uint i) { return texel(rest, i) + phase.x * texel(real, i) + phase.y * texel(imaginary, i); }
float size(uint i) { vec3 a = texel(real, i), b = texel(imaginary, i); return sqrt(dot(a, a) + dot(b, b)); }
`;
const TUBES = COMMON + LOOKED_UP + `in vec2 corner; in uvec4 piece; in vec3 part; uniform float radius;
void main() {
  vec3 a = place(piece.x), b = place(piece.y), c = place(piece.z), d = place(piece.w);
  float t = corner.x; own = part; large = mix(size(piece.y), size(piece.z), t);
  vec3 f = c - a, g = 2. * a - 5. * b + 4. * c - d, h = 3. * b - a - 3. * c + d;
  vec3 p = b + .5 * t * (f + t * (g + t * h)), e = f + t * (2. * g + 3. * t * h);
  if (piece.x == piece.y && piece.z == piece.w) { p = mix(b, c, t); e = c - b; }
  e = length(e) > 1e-9 ? normalize(e) : vec3(1, 0, 0);
  vec3 n = normalize(cross(e, abs(e.z) < .9 ? vec3(0, 0, 1) : vec3(1, 0, 0))), m = cross(e, n);
  show(p + radius * (cos(corner.y) * n + sin(corner.y) * m));
}`;
const PAINT = `#version 300 es
precision highp float;
flat in vec3 own; in float large; in vec3 seen; out vec4 paint;
uniform vec4 plain; uniform bool sized;
vec3 scale(float x) {
  x = clamp(x, 0., 1.);
  return clamp(${SCALE.reduceRight((sum, row) => `vec3(${row}) + x * (${sum})`, "vec3(0)")}, 0., 1.);
}
void main() {
  vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
  float light = plain.a < .9 ? 1. : .55 + .45 * abs(dot(n, normalize(vec3(-.35, .5, .8))));
  paint = vec4((plain.a < .9 ? plain.rgb : sized ? scale(large) : own) * light, plain.a);
}`;

function makeSolid(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: false });
  if (!gl) return null;
  const compile = (vertex) => {
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, PAINT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    const uniform = (name) => gl.getUniformLocation(program, name);
    return { program, uniform, attribute: (name) => gl.getAttribLocation(program, name) };
  };
  const [faces, tubes] = [compile(FACES), compile(TUBES)];
  const rows = Math.max(1, Math.ceil(scene.count / WIDE));
  if (!faces || !tubes || rows > gl.getParameter(gl.MAX_TEXTURE_SIZE)) return null;
  const buffer = (values, target = gl.ARRAY_BUFFER) => {
    const b = gl.createBuffer();
    gl.bindBuffer(target, b);
    gl.bufferData(target, values, gl.DYNAMIC_DRAW);
    return b;
  };
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 2);
  const padded = new Int16Array(3 * WIDE * rows);
  const textures = [0, 1, 2].map((unit) => {
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGB16I, WIDE, rows);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    return texture;
  });
  const held = [null, null, null], corners = new Int16Array(4 * mesh.vertices.length);
  const cornerBuffers = [0, 1, 2].map(() => buffer(corners));
  const upload = (unit, values) => {
    if (held[unit] === values) return;
    held[unit] = values;
    mesh.vertices.forEach((node, i) => { for (let k = 0; k < 3; k++) corners[4 * i + k] = values[3 * node + k]; });
    gl.bindBuffer(gl.ARRAY_BUFFER, cornerBuffers[unit]);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, corners);
    if (!mesh.pieces.length) return;
    padded.set(values);
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDE, rows, gl.RGB_INTEGER, gl.SHORT, padded);
  };
  // Whole numbers have a stride, others follow each other.
  const attach = (at, of, size, divisor = 0, stride = 0) => {
    gl.enableVertexAttribArray(at);
    gl.bindBuffer(gl.ARRAY_BUFFER, of);
    if (stride) gl.vertexAttribIPointer(at, size, gl.UNSIGNED_INT, stride, 0);
    else gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(at, divisor);
  };
  // Triangles and their edges, of the same vertices.
  const faceParts = buffer(new Float32Array(3 * mesh.owners.length));
  const listed = (list) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    ["rest", "real", "imaginary"].forEach((name, unit) => {
      const at = faces.attribute(name);
      gl.enableVertexAttribArray(at);
      gl.bindBuffer(gl.ARRAY_BUFFER, cornerBuffers[unit]);
      gl.vertexAttribPointer(at, 3, gl.SHORT, true, 8, 0);
    });
    attach(faces.attribute("part"), faceParts, 3);
    buffer(list, gl.ELEMENT_ARRAY_BUFFER);
    return array;
  };
  const edgeArray = listed(mesh.edges), faceArrays = new Map();
  // What is drawn smoothly has more samples than the canvas, to which it goes when it is ready.
  const smooth = gl.createFramebuffer(), stores = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]].map((s) => [...s, gl.createRenderbuffer()]);
  const samples = Math.min(4, gl.getParameter(gl.MAX_SAMPLES));
  let stored = "";
  const store = (w, h) => {
    gl.bindFramebuffer(gl.FRAMEBUFFER, smooth);
    if (stored === `${w} ${h}`) return;
    stored = `${w} ${h}`;
    for (const [format, place, buffer] of stores) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, w, h);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
  };
  // A tube: rings along and around, once for each piece.
  const along = 6, around = 10, template = [];
  for (let i = 0; i < along; i++) for (let j = 0; j <= around; j++) for (const k of [0, 1]) template.push((i + k) / along, 2 * Math.PI * j / around);
  const count = mesh.pieces.length / 5, tubeParts = buffer(new Float32Array(3 * count));
  const tubeArray = gl.createVertexArray();
  gl.bindVertexArray(tubeArray);
  attach(tubes.attribute("corner"), buffer(new Float32Array(template)), 2);
  attach(tubes.attribute("piece"), buffer(mesh.pieces), 4, 1, 20);
  attach(tubes.attribute("part"), tubeParts, 3, 1);
  gl.bindVertexArray(null);
  let coloured = null;
  const colourParts = (colours) => {
    if (coloured === colours) return;
    coloured = colours;
    for (const [at, owners] of [[faceParts, mesh.owners], [tubeParts, Array.from({ length: count }, (_, i) => mesh.pieces[5 * i + 4])]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, at);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(owners.flatMap((o) => colours[o])), gl.DYNAMIC_DRAW);
    }
  };
  const set = (p, phase, plain, sized) => {
    gl.useProgram(p.program);
    ["rest", "real", "imaginary"].forEach((name, unit) => gl.uniform1i(p.uniform(name), unit));
    gl.uniformMatrix3fv(p.uniform("view"), true, axes().flat());
    const { zoom, x, y, width, height } = camera;
    gl.uniform4f(p.uniform("window"), x, y, 2 * zoom / width, 2 * zoom / height);
    gl.uniform1f(p.uniform("lift"), 20 / height);
    gl.uniform2f(p.uniform("phase"), ...phase);
    gl.uniform4f(p.uniform("plain"), ...plain);
    gl.uniform1i(p.uniform("sized"), sized);
  };
  const drawAll = (state, phase, plain, sized) => {
    set(faces, phase, plain, sized);
    const list = cornersAt(state.level);
    if (!faceArrays.has(list)) faceArrays.set(list, listed(list));
    gl.bindVertexArray(faceArrays.get(list));
    gl.enable(gl.POLYGON_OFFSET_FILL);
    // Where the undeformed shape lies in the moved one, the latter is seen.
    const behind = plain[3] > 0.9 ? 1 : 4;
    gl.polygonOffset(behind, behind);
    gl.drawElements(gl.TRIANGLES, list.length, gl.UNSIGNED_INT, 0);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (mesh.faces.length < MOST_FACES && plain[3] > 0.9) {
      set(faces, phase, [...state.line, 0.45], 0);
      gl.bindVertexArray(edgeArray);
      gl.drawElements(gl.LINES, mesh.edges.length, gl.UNSIGNED_INT, 0);
    }
    set(tubes, phase, plain, sized);
    gl.uniform1f(tubes.uniform("radius"), state.radius);
    gl.bindVertexArray(tubeArray);
    for (let i = 0; i < along; i++) gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 2 * (around + 1) * i, 2 * (around + 1), count);
  };
  return {
    draw(state) {
      const [w, h] = [canvas.width, canvas.height];
      if (!state.level) store(w, h);
      gl.viewport(0, 0, w, h);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      colourParts(state.tints);
      upload(0, state.positions);
      upload(1, state.real);
      upload(2, state.imaginary);
      drawAll(state, state.phase, [0, 0, 0, 1], state.scheme === 1);
      if (state.ghost) {
        gl.depthMask(false);
        drawAll(state, [0, 0], [...state.shade, 0.28], false);
        gl.depthMask(true);
      }
      if (state.level) return;
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      gl.blitFramebuffer(0, 0, w, h, 0, 0, w, h, gl.COLOR_BUFFER_BIT, gl.NEAREST);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    },
  };
}
