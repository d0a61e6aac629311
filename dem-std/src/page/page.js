'use strict';
// Draws the bodies, contacts and plots that the page carries. No other file is read.
const scene = JSON.parse(document.getElementById('scene').textContent);
const $ = id => document.getElementById(id);
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const floats = text => new Float32Array(bytes(text));
const words = text => new Uint32Array(bytes(text));

// Vectors and matrices, of which as little as is needed.
const sub = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(x => x / l); };
const turned = (q, v) => {
  const t = cross(q, v).map((x, i) => x + q[3] * v[i]), s = cross(q, t);
  return v.map((x, i) => x + 2 * s[i]);
};
function times(a, b) {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
function icosphere(level) {
  const g = (1 + Math.sqrt(5)) / 2;
  let points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]].map(unit);
  let faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  for (let l = 0; l < level; l++) {
    const known = new Map(), next = [];
    const middle = (a, b) => {
      const key = Math.min(a, b) * 65536 + Math.max(a, b);
      if (!known.has(key)) known.set(key, points.push(unit(points[a].map((x, i) => x + points[b][i]))) - 1);
      return known.get(key);
    };
    for (const [a, b, c] of faces) {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      next.push([a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]);
    }
    faces = next;
  }
  return { vertices: new Float32Array(points.flat()), indices: new Uint32Array(faces.flat()) };
}

const shapes = scene.shapes.map(s => s.kind === 'mesh'
  ? { kind: s.kind, vertices: floats(s.vertices), indices: words(s.indices) }
  : s.kind === 'ball' ? { kind: s.kind, ...icosphere(3) } : { kind: s.kind });
scene.shapes.forEach((s, i) => { shapes[i].glass = !!s.glass; });
const kinds = words(scene.kinds), scales = floats(scene.scales);
// Poses have 7 numbers: position and quaternion; contacts have 8: position, radius, normal, length of the needle.
const frames = scene.frames.map(f => ({ time: f.time, poses: floats(f.poses), marks: floats(f.marks) }));
const first = frames[0], last = frames[frames.length - 1];
const plots = scene.plots.map(p => ({ ...p, curves: p.curves.map(c => ({ name: c.name, points: new Float64Array(bytes(c.points)) })) }));
const state = { time: first.time, playing: false, chosen: -1 };

// How far a shape reaches from the origin of its frame, and the sphere that holds all bodies but planes in the first and last frame.
for (const s of shapes) {
  s.reach = 0;
  for (let i = 0; s.vertices && i < s.vertices.length; i += 3) s.reach = Math.max(s.reach, Math.hypot(s.vertices[i], s.vertices[i + 1], s.vertices[i + 2]));
}
const whole = (() => {
  const low = [Infinity, Infinity, Infinity], high = low.map(x => -x);
  for (const f of [first, last]) for (let b = 0; b < f.poses.length / 7; b++) {
    const s = shapes[kinds[b]], r = s.reach * scales[b];
    if (!s.vertices || !Number.isFinite(f.poses[7 * b])) continue;
    for (let i = 0; i < 3; i++) { low[i] = Math.min(low[i], f.poses[7 * b + i] - r); high[i] = Math.max(high[i], f.poses[7 * b + i] + r); }
  }
  if (!(low[0] <= high[0])) return { centre: [0, 0, 0], radius: 1 };
  return { centre: low.map((x, i) => (x + high[i]) / 2), radius: Math.hypot(...sub(high, low)) / 2 || 1 };
})();
const camera = {};
function home() { Object.assign(camera, { target: [...whole.centre], far: 1.7 * whole.radius, yaw: -1.1, pitch: 0.45 }); }
home();

const canvas = $('view');
const gl = canvas.getContext('webgl2', { alpha: false, antialias: true, preserveDrawingBuffer: true });
if (!gl) { $('trouble').hidden = false; $('trouble').textContent = 'This picture needs WebGL 2, which this browser does not have or has turned off.'; }

