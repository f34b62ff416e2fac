/* real.mjs -- pages of real runs: what tests tell, and pages show, is one and the same. */
import {execFileSync, spawnSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {join} from "node:path";

import {expect, folder, same, test} from "./harness.mjs";

const {BUILD, SOURCE} = process.env, CC = process.env.CC || "cc";

/* A sanitized library only works in a program that is sanitized too.  What raddle compiles cannot be, as
 * it is instrumented otherwise: there the sanitizer's library has to come first, which is enough. */
const sanitize = process.env.SANITIZE ? ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] : [];

if (process.env.SANITIZE)
  process.env.RADDLE_CC = `${CC} -Wl,--no-as-needed,-lasan`;
const raddle = join(BUILD, "bin/raddle");
const made = (name) => join(folder, `real-${name}.html`);

/* It fails, and has a page. */
function failing(name, program, ...words) {
  const html = made(name), done = spawnSync(program, words.map((word) => word === "PAGE" ? html : word),
                                            {cwd: SOURCE, encoding: "utf8"});

  expect(done.status === 1, name, "has status", done.status, done.stdout + done.stderr);
  return html;
}

const warehouse = failing("warehouse", raddle, "grade", "--seed", "1", "--spec", "examples/warehouse",
                          "--html", "PAGE", "examples/warehouse/implementations/if_instead_of_while.c");

test("the_warehouse_shows_at_first_glance_who_did_what_wrong", {html: warehouse}, async (page) => {
  const {height} = page.viewportSize();

  same(await page.locator(".head").allInnerTexts(), ["client 0", "client 1"]);
  same(await page.locator(".item.call.fails .title").allInnerTexts(), ["enter(n = 0, weight = 1100)"]);
  for (const selector of [".item.call.fails", ".item.wait", ".item.failure", ".what-failed"]) {
    const box = await page.locator(selector).first().boundingBox();

    expect(box && box.y >= 0 && box.y + box.height <= height, selector, "is not in view:", box);
  }
  expect((await page.locator(".what-failed").innerText()).includes("the spec does not allow"), "what failed");
  same(await page.locator(".item.failure .why").innerText(),
       "client 0: enter(n = 0, weight = 1100) returns, but has to wait: its cpre does not hold");
  same(await page.locator(".source .at").innerText(), "39    pthread_mutex_unlock(&w->lock);");
  expect((await page.locator(".chosen .states dd").innerText()).startsWith("{weight = [0, 0, 0, 0]"), "no state");
  expect((await page.locator(".copyable code").first().innerText()).startsWith("raddle grade --spec"), "replay");
  same(await page.locator("g.arrow.wakes").count(), 1);
});

/* A program that knows nothing of Raddle. */
const bank = join(folder, "bank");

execFileSync(CC, ["-g", ...sanitize, "-pthread", "-o", bank, join(SOURCE, "docs/tutorials/explore/bank.c")]);
const deadlock = failing("bank", raddle, "explore", "--seed", "1", "--html", "PAGE", "--", bank);

test("a_program_that_is_explored_shows_its_deadlock", {html: deadlock}, async (page) => {
  same(await page.locator(".head").allInnerTexts(), ["main", "thread 1"]);
  same(await page.locator(".item.wait.open").count(), 2);
  same(await page.locator(".item.switch").count(), 1);
  expect((await page.locator(".what-failed").innerText()).includes("deadlock: main -> thread 1 -> main"), "what failed");
  await page.locator(".item.switch").click();
  expect((await page.locator(".source pre").innerText()).includes("pthread_mutex_lock(&to->lock);"), "no source");
});

/* An event comes from the thread that emits it, when it does, though a judge sees it later. */
const room = join(folder, "room");

execFileSync("sh", ["-c", `"${CC}" -g ${sanitize.join(" ")} -o "${room}" "${SOURCE}/docs/tutorials/streams/room.c" ` +
                          "$(pkg-config --cflags --libs raddle)"],
             {env: {...process.env, PKG_CONFIG_PATH: join(BUILD, "pkgconfig")}});
const lamp = failing("room", room, "--seed", "1", "--regressions", "none", "--html", "PAGE");

test("events_come_from_the_threads_that_emit_them", {html: lamp}, async (page) => {
  const wrong = page.locator(".item.message.fails"), lanes = await page.locator(".head").allInnerTexts();

  same(lanes, ["main", "ann", "bob", "wire"]);
  same(await wrong.count(), 1);
  same(await wrong.locator(".title").innerText(), "lamp(true)");
  expect((await wrong.getAttribute("aria-label")).startsWith("fails, bob, message"), "it is another's");
});

/* Code that crashes: who did, and in which call. */
const crash = failing("crash", raddle, "grade", "--seed", "1", "--spec", "examples/warehouse", "--html", "PAGE",
                      "examples/warehouse/implementations/asserts_too_much.c");

test("a_crash_shows_in_the_call_and_the_lane_where_it_happens", {html: crash}, async (page) => {
  const call = page.locator(".item.call.fails"), failure = page.locator(".item.failure");

  same(await call.count(), 1);
  same(await failure.locator(".title").innerText() !== "failure", true);
  expect((await failure.boundingBox()).x <= (await call.boundingBox()).x + 20, "it is in another lane");
});

const components = failing("components", join(BUILD, "specs/components"), "--seed", "1", "--regressions", "none",
                           "--html", "PAGE", "--filter", "=the_specs_disagree");

test("components_show_their_calls", {html: components}, async (page) => {
  same(await page.locator(".head").allInnerTexts(), ["boundless_box", "store"]);
  same(await page.locator("g.arrow.calls").count(), 3);
  expect((await page.locator(".chosen .states").innerText()).includes("{room = 1, things = [0]}"), "no state");
  same(await page.locator(".shrank, .more p").count() > 0, true);
});

/* Stored, and shown later. */
test("a_page_says_the_same_as_the_run", {html: components}, async (page) => {
  const text = readFileSync(components, "utf8");
  const data = JSON.parse(text.split('id="data">')[1].split("</script>")[0]);

  same(await page.locator("h1 span").last().innerText(), data.files[0].lines[0].test);
  same(await page.locator(".what-failed").innerText(), data.files[0].lines[0].message);
  same(await page.locator(".item").count(), data.files[0].lines[0].failures[0].timeline.items.length);
});
