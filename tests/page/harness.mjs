/* harness.mjs -- tests of pages in a real browser.
 *
 *     test("pages_do_so_and_so", {lines: [warehouse()]}, async (page) => { ... });
 *
 * Each test has a page of its own, made by `raddle report` of what it is given.  Whatever it does,
 * the page must print no error, and must ask for nothing but itself. */
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const {chromium} = await import(process.env.PLAYWRIGHT);
const raddle = join(process.env.BUILD, "bin/raddle");
export const folder = mkdtempSync(join(tmpdir(), "raddle-page-"));
const tests = [];
const AT_ONCE = 4;

/* Nothing is to go out to any network, neither from a page nor from the browser itself. */
const FLAGS = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
               "--disable-background-networking", "--disable-component-update",
               "--force-color-profile=srgb", "--hide-scrollbars"];

export const LAPTOP = {width: 1366, height: 768}, WIDE = {width: 1920, height: 1080};

export function test(name, given, run) {
  tests.push({name, given, run});
}

/* The page of a report, made by the tool. */
export function pageOf(name, given) {
  const json = join(folder, `${name}.json`), html = join(folder, `${name}.html`);

  writeFileSync(json, given.grades ? JSON.stringify(given.grades)
                                   : given.lines.map((line) => JSON.stringify(line) + "\n").join(""));
  execFileSync(raddle, ["report", "--html", html, json]);
  return html;
}

export function expect(holds, ...words) {
  if (!holds)
    throw new Error(words.map((word) => typeof word === "string" ? word : JSON.stringify(word)).join(" "));
}

export function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];

  expect(a === b, `${what || "it"} is ${a}, not ${b}`);
}

/* Something comes to hold, after frames have been drawn. */
export async function eventually(page, holds, argument) {
  await page.waitForFunction(holds, argument);
}

async function runOne(browser, {name, given, run}) {
  const context = await browser.newContext({viewport: given.size || LAPTOP, colorScheme: given.theme || "light",
                                            javaScriptEnabled: given.scripts !== false});

  context.setDefaultTimeout(0); /* how long things take depends on the machine; run_page.sh has a limit */
  const page = await context.newPage();
  const html = given.html || pageOf(name, given), address = `file://${html}`;
  const wrong = [];

  page.on("console", (message) => wrong.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address)
      wrong.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(address + (given.at || ""));
    await run(page, context);
  } catch (error) {
    wrong.push(error.stack);
  }
  await context.close();
  console.log(wrong.length ? `FAILED  ${name}\n${wrong.join("\n")}` : `ok      ${name}`);
  return wrong.length === 0;
}

export async function runAll() {
  const only = process.argv[2];
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args:
    process.getuid() === 0 ? [...FLAGS, "--no-sandbox"] : FLAGS});
  const left = tests.filter((one) => !only || one.name.includes(only));
  let failed = 0;
  const work = async () => {
    for (let one; (one = left.shift());)
      if (!await runOne(browser, one))
        failed++;
  };

  await Promise.all(Array.from({length: AT_ONCE}, work));
  await browser.close();
  rmSync(folder, {recursive: true});
  console.log(failed ? `${failed} failed` : "all passed");
  process.exit(failed ? 1 : 0);
}