const BODY = `#version 300 es
layout(location=0) in vec3 corner; layout(location=1) in vec4 at; layout(location=2) in vec4 turn; layout(location=3) in vec3 tint;
uniform mat4 view; out vec3 place; out vec3 colour;
void main() {
  vec3 v = corner * at.w;
  place = v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v) + at.xyz;
  colour = tint; gl_Position = view * vec4(place, 1.0);
}`;
const MARK = `#version 300 es
layout(location=0) in vec3 corner; layout(location=1) in vec4 at; layout(location=2) in vec4 along; layout(location=3) in vec3 tint;
uniform mat4 view; uniform float thin; out vec3 place; out vec3 colour;
void main() {
  vec3 n = along.xyz, u = normalize(cross(n, abs(n.z) < 0.8 ? vec3(0, 0, 1) : vec3(1, 0, 0))), w = cross(n, u);
  float r = thin > 0.0 ? thin : at.w;
  place = at.xyz + r * (u * corner.x + w * corner.y) + n * corner.z * along.w;
  colour = tint; gl_Position = view * vec4(place, 1.0);
}`;
const SHADE = `#version 300 es
precision highp float; in vec3 place; in vec3 colour; uniform vec3 eye; uniform float alpha; uniform float flatly; out vec4 pixel;
void main() {
  vec3 n = normalize(cross(dFdx(place), dFdy(place))), e = normalize(eye - place);
  if (dot(n, e) < 0.0) n = -n;
  float light = 0.32 + 0.45 * dot(n, e) + 0.23 * (0.5 + 0.5 * dot(n, normalize(vec3(0.3, 0.2, 1.0))));
  pixel = vec4(colour * mix(light, 1.0, flatly), alpha);
}`;
// A plane is seen as a grid, from outside only, and where no other plane hides it.
const PLANE = `#version 300 es
precision highp float; in vec3 place; in vec3 colour; uniform vec3 eye; uniform float cell; uniform vec4 others[16]; uniform int count; uniform vec3 middle; uniform float reach;
out vec4 pixel;
void main() {
  for (int i = 0; i < count; i++) if (dot(others[i].xyz, place) - others[i].w < -0.002 * reach) discard;
  vec3 n = normalize(cross(dFdx(place), dFdy(place)));
  vec3 p = abs(fract(place / cell - 0.5) - 0.5) * cell, w = fwidth(place) + 1e-20;
  vec3 on = (1.0 - smoothstep(vec3(0.5), vec3(1.5), p / w)) * step(abs(n), vec3(0.9));
  float fade = 1.0 - smoothstep(0.8, 1.0, length(place - middle) / reach);
  pixel = vec4(colour, (0.12 + 0.38 * max(on.x, max(on.y, on.z))) * fade);
}`;

let programs, geometry, disc, needle;
function program(vertex, fragment) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, text); gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  return { p, at: name => gl.getUniformLocation(p, name) };
}
// Triangles (and their edges) with room for what differs between instances: 4 + 4 + 3 numbers.
function solid(vertices, indices) {
  const lines = new Uint32Array(2 * indices.length);
  for (let i = 0; i < indices.length; i++) { lines[2 * i] = indices[i]; lines[2 * i + 1] = indices[i % 3 === 2 ? i - 2 : i + 1]; }
  const g = { array: gl.createVertexArray(), instances: gl.createBuffer(), count: indices.length };
  gl.bindVertexArray(g.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, g.instances);
  for (const [place, size, offset] of [[1, 4, 0], [2, 4, 16], [3, 3, 32]]) {
    gl.enableVertexAttribArray(place); gl.vertexAttribPointer(place, size, gl.FLOAT, false, 44, offset); gl.vertexAttribDivisor(place, 1);
  }
  const all = new Uint32Array(indices.length + lines.length);
  all.set(indices); all.set(lines, indices.length);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
  return g;
}
if (gl) {
  programs = { body: program(BODY, SHADE), mark: program(MARK, SHADE), plane: program(BODY, PLANE) };
  geometry = shapes.map(s => s.vertices ? solid(s.vertices, s.indices) : solid(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), new Uint32Array([0, 1, 2, 0, 2, 3])));
  const ring = [0, 0, 0], fan = [], cone = [0, 0, 1], sides = [], n = 24;
  for (let i = 0; i < n; i++) {
    const a = 2 * Math.PI * i / n;
    ring.push(Math.cos(a), Math.sin(a), 0); cone.push(Math.cos(a), Math.sin(a), 0);
    fan.push(0, 1 + i, 1 + (i + 1) % n); sides.push(0, 1 + i, 1 + (i + 1) % n);
  }
  disc = solid(new Float32Array(ring), new Uint32Array(fan));
  needle = solid(new Float32Array(cone), new Uint32Array(sides));
}

// Colours that lie apart for neighbours in the list.
const tints = Array.from(kinds, (_, i) => {
  const h = (0.58 + i * 0.381966) % 1 * 6, c = k => { const t = (h + k) % 6; return 0.74 - 0.4 * Math.max(0, Math.min(t, 4 - t, 1)); };
  return [c(5), c(3), c(1)];
});

