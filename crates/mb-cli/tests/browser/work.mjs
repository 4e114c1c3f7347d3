// What a picture of an animated page costs the processor; argument: a JSON object with chromium, modules, page, modes.
// The graphics processor draws nothing here: its calls are counted. Prints one JSON object: pictures looked at; of a picture in the middle
// of all, while modes play, the bytes sent to the graphics processor, calls to it, marks drawn by hand and the milliseconds of the callback.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const task = JSON.parse(process.argv[2]);
const { chromium } = createRequire(`${task.modules}/`)("playwright-core");
const PATIENCE = 180000, PICTURES = 60;

const browser = await chromium.launch({
  executablePath: task.chromium, timeout: PATIENCE,
  args: ["--headless", "--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(() => {
    const work = { sent: 0, calls: 0, marks: 0 };
    globalThis.pictures = [];
    const gl = WebGL2RenderingContext.prototype, paper = CanvasRenderingContext2D.prototype;
    const counted = (of, name, note, real = true) => {
      const own = of[name];
      of[name] = function (...given) { note(given); return real ? own.apply(this, given) : undefined; };
    };
    for (const name of ["bufferData", "bufferSubData", "texSubImage2D"]) counted(gl, name, (given) => { work.sent += given.find((x) => x?.byteLength)?.byteLength ?? 0; });
    for (const name of ["drawElements", "drawArraysInstanced", "clear", "blitFramebuffer"]) counted(gl, name, () => { work.calls += 1; }, false);
    for (const name of ["lineTo", "arc", "fillText", "strokeText", "fillRect"]) counted(paper, name, () => { work.marks += 1; });
    const ask = requestAnimationFrame;
    globalThis.requestAnimationFrame = (f) => ask((now) => {
      const [before, began] = [{ ...work }, performance.now()];
      f(now);
      const milliseconds = performance.now() - began;
      globalThis.pictures.push({ milliseconds, sent: work.sent - before.sent, calls: work.calls - before.calls, marks: work.marks - before.marks });
    });
  });
  await page.goto(pathToFileURL(task.page).href);
  const seen = (n) => page.waitForFunction((n) => globalThis.pictures.filter((p) => p.calls).length > n, n);
  // The first pictures send the model; names and orbits are the most that is drawn by hand.
  await seen(3);
  for (const box of ["#names", "#orbits"]) await page.check(box);
  const all = [];
  for (let mode = 0; mode < task.modes; mode++) {
    await page.selectOption("#pick", String(mode));
    await page.evaluate(() => { globalThis.pictures.length = 0; });
    await seen(2);
    await page.evaluate(() => { globalThis.pictures.length = 0; });
    await seen(PICTURES / task.modes);
    all.push(...(await page.evaluate(() => globalThis.pictures.filter((p) => p.calls))));
  }
  // Now and then a level of detail is sent, once.
  const middle = (name) => all.map((p) => p[name]).sort((a, b) => a - b)[all.length >> 1];
  console.log(JSON.stringify({ pictures: all.length, ...Object.fromEntries(["sent", "calls", "marks", "milliseconds"].map((name) => [name, middle(name)])) }));
} finally {
  await browser.close();
}
