// Looks at a report in a headless browser; argument: a JSON object with chromium, page, title, modes, pictures.
// Prints what is wrong, one a line, and ends with code 1; nothing when all is right.
import { createRequire } from "node:module";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
const task = JSON.parse(process.argv[2]);
const { chromium } = createRequire(`${task.modules}/`)("playwright-core");

const QUIET = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const DRAWN_BY = {
  webgl2: ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  canvas: ["--disable-gpu", "--disable-3d-apis"],
};
// Large pages are looked at as where pictures come slowly.
const SLOW = statSync(task.page).size > 1e6;
// Machines that do other work at the same time are slow, not wrong.
const PATIENCE = 180000;
const wrong = [];

async function look(renderer, width, scheme) {
  const where = `${renderer}, ${width} pixels`;
  const check = (right, words) => { if (!right) wrong.push(`${where}: ${words}`); };
  const browser = await chromium.launch({ executablePath: task.chromium, args: [...QUIET, ...DRAWN_BY[renderer]], timeout: PATIENCE });
  try {
    const page = await browser.newPage({ viewport: { width, height: 1000 }, colorScheme: scheme });
    page.setDefaultTimeout(PATIENCE);
    const requests = [];
    page.on("request", (r) => requests.push(r.url()));
    page.on("console", (m) => { if (["error", "warning"].includes(m.type()) && !/GL Driver|GPU stall/.test(m.text())) wrong.push(`${where}: console: ${m.text()}`); });
    page.on("pageerror", (e) => wrong.push(`${where}: ${e.message}`));
    if (SLOW) await page.addInitScript(() => { const draw = requestAnimationFrame; globalThis.requestAnimationFrame = (f) => setTimeout(() => draw(f), 200); });
    await page.addInitScript(() => {
      const fill = CanvasRenderingContext2D.prototype.fill;
      globalThis.filled = new Set();
      CanvasRenderingContext2D.prototype.fill = function (...of) { globalThis.filled.add(this.fillStyle); return fill.apply(this, of); };
      // Names of the last picture: they alone have a line around their letters.
      const { strokeText, clearRect } = CanvasRenderingContext2D.prototype;
      globalThis.names = [];
      CanvasRenderingContext2D.prototype.clearRect = function (...of) { globalThis.names = []; return clearRect.apply(this, of); };
      CanvasRenderingContext2D.prototype.strokeText = function (text, x, y) { globalThis.names.push({ text, left: x, right: x + this.measureText(text).width, foot: y }); return strokeText.call(this, text, x, y); };
    });
    const address = pathToFileURL(task.page).href;
    await page.goto(address);
    await page.waitForFunction(() => Number(document.documentElement.dataset.frames) > 1);
    const root = () => page.evaluate(() => ({ ...document.documentElement.dataset }));
    check((await root()).renderer === renderer, `drawn by ${(await root()).renderer}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    check(wide, "the page is wider than the window");

    // A name with markup stays text.
    check((await page.title()) === task.title, `title ${await page.title()}`);
    check((await page.textContent("h1")) === task.title && (await page.$$("h1 *")).length === 0, "the heading is not the name");

    // Bodies of a plane are plates of one shade each; what else is filled are marks, in two colours.
    if (renderer === "canvas") {
      const [shades, parts] = await page.evaluate(() => {
        const { scene } = JSON.parse(document.getElementById("data").textContent);
        return [[...globalThis.filled].filter((f) => f.startsWith("#")), scene.planar ? scene.owners.length : Infinity];
      });
      check(shades.length <= parts + 2, `${parts} plates have the shades ${shades.join(" ")}`);
    }

    // The picture changes while it plays and stands still when paused.
    const shot = async () => (await page.locator("#stage").screenshot()).toString("base64");
    const frames = async () => Number((await root()).frames);
    const plays = async () => { const n = await frames(); await page.waitForFunction((n) => Number(document.documentElement.dataset.frames) > n + 1, n, { timeout: PATIENCE }); };
    const first = await shot();
    // One look may come at the phase of the first.
    let changes = false;
    for (let looks = 0; looks < 20 && !changes; looks++) {
      await plays();
      changes = (await shot()) !== first;
    }
    check(changes, "the picture stands while it plays");
    if (SLOW) {
      await page.waitForFunction(() => document.documentElement.dataset.level === "5");
      const share = Number(/ (\d+) % of the triangles are drawn while it moves/.exec(await page.textContent("#left"))?.[1]);
      check(share > 0 && share < 50, `of the triangles ${share} % are said to be drawn`);
    }
    await page.click("#play");
    await page.waitForFunction(() => document.documentElement.dataset.level === "0");
    // What was asked for before the pause may come late where others work on the machine.
    const stands = async () => { const [n, picture] = [await frames(), await shot()]; await page.waitForTimeout(400); return (await frames()) === n && (await shot()) === picture; };
    let still = false;
    for (const end = Date.now() + PATIENCE; !still && Date.now() < end;) still = await stands();
    check(still, "the picture moves when paused");

    // The numbers are those of --json; the test's own reader of JSON may be one unit off in the last place.
    const same = (a, b) => Math.abs(a - b) <= Number.EPSILON * Math.abs(b);
    const cells = await page.$$eval("#modes tbody tr", (rows) => rows.map((r) => [...r.children].map((c) => c.dataset.value)));
    check(cells.length === task.modes.length, `${cells.length} modes, not ${task.modes.length}`);
    task.modes.forEach((mode, i) => {
      const [re, im, fd] = [1, 2, 3].map((k) => Number(cells[i]?.[k]));
      check(same(re, mode.re) && same(im, mode.im) && (mode.f_d === null || same(fd, mode.f_d)), `mode ${i + 1}: ${re} ${im} ${fd}`);
    });

    // The table sorts, up and down.
    const column = () => page.$$eval("#modes tbody tr", (rows) => rows.map((r) => Number(r.children[3].dataset.value)));
    const ordered = (list, sign) => list.every((x, i) => i === 0 || Number.isNaN(x) || sign * (x - list[i - 1]) >= 0);
    if (task.modes.length) {
      const head = page.locator("#modes th button").nth(3);
      await head.click();
      check(ordered(await column(), 1), "the table does not sort upwards");
      await head.click();
      check(ordered(await column(), -1), "the table does not sort downwards");
      await page.locator("#modes th button").nth(0).click();
      if (task.modes.length > 1) {
        await page.keyboard.press("ArrowRight");
        check((await page.inputValue("#pick")) === "1", "the right arrow chooses no mode after a click on a table head");
        await page.keyboard.press("ArrowLeft");
      }
    }

    // Curves have numbers, and tell them under the pointer.
    const charts = await page.$$eval(".chart", (list) => list.map((c) => ({ broken: /NaN|undefined/.test(c.outerHTML), curves: c.querySelectorAll(".curve").length })));
    check(charts.length === (task.charts ?? 0) && charts.every((c) => c.curves > 0 && !c.broken), `charts: ${JSON.stringify(charts)}`);
    if (charts.length) {
      await page.locator(".chart svg").first().hover();
      const [across, up] = await page.evaluate(() => {
        const { abscissa, panels } = JSON.parse(document.getElementById("data").textContent).charts[0];
        return [abscissa, panels[0].ordinate].map((title) => title.split(", "));
      });
      // Each number stands between the name and the unit of its axis.
      const numbers = await page.locator(".chart output").first().textContent();
      const stands = ([name, unit]) => numbers.includes(`${name} `) && (!unit || numbers.includes(` ${unit}`));
      check(stands(across) && stands(up) && / -?\d/.test(numbers), `a chart tells its numbers as ${numbers}`);
      const cut = await page.$$eval(".chart svg", (list) => list.flatMap((svg) => {
        const { left, right } = svg.getBoundingClientRect(), outside = (t) => { const box = t.getBoundingClientRect(); return box.left < left - 1 || box.right > right + 1; };
        return [...svg.querySelectorAll("text")].filter(outside).map((t) => t.textContent);
      }));
      check(cut.length === 0, `words of charts are cut: ${cut.join(", ")}`);
      // Only long names lose their middles.
      const lost = await page.$$eval(".chart .legend title", (list) => list.map((t) => t.textContent).filter((text) => text.length <= 40));
      check(lost.length === 0, `names of curves are cut: ${lost.join(", ")}`);
      // Axes have numbers near both ends, unless all is zero.
      const bare = await page.$$eval(".chart svg", (list) => list.flatMap((svg) => {
        const place = (e, key) => Number(e.getAttribute(key)), all = (what) => [...svg.querySelectorAll(what)], grid = all("line.grid");
        const number = (t) => t.textContent !== "" && Number.isFinite(Number(t.textContent)), near = (list, end, gap) => list.some((x) => Math.abs(x - end) <= gap);
        const across = grid.filter((l) => place(l, "y1") === place(l, "y2")), upright = grid.filter((l) => place(l, "x1") === place(l, "x2"));
        const feet = all('text[text-anchor="middle"]').filter(number).map((t) => place(t, "x")), heights = all('text[text-anchor="end"]').filter(number).map((t) => place(t, "y") - 4);
        const panels = [...new Set(upright.map((l) => `${place(l, "y1")} ${place(l, "y2")}`))].map((ends) => ends.split(" ").map(Number));
        const used = panels.filter(([top, bottom]) => heights.filter((y) => y > top - 1 && y < bottom + 1).length > 1);
        const missing = used.flat().filter((end) => !near(heights, end, 24)).map((end) => `upright at ${end}`);
        if (across.length && feet.length > 1) missing.push(...["x1", "x2"].map((key) => place(across[0], key)).filter((end) => !near(feet, end, 60)).map((end) => `across at ${end}`));
        return missing.map((words) => `${svg.getAttribute("aria-label")}: ${words}`);
      }));
      check(bare.length === 0, `ends of axes have no numbers: ${bare.join("; ")}`);
    }

    // Keys and rows choose modes; what moves is said in words.
    await page.locator("#stage").focus();
    const picked = () => page.inputValue("#pick");
    const [before, words] = [await picked(), await page.textContent("#caption")];
    if (task.modes.length > 1) {
      await page.keyboard.press("ArrowRight");
      check((await picked()) !== before && (await page.textContent("#caption")) !== words, "the right arrow chooses no mode");
      await page.keyboard.press("ArrowLeft");
      await page.locator("#modes tbody tr").nth(1).press("Enter");
      check((await picked()) === "1", "a row does not choose its mode");
      await page.keyboard.press("ArrowLeft");
    }
    const said = task.modes.length ? /Moves most|Nothing that is drawn moves/ : /^Motion in time/;
    check(said.test(await page.textContent("#caption")), "what moves is not said");
    // A motion has no controls of modes, and a choice of one is none.
    const shown = await page.$$eval(".of-shape, .choice", (list) => list.filter((e) => e.offsetParent).length);
    check(task.modes.length ? shown >= 5 : shown === 0, `${shown} controls of modes`);
    await page.locator("#stage").focus();
    // The front of what lies in a plane is not its edge: the agrees view as from the top.
    if (await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).scene.planar)) {
      // A view may be drawn late where others work on the machine.
      await page.keyboard.press("3");
      for (const end = Date.now() + PATIENCE; !(await stands()) && Date.now() < end;);
      const top = await shot();
      await page.keyboard.press("1");
      let agrees = false;
      for (const end = Date.now() + PATIENCE; !agrees && Date.now() < end;) agrees = (await shot()) === top;
      check(agrees, "the front of a plane model is not its plane");
    }
    for (const [key, box] of [["g", "#ghost"], ["d", "#decay"], ["o", "#orbits"], ["n", "#names"]]) {
      const on = await page.isChecked(box);
      await page.keyboard.press(key);
      check((await page.isChecked(box)) !== on, `the key ${key} does nothing`);
      await page.keyboard.press(key);
    }
    // The time stands on one line, with its end.
    const options = await page.$$eval("#pick option", (list) => list.map((o) => o.textContent)), motion = options.indexOf("motion in time");
    if (motion >= 0) {
      if (motion > 0) await page.selectOption("#pick", String(motion));
      await page.waitForFunction(() => / of \d.* s$/.test(document.getElementById("clock").textContent));
      const [tall, line] = await page.$eval("#clock", (e) => [e.getBoundingClientRect().height, parseFloat(getComputedStyle(e).fontSize)]);
      check(tall < 2 * line, `the time is ${tall} pixels high`);
      if (motion > 0) await page.selectOption("#pick", "0");
      await page.locator("#stage").focus();
    }
    // Names lie inside the drawing and on no other, from every side.
    await page.keyboard.press("n");
    for (const view of ["1", "2", "3", "4", "f"]) {
      await page.keyboard.press(view);
      for (const end = Date.now() + PATIENCE; !(await stands()) && Date.now() < end;);
      const [names, width, height] = await page.evaluate(() => { const { clientWidth, clientHeight } = document.getElementById("marks"); return [globalThis.names, clientWidth, clientHeight]; });
      check(names.length > 0, "no names are written");
      names.forEach((a, i) => {
        check(a.left >= 0 && a.right <= width && a.foot >= 12 && a.foot <= height, `${a.text} is cut in view ${view}`);
        for (const b of names.slice(0, i)) check(a.right <= b.left || b.right <= a.left || Math.abs(a.foot - b.foot) >= 12, `${a.text} lies on ${b.text} in view ${view}`);
      });
    }
    await page.keyboard.press("n");
    if (await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).scene.planar)) await page.keyboard.press("3");
    // The undeformed model is seen beside the one that a mode moves most.
    if (task.modes.length && /Moves most/.test(await page.textContent("#caption"))) {
      await page.evaluate(() => { const time = document.getElementById("time"); time.value = "0"; time.dispatchEvent(new Event("input")); });
      const settled = async () => { for (const end = Date.now() + PATIENCE; !(await stands()) && Date.now() < end;); return shot(); };
      const beside = await settled();
      await page.keyboard.press("g");
      check((await settled()) !== beside, "the undeformed model is not seen");
      await page.keyboard.press("g");
    }
    // What the drawing leaves out is said.
    const [nodes, faces] = await page.evaluate(() => {
      const { scene } = JSON.parse(document.getElementById("data").textContent);
      return [scene.count, atob(scene.quads).length / 20 + atob(scene.triangles).length / 16];
    });
    const left = async () => page.textContent("#left");
    const edges = faces < 20000 ? "" : `The edges of the ${faces} faces are not drawn.`;
    // How many marks are close to others depends on the view: many of thousands, and of a few those at one place.
    const told = await left(), thin = /^(\d+) of (\d+) marks, close to others of their kind, are not drawn\./.exec(told);
    const glyphs = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).scene.glyphs.length);
    check(glyphs > 3000 ? Number(thin?.[1]) > glyphs / 2 && Number(thin[2]) === glyphs : !thin || Number(thin[1]) < glyphs / 2, `marks left out: ${told}`);
    const always = [thin ? thin[0] : "", edges].filter(Boolean).join(" ");
    const shapes = (await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).shapes.length)) > 0;
    await page.waitForFunction((text) => document.getElementById("left").textContent === text, always);
    await page.keyboard.press("o");
    if (nodes > 400 && shapes) {
      await page.waitForFunction((n) => document.getElementById("left").textContent.includes(`of ${n} nodes.`), nodes);
      const drawn = Number(/Orbits are those of (\d+) of/.exec(await left())?.[1]);
      check(drawn > 200 && drawn <= 400, `orbits left out: ${await left()}`);
    } else {
      await page.waitForTimeout(300);
      check((await left()) === always, `said to be left out: ${await left()}`);
    }
    await page.keyboard.press("o");
    const theme = (await root()).theme;
    await page.keyboard.press("t");
    check((await root()).theme !== theme, "the key t does not change light and dark");
    await page.keyboard.press("t");
    // Paper is light, whatever the screen shows, and the screen is as before afterwards.
    const shade = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--ground").trim());
    const printed = (event) => page.evaluate((name) => dispatchEvent(new Event(name)), event);
    await printed("beforeprint");
    check((await root()).theme === "light", "the drawing is not printed in light colours");
    await printed("afterprint");
    check((await root()).theme === theme, "printing changes the colours of the screen");
    await page.emulateMedia({ media: "print" });
    check((await shade()) === "#fff", `printed on ${await shade()}`);
    await page.emulateMedia({ media: null });
    // Views and the pointer move the picture.
    const held = await shot();
    const box = await page.locator("#stage").boundingBox();
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 130, { steps: 3 });
    await page.mouse.up();
    await page.waitForTimeout(300);
    check((await shot()) !== held, "dragging does nothing");
    await page.keyboard.press("f");
    await page.keyboard.press(" ");
    await plays();
    check(requests.every((r) => r === address || r.startsWith("data:")), `requests: ${requests.join(" ")}`);
    if (task.pictures) await page.screenshot({ path: `${task.pictures}/${renderer}-${width}.png` });
  } finally {
    await browser.close();
  }
}

for (const [renderer, width, scheme] of [["webgl2", 1600, "light"], ["webgl2", 800, "dark"], ["canvas", 1600, "dark"], ["canvas", 800, "light"]]) {
  await look(renderer, width, scheme);
}
if (wrong.length) {
  console.log(wrong.join("\n"));
  process.exit(1);
}