// Poses at a time: those of the frame before, on the way to those of the next.
function posesAt(time) {
  let i = 0, j = frames.length - 1;
  while (i < j) { const m = (i + j + 1) >> 1; if (frames[m].time <= time) i = m; else j = m - 1; }
  const a = frames[i], b = frames[Math.min(i + 1, frames.length - 1)], part = b.time > a.time ? (time - a.time) / (b.time - a.time) : 0;
  const near = part < 0.5 ? a : b;
  if (!(part > 0)) return { frame: a, poses: a.poses, near };
  const poses = new Float32Array(a.poses);
  for (let k = 0; k < poses.length && k < b.poses.length; k += 7) {
    // Bodies that jump (out of one side of a periodic box, in at the other) or vanish do not slide.
    if (Math.hypot(b.poses[k] - a.poses[k], b.poses[k + 1] - a.poses[k + 1], b.poses[k + 2] - a.poses[k + 2]) > whole.radius || !Number.isFinite(b.poses[k])) continue;
    let along = 0;
    for (let i = 3; i < 7; i++) along += a.poses[k + i] * b.poses[k + i];
    for (let i = 0; i < 7; i++) poses[k + i] = (1 - part) * a.poses[k + i] + part * b.poses[k + i] * (i > 2 && along < 0 ? -1 : 1);
    const l = Math.hypot(poses[k + 3], poses[k + 4], poses[k + 5], poses[k + 6]) || 1;
    for (let i = 3; i < 7; i++) poses[k + i] /= l;
  }
  return { frame: a, poses, near };
}

let waiting = false;
function draw() { if (!waiting) { waiting = true; requestAnimationFrame(now => { waiting = false; render(now); }); } }

function render() {
  const { poses, near } = posesAt(state.time);
  $('clock').textContent = frames.length > 1 ? `t = ${state.time.toPrecision(4)}` : '';
  $('time').value = state.time;
  list(near);
  plots.forEach(plotted);
  if (!gl) return;
  const ratio = devicePixelRatio || 1, width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const back = getComputedStyle($('stage')).backgroundColor.match(/[\d.]+/g).map(x => x / 255);
  gl.viewport(0, 0, width, height); gl.clearColor(back[0], back[1], back[2], 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);

  const { yaw, pitch, far, target } = camera;
  const to = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)], eye = target.map((x, i) => x + far * to[i]);
  const right = unit([-to[1], to[0], 0]), up = cross(to, right);
  const from = Math.max(0.01 * far, far - 4 * whole.radius), upto = far + 4 * whole.radius, f = 1.6;
  const look = [right[0], up[0], to[0], 0, right[1], up[1], to[1], 0, right[2], up[2], to[2], 0, -dot(right, eye), -dot(up, eye), -dot(to, eye), 1];
  const lens = [f * height / width, 0, 0, 0, 0, f, 0, 0, 0, 0, (upto + from) / (from - upto), -1, 0, 0, 2 * upto * from / (from - upto), 0];
  const view = times(lens, look);

  const glass = $('glass').checked, groups = shapes.map(() => []), planes = [];
  for (let b = 0; b < poses.length / 7; b++) {
    const p = poses.subarray(7 * b, 7 * b + 7);
    if (!Number.isFinite(p[0])) continue;
    if (shapes[kinds[b]].kind === 'plane') { planes.push(p); continue; }
    groups[kinds[b]].push(p[0], p[1], p[2], scales[b], p[3], p[4], p[5], p[6], ...tints[b]);
  }
  const use = (made, alpha, flatly) => {
    gl.useProgram(made.p);
    gl.uniformMatrix4fv(made.at('view'), false, view); gl.uniform3fv(made.at('eye'), eye);
    gl.uniform1f(made.at('alpha'), alpha); gl.uniform1f(made.at('flatly'), flatly);
  };
  const fill = (g, numbers) => { gl.bindVertexArray(g.array); gl.bindBuffer(gl.ARRAY_BUFFER, g.instances); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW); };
  const faces = (g, n) => gl.drawElementsInstanced(gl.TRIANGLES, g.count, gl.UNSIGNED_INT, 0, n);
  gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 1);
  // What is seen through comes last, and hides nothing.
  for (const [s, numbers] of [...groups.entries()].sort(([s], [t]) => shapes[s].glass - shapes[t].glass)) {
    if (!numbers.length) continue;
    const clear = glass || shapes[s].glass;
    gl.depthMask(!clear);
    use(programs.body, shapes[s].glass ? 0.13 : glass ? 0.38 : 1, 0); fill(geometry[s], numbers); faces(geometry[s], numbers.length / 11);
    if ($('edges').checked || shapes[s].glass) {
      for (let i = 0; i < numbers.length; i += 11) for (let k = 8; k < 11; k++) numbers[i + k] *= 0.45;
      use(programs.body, $('edges').checked ? clear ? 0.5 : 1 : 0.12, 1); fill(geometry[s], numbers);
      gl.drawElementsInstanced(gl.LINES, 2 * geometry[s].count, gl.UNSIGNED_INT, 4 * geometry[s].count, numbers.length / 11);
    }
  }
  gl.depthMask(false);
  drawPlanes(planes, view, eye, use, fill, faces);
  if ($('marks').checked && near.marks.length) {
    const numbers = [];
    for (let m = 0; m < near.marks.length; m += 8) numbers.push(...near.marks.subarray(m, m + 8), ...(m / 8 === state.chosen ? [1, 0.75, 0.1] : [0.86, 0.16, 0.2]));
    // Once faintly through whatever is before them, once in full where they are seen.
    for (const hidden of [true, false]) {
      hidden ? gl.disable(gl.DEPTH_TEST) : gl.enable(gl.DEPTH_TEST);
      for (const g of [disc, needle]) {
        use(programs.mark, hidden ? 0.35 : 0.9, 1);
        gl.uniform1f(programs.mark.at('thin'), g === needle ? 0.009 * far : 0);
        fill(g, numbers); faces(g, numbers.length / 11);
      }
    }
  }
  gl.depthMask(true);
  if (location.hash.startsWith('#check')) check(width, height, back, near);
}

