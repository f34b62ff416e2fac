/* pictures.mjs -- timelines, compared with pictures of them.
 *
 * Fonts differ from machine to machine, so texts are left out: what is compared are lanes, bars,
 * hatches, arrows and marks, whose places and sizes do not depend on them.  A few pixels may be
 * a little different, as edges are from one version of a browser to the next.
 *
 * ACCEPT=1 stores pictures instead; one that is not alike goes to the build folder. */
import {existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

import {callouts, deadlock, stream, warehouse} from "./samples.mjs";
import {expect, test} from "./harness.mjs";

const stored = join(dirname(fileURLToPath(import.meta.url)), "pictures");
const UNLIKE = 40;       /* of 255, in one of red, green and blue */
const MOST = 0.002;      /* of all pixels may be unlike */

/* The browser itself knows how to read pictures. */
async function shareUnlike(context, a, b) {
  const page = await context.newPage();
  const share = await page.evaluate(async ([urlA, urlB, unlike]) => {
    const pixels = async (url) => {
      const image = new Image();

      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const pen = canvas.getContext("2d");

      pen.drawImage(image, 0, 0);
      return pen.getImageData(0, 0, image.width, image.height);
    };
    const [x, y] = [await pixels(urlA), await pixels(urlB)];
    let count = 0;

    if (x.width !== y.width || x.height !== y.height)
      return 1;
    for (let i = 0; i < x.data.length; i += 4)
      count += [0, 1, 2].some((c) => Math.abs(x.data[i + c] - y.data[i + c]) > unlike);
    return count / (x.data.length / 4);
  }, [a, b, UNLIKE].map((one) => typeof one === "number" ? one : `data:image/png;base64,${one.toString("base64")}`));

  await page.close();
  return share;
}

/* What is drawn in pixels, and nothing that is written.  The page's policy holds for us as well,
 * so styles are set one by one. */
async function shapes(page) {
  await page.mouse.move(1, 1);
  await page.locator(".timeline").evaluate((timeline) => {
    timeline.style.width = "900px";
    timeline.style.maxHeight = "none";
  });
  await page.waitForFunction(() => document.querySelector(".timeline").clientWidth < 900);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.evaluate(() => {
    for (const one of document.querySelectorAll(".line, .answer, .why, .moment, .arrow text"))
      one.style.setProperty("visibility", "hidden");
    for (const one of document.querySelectorAll(".head"))
      one.style.setProperty("color", "transparent");
  });
  return page.locator(".canvas").screenshot();
}

for (const [name, sample] of Object.entries({warehouse, deadlock, stream, callouts}))
  for (const theme of ["light", "dark"])
    test(`the_timeline_of_${name}_looks_as_it_did_when_it_is_${theme}`,
         {lines: [sample()], theme, size: {width: 1366, height: 1000}}, async (page, context) => {
      const file = join(stored, `${name}-${theme}.png`), picture = await shapes(page);

      if (process.env.ACCEPT) {
        mkdirSync(stored, {recursive: true});
        writeFileSync(file, picture);
      }
      expect(existsSync(file), "there is no", file);
      const share = await shareUnlike(context, readFileSync(file), picture);

      if (share > MOST)
        writeFileSync(join(process.env.BUILD, `page-${name}-${theme}.png`), picture);
      expect(share <= MOST, `${(100 * share).toFixed(2)} % of it is not alike`);
    });
