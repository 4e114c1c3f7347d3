// How often a page of `mb report` is drawn anew while it plays, in a window of Chromium on the display at hand. Usage, with playwright-core
// of the browser tests and, where there is no display, xvfb-run before it:
//   node benchmarks/page_rate.mjs PAGE.html WIDTH HEIGHT
// Prints who draws (the graphics processor, or Mesa's llvmpipe in its place), pixels of the surfaces, pictures a second, level of detail.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
const { chromium } = createRequire(resolve("target/browser") + "/")("playwright-core");
const [, , file, width, height] = process.argv;
const SETTLES = 4000, COUNTED = 6000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: false,
  args: ["--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=gl", "--ignore-gpu-blocklist"],
});
try {
  const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
  await page.goto(pathToFileURL(resolve(file)).href);
  const looked = () => page.evaluate(() => ({ at: performance.now(), ...document.documentElement.dataset }));
  await page.waitForTimeout(SETTLES);
  const from = await looked();
  await page.waitForTimeout(COUNTED);
  const to = await looked();
  const drawn = await page.evaluate(() => {
    const canvas = document.getElementById("solid"), gl = canvas.getContext("webgl2"), named = gl.getExtension("WEBGL_debug_renderer_info");
    return { by: gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER), pixels: `${canvas.width} x ${canvas.height}` };
  });
  const rate = (1000 * (to.frames - from.frames)) / (to.at - from.at);
  console.log(`${drawn.by}: ${drawn.pixels} pixels, ${rate.toFixed(1)} pictures a second, level ${to.level}`);
} finally {
  await browser.close();
}