function drawPlanes(planes, view, eye, use, fill, faces) {
  const s = shapes.findIndex(x => x.kind === 'plane');
  if (s < 0) return;
  const normals = planes.map(p => turned(p.subarray(3), [0, 0, 1]));
  const reach = 2 * whole.radius, grey = 0.5, cell = 10 ** Math.floor(Math.log10(whole.radius)) / 2;
  planes.forEach((p, i) => {
    const n = normals[i], at = Array.from(p.subarray(0, 3)), high = dot(n, sub(whole.centre, at));
    if (dot(n, sub(eye, at)) <= 0) return;
    const middle = whole.centre.map((x, k) => x - high * n[k]);
    use(programs.plane, 1, 1);
    const made = programs.plane, others = normals.flatMap((m, k) => k === i || dot(m, n) > 0.999 ? [] : [[...m, dot(m, Array.from(planes[k].subarray(0, 3)))]]).slice(0, 16);
    if (others.length) gl.uniform4fv(made.at('others'), others.flat());
    gl.uniform1i(made.at('count'), others.length);
    gl.uniform3fv(made.at('middle'), middle); gl.uniform1f(made.at('reach'), reach); gl.uniform1f(made.at('cell'), cell);
    fill(geometry[s], [...middle, reach, ...p.subarray(3), grey, grey, grey]);
    faces(geometry[s], 1);
  });
}

// For a test: what was drawn is told in attributes of the page.
function check(width, height, back, near) {
  const pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let drawn = 0, red = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (Math.abs(pixels[i] - 255 * back[0]) + Math.abs(pixels[i + 1] - 255 * back[1]) + Math.abs(pixels[i + 2] - 255 * back[2]) > 12) drawn++;
    if (pixels[i] > 150 && pixels[i] > 2 * pixels[i + 1] && pixels[i] > 2 * pixels[i + 2]) red++;
  }
  const share = x => (x / (width * height)).toFixed(5);
  Object.assign(document.documentElement.dataset, {
    error: gl.getError(), drawn: share(drawn), red: share(red), bodies: there(near.poses), frames: frames.length, contacts: near.marks.length / 8, plots: plots.length,
  });
}

// How many of the bodies a frame shows: others have not come yet, or have left.
function there(poses) {
  let n = 0;
  for (let k = 0; k < poses.length; k += 7) n += Number.isFinite(poses[k]);
  return n;
}

// Contacts of the frame that is shown, as a table; a click marks one in the picture.
let listed = null;
function list(frame) {
  if (listed === frame) return;
  listed = frame;
  const n = frame.marks.length / 8, most = 100;
  const many = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`.replace('bodys', 'bodies'), facts = [many(there(frame.poses), 'body')];
  if ($('touching').hidden === false) facts.push(many(n, 'contact'));
  $('facts').textContent = [...facts, ...scene.notes].join(' \u00b7 ');
  $('list').textContent = '';
  if (!n) return;
  const table = document.createElement('table'), number = x => Number(x).toPrecision(4);
  const row = (cells, kind) => { const r = document.createElement('tr'); for (const c of cells) r.appendChild(document.createElement(kind)).textContent = c; return r; };
  table.createTHead().appendChild(row(['', 'x', 'y', 'z', 'normal x', 'y', 'z', 'area', scene.measure], 'th'));
  const body = table.createTBody();
  for (let i = 0; i < Math.min(n, most); i++) {
    const m = frame.marks.subarray(8 * i, 8 * i + 8), at = [0, 1, 2].map(k => m[k] + scene.origin[k]);
    const r = body.appendChild(row([i + 1, ...at.map(number), ...Array.from(m.subarray(4, 7), x => x.toFixed(4)), number(Math.PI * m[3] * m[3]), number(m[7] / scene.needle)], 'td'));
    r.onclick = () => {
      state.chosen = state.chosen === i ? -1 : i;
      [...body.rows].forEach((other, k) => other.classList.toggle('chosen', k === state.chosen));
      draw();
    };
  }
  if (n > most) table.createCaption().textContent = `the first ${most} of ${n} contacts`;
  $('list').appendChild(table);
}

// Plots over time.
const strokes = ['#2f6fed', '#d1495b', '#2a9d5c', '#e09f3e', '#7b5ea7', '#3aa6b9'];
for (const p of plots) {
  const figure = document.createElement('figure'), caption = figure.appendChild(document.createElement('figcaption'));
  caption.textContent = p.title + (p.unit ? ` (${p.unit})` : '');
  p.curves.forEach((c, i) => {
    const key = caption.appendChild(document.createElement('span')), colour = key.appendChild(document.createElement('i'));
    colour.style.background = strokes[i % strokes.length]; key.append(c.name);
  });
  p.canvas = figure.appendChild(document.createElement('canvas'));
  p.canvas.onclick = e => { const t = p.left + (e.offsetX - p.x0) / (p.x1 - p.x0) * (p.right - p.left); seek(t); };
  $('plots').appendChild(figure);
}
function ticks(low, high, most) {
  const rough = (high - low) / most, ten = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(x => x * ten >= rough) * ten, all = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) + 1e-300; k++) all.push(k * step);
  return all;
}
function plotted(p) {
  const ratio = devicePixelRatio || 1, width = p.canvas.clientWidth, height = p.canvas.clientHeight, pen = p.canvas.getContext('2d');
  p.canvas.width = width * ratio; p.canvas.height = height * ratio; pen.scale(ratio, ratio);
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const c of p.curves) for (let i = 0; i < c.points.length; i += 2) {
    const [t, y] = [c.points[i], c.points[i + 1]];
    if (!Number.isFinite(y)) continue;
    left = Math.min(left, t); right = Math.max(right, t); low = Math.min(low, y); high = Math.max(high, y);
  }
  if (!(left < right)) return;
  if (low > 0 && low < 0.5 * high) low = 0;
  if (!(low < high)) { const pad = Math.abs(low) || 1; low -= pad; high += pad; }
  Object.assign(p, { left, right, x0: 62, x1: width - 8 });
  const y0 = height - 20, y1 = 6, X = t => p.x0 + (t - left) / (right - left) * (p.x1 - p.x0), Y = v => y0 + (v - low) / (high - low) * (y1 - y0);
  const style = getComputedStyle(document.documentElement), line = style.getPropertyValue('--line'), faint = style.getPropertyValue('--faint');
  pen.font = '11px system-ui, sans-serif'; pen.strokeStyle = line; pen.fillStyle = faint; pen.lineWidth = 1;
  const text = x => Math.abs(x) < 1e-12 * Math.max(Math.abs(low), Math.abs(high)) ? '0' : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(1) : String(+x.toPrecision(4));
  pen.textAlign = 'right'; pen.textBaseline = 'middle';
  for (const v of ticks(low, high, 4)) { pen.beginPath(); pen.moveTo(p.x0, Y(v)); pen.lineTo(p.x1, Y(v)); pen.stroke(); pen.fillText(text(v), p.x0 - 6, Y(v)); }
  pen.textAlign = 'center'; pen.textBaseline = 'top';
  for (const t of ticks(left, right, 6)) pen.fillText(String(+t.toPrecision(4)), X(t), y0 + 5);
  pen.lineWidth = 1.5;
  p.curves.forEach((c, i) => {
    pen.strokeStyle = strokes[i % strokes.length]; pen.beginPath();
    for (let k = 0; k < c.points.length; k += 2) if (Number.isFinite(c.points[k + 1])) pen.lineTo(X(c.points[k]), Y(c.points[k + 1]));
    pen.stroke();
  });
  pen.strokeStyle = faint; pen.lineWidth = 1; pen.beginPath(); pen.moveTo(X(state.time), y1); pen.lineTo(X(state.time), y0); pen.stroke();
}

// What the reader does.
function seek(t) { state.time = Math.min(Math.max(t, first.time), last.time); draw(); }
function play(on) {
  state.playing = on; $('play').textContent = on ? 'Pause' : 'Play';
  if (!on) return;
  if (state.time >= last.time) state.time = first.time;
  let before = performance.now();
  const step = now => {
    if (!state.playing) return;
    state.time += (now - before) / 1000 * $('rate').value; before = now;
    if (state.time >= last.time) { state.time = last.time; play(false); }
    render();
    if (state.playing) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
if (frames.length > 1) {
  for (const id of ['play', 'time', 'clock', 'rates']) $(id).hidden = false;
  Object.assign($('time'), { min: first.time, max: last.time });
  const span = last.time - first.time, natural = span >= 2 && span <= 60 ? 1 : span / 10;
  for (const x of [0.1, 0.25, 0.5, 1, 2, 5, 10]) {
    const option = $('rate').appendChild(document.createElement('option'));
    option.value = x * natural; option.textContent = natural === 1 ? `${x}\u00d7` : `${(x * natural).toPrecision(2)} of time a second`; option.selected = x === 1;
  }
}
$('touching').hidden = !frames.some(f => f.marks.length);
// Thousands of them hide what they are between.
$('marks').checked = !frames.some(f => f.marks.length > 8 * 400);
$('glass').checked = frames.length === 1 && !$('touching').hidden;
$('play').onclick = () => play(!state.playing);
$('time').oninput = e => { play(false); seek(+e.target.value); };
$('home').onclick = () => { home(); draw(); };
for (const id of ['glass', 'edges', 'marks']) $(id).onchange = draw;
const held = new Map();
canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, [e.clientX, e.clientY]); };
canvas.onpointerup = canvas.onpointercancel = e => held.delete(e.pointerId);
canvas.oncontextmenu = e => e.preventDefault();
canvas.onpointermove = e => {
  const before = held.get(e.pointerId);
  if (!before) return;
  const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]];
  if (held.size === 2) {
    const other = [...held].find(([id]) => id !== e.pointerId)[1], span = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
    nearer(span(before) / Math.max(1, span([e.clientX, e.clientY])));
  } else if (e.buttons & 2 || e.shiftKey) {
    const { yaw, pitch, far } = camera, k = far / (0.8 * canvas.clientHeight) / 2;
    const right = [-Math.sin(yaw), Math.cos(yaw), 0], up = [-Math.sin(pitch) * Math.cos(yaw), -Math.sin(pitch) * Math.sin(yaw), Math.cos(pitch)];
    camera.target = camera.target.map((x, i) => x + k * (dy * up[i] - dx * right[i]));
  } else {
    camera.yaw -= 0.008 * dx; camera.pitch = Math.min(1.55, Math.max(-1.55, camera.pitch + 0.008 * dy));
  }
  held.set(e.pointerId, [e.clientX, e.clientY]);
  draw();
};
function nearer(factor) { camera.far = Math.min(20, Math.max(1e-4, camera.far * factor / whole.radius)) * whole.radius; draw(); }
canvas.addEventListener('wheel', e => { e.preventDefault(); nearer(Math.exp(0.0015 * e.deltaY)); }, { passive: false });
addEventListener('keydown', e => {
  if (/INPUT|SELECT|BUTTON/.test(e.target.tagName)) return;
  const next = frames.length > 1 ? (last.time - first.time) / (frames.length - 1) : 0;
  if (e.key === ' ' && next) { e.preventDefault(); play(!state.playing); }
  if (e.key === 'ArrowRight') seek(state.time + next);
  if (e.key === 'ArrowLeft') seek(state.time - next);
});
addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
// `page.html#t=2.5` opens at that time.
const asked = /\bt=([-+.\deE]+)/.exec(location.hash);
if (asked) state.time = Math.min(Math.max(+asked[1] || 0, first.time), last.time);
render();
