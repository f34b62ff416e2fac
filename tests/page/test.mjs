/* test.mjs -- what pages show, and what can be done with them. */
import {EVIL, callouts, deadlock, grades, hostile, large, passing, property, requirements, sampleTest,
        judged, lostUpdate, manyThreads, stream, warehouse} from "./samples.mjs";
import {LAPTOP, WIDE, eventually, expect, runAll, same, test} from "./harness.mjs";
import "./pictures.mjs";
import "./real.mjs";

const textOf = (page, selector) => page.locator(selector).innerText();
const textsOf = (page, selector) => page.locator(selector).allInnerTexts();
const chosen = (page) => textOf(page, ".chosen h3");
const press = async (page, ...keys) => {
  for (const key of keys)
    await page.keyboard.press(key);
};

/* ---- What is seen at first glance ---- */

async function expectInView(page, selector) {
  const {width, height} = page.viewportSize();

  for (const one of await page.locator(selector).all()) {
    const box = await one.boundingBox();

    expect(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height,
           selector, "is not in view:", box);
  }
  expect(await page.locator(selector).count() > 0, `there is no ${selector}`);
}

for (const [name, lines] of [["alone", [warehouse()]], ["among_others", [...passing(9), warehouse()]]])
  test(`a_failure_${name}_shows_at_first_glance_who_did_what_wrong`, {lines}, async (page) => {
    await expectInView(page, ".what-failed");
    await expectInView(page, ".head");
    await expectInView(page, ".item.call.fails");
    await expectInView(page, ".item.failure");
    await expectInView(page, ".item.switch");
    await expectInView(page, ".item.wait");
    same(await textsOf(page, ".head"), ["client 0", "client 1"]);
    same(await textOf(page, ".item.call.fails .title"), "enter(n = 0, weight = 500)");
    same(await textOf(page, ".item.failure .title"), "a call returned that had to wait");
    same(await page.evaluate(() => [scrollX, scrollY, document.documentElement.scrollWidth]),
         [0, 0, LAPTOP.width]);
  });

test("calls_waits_and_preemptions_say_what_they_are", {lines: [warehouse()]}, async (page) => {
  same(await textsOf(page, ".item.call .answer"), ["↩ returns", "↩ returns", "↩ returns"]);
  expect((await textOf(page, ".item.wait")).includes("for mutex w->lock, which client 0 holds"), "the wait");
  same(await textOf(page, ".item.switch .title"), "preempted before it locks mutex w->lock");
  same(await textOf(page, ".headline"), "1 preemption: client 1 interrupted at warehouse.c:31");
  same(await textsOf(page, ".item.phase .title"), ["phase 1", "phase 2"]);
});

test("arrows_lead_from_item_to_item", {lines: [callouts()]}, async (page) => {
  same(await page.locator("g.arrow.calls").count(), 5);
  const ends = await page.locator("g.arrow.calls").evaluateAll((groups) => groups.map((group) => {
    const box = (i) => document.querySelector(`[data-item="${i}"]`).getBoundingClientRect();
    const line = group.querySelector("path").getBoundingClientRect();
    const from = box(group.dataset.from), to = box(group.dataset.to);

    return line.left >= from.right - 2 && line.right <= to.left + 2 && line.top >= to.top && line.bottom <= to.bottom + 1;
  }));

  same(ends, [true, true, true, true, true]);
});

/* In what matters, a thread's first step may not be seen: then to the next that is. */
test("a_preemption_leads_to_who_runs_instead", {lines: [lostUpdate()]}, async (page) => {
  same(await page.locator(".item.step .title", {hasText: "starts"}).count(), 0);
  for (const kind of ["switches", "creates"]) {
    const to = await page.locator(`g.arrow.${kind}`).first().getAttribute("data-to");

    same(await textOf(page, `[data-item="${to}"] .title`), "locks mutex m");
  }
});

test("a_call_that_is_wrong_shows_its_last_step_and_the_states_of_its_phase", {lines: [judged()]}, async (page) => {
  same(await chosen(page), "enter(1100)");
  same(await textOf(page, ".item.failure .why"), "client 0: enter(1100) returns, but has to wait: its cpre does not hold");
  same(await textsOf(page, ".chosen h4"), ["Its last step: unlocks mutex 1", "The model's state, in that phase",
                                           "2 states explained all before that phase"]);
  same(await textOf(page, ".source .at"), "39pthread_mutex_unlock(&w->lock);");
  same(await textOf(page, ".chosen .states dd"), "{weight = 100}");
});

const shrunkLater = ({failures: [failure], ...more}) => ({...more,
  failures: [{...failure, shrank: failure.shrank.slice(1)}]});

test("how_it_shrank_begins_with_the_case_as_found", {lines: [shrunkLater(warehouse())]}, async (page) => {
  const [curve, first] = await page.evaluate(() => [document.querySelector(".curve").getAttribute("d"),
    document.querySelector(".shrank title").textContent]);

  expect(/^M44/.test(curve), curve);
  expect(first.startsWith(`run 0: ${warehouse().failures[0].choices_before} choices`), first);
});

test("what_has_not_returned_says_so", {lines: [callouts()]}, async (page) => {
  same(await textsOf(page, ".item.call.open .unreturned"), ["has not returned", "has not returned"]);
});

test("messages_gates_ticks_and_notes_are_shown", {lines: [stream()]}, async (page) => {
  same(await textsOf(page, ".item.message .title"),
       ["lamp(true)", "lamp(true)", "lamp(true)", "lamp(true)"]); /* the lane says which port */
  same(await textsOf(page, ".item.tick .title"), ["the clock moves on by 20 ms"]);
  same(await page.locator(".item.gate").count(), 2);
  same(await textsOf(page, ".item.note .title"), ["about to switch it"]);
  same(await page.locator("g.arrow.sends").count(), 2);
});

test("a_failure_of_all_lanes_lies_across_them", {lines: [deadlock()]}, async (page) => {
  const failure = await page.locator(".item.failure").boundingBox();

  for (const wait of await page.locator(".item.wait").all()) {
    const box = await wait.boundingBox();

    expect(box.y + box.height <= failure.y, "a wait and the failure overlap");
    expect(box.x >= failure.x && box.x + box.width <= failure.x + failure.width, "it is not below a wait");
  }
});

/* ---- Looking closer ---- */

test("what_fails_is_chosen_with_states_and_source", {lines: [warehouse()]}, async (page) => {
  same(await chosen(page), "enter(n = 0, weight = 500)");
  expect((await textOf(page, ".states")).includes("weight = [600, 0, 0, 0]"), "no state before");
  same(await page.locator(".possible li").count(), 1);
  expect((await textOf(page, ".wrong pre")).includes("600 + 500 > 1000"), "not what is wrong");
});

test("pointing_shows_an_event_and_leaving_it_the_chosen_one", {lines: [warehouse()]}, async (page) => {
  await page.locator('[data-item="2"]').hover();
  same(await chosen(page), "locks mutex w->lock");
  same(await textOf(page, ".source figcaption"), "src/warehouse.c:31");
  expect((await textOf(page, ".source pre")).includes("pthread_mutex_lock(&w->lock);"), "no source");
  await page.mouse.move(5, 5);
  same(await chosen(page), "enter(n = 0, weight = 500)");
});

test("choosing_shows_what_has_changed_in_the_state", {lines: [warehouse()]}, async (page) => {
  await page.locator('[data-item="1"] .title').click();
  same(await page.locator('[data-item="1"]').getAttribute("aria-selected"), "true");
  same(await textsOf(page, ".chosen del"), ["0"]);
  same(await textsOf(page, ".chosen ins"), ["600"]);
});

test("an_event_leads_to_those_it_is_connected_with", {lines: [warehouse()]}, async (page) => {
  await page.locator(".item.wait").click();
  same(await textOf(page, ".connections"), "is ended by client 0: unlocks mutex w->lock (unlocks)");
  same(await page.locator("g.arrow.of-selected").count(), 1);
  await page.locator(".connections button").click();
  same(await chosen(page), "unlocks mutex w->lock");
});

/* ---- By keyboard ---- */

test("keys_lead_through_time_and_across_lanes", {lines: [warehouse()]}, async (page) => {
  await page.locator(".timeline").focus();
  await press(page, "Home");
  same(await chosen(page), "phase 1");
  await press(page, "ArrowDown", "ArrowDown");
  same(await chosen(page), "locks mutex w->lock");
  await press(page, "ArrowRight");
  same(await chosen(page), "enter(n = 0, weight = 500)");
  await press(page, "ArrowLeft");
  same(await chosen(page), "unlocks mutex w->lock");
  await press(page, "End");
  same(await chosen(page), "a call returned that had to wait");
  await press(page, "ArrowUp");
  same(await chosen(page), "locks mutex w->lock");
  await press(page, "f");
  same(await chosen(page), "enter(n = 0, weight = 500)");
  const active = await page.locator(".timeline").getAttribute("aria-activedescendant");

  same(await page.locator(`#${active}`).getAttribute("aria-selected"), "true");
});

test("all_can_be_reached_by_tab_and_the_focus_is_seen", {lines: [...passing(2), warehouse()]}, async (page) => {
  const met = new Set();

  for (let i = 0; i < 40; i++) {
    await press(page, "Tab");
    const [name, outline] = await page.evaluate(() => {
      const at = document.activeElement, style = getComputedStyle(at);

      return [at.className || at.textContent, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
    });

    expect(outline || name === "skip-link" || await page.evaluate(() => document.activeElement === document.body), name, "shows no focus");
    met.add(name);
  }
  for (const name of ["timeline", "theme", "copy", "side by side", "go to the failure"])
    expect([...met].some((one) => one.includes(name)) || met.has("jump"), name, "is not met by Tab");
});

/* ---- Which case, and how much of it ---- */

test("the_case_as_found_can_be_shown_alone_and_beside", {lines: [warehouse()], size: WIDE}, async (page) => {
  await page.getByRole("button", {name: "as found (340 choices)"}).click();
  same(await textsOf(page, ".head"), ["client 0", "client 1", "client 2"]);
  same(await page.locator(".timeline").count(), 1);
  await expectInView(page, ".item.failure");
  await page.getByRole("button", {name: "side by side"}).click();
  same(await page.locator(".timeline").count(), 2);
  same(await textsOf(page, ".one-case h3"), ["smallest: 12 choices", "as found: 340 choices"]);
  const [left, right] = await page.locator(".timeline").all();

  expect((await left.boundingBox()).x + (await left.boundingBox()).width < (await right.boundingBox()).x,
         "they are not side by side");
  await right.locator(".item.failure").click();
  same(await textsOf(page, ".chosen > p"), ["as found", "failure · client 1 · moment 120"]);
});

test("the_case_can_be_read_as_a_table", {lines: [warehouse()]}, async (page) => {
  await page.getByRole("button", {name: "table"}).click();
  same(await page.locator(".as-table").getByRole("row").count(), 1 + 15);
  expect((await textOf(page, ".as-table tr.fails >> nth=0")).includes("client 1"), "who fails");
  same(await page.locator(".as-table caption").textContent(), "the case, smallest");
});

test("how_it_shrank_is_plotted", {lines: [warehouse()]}, async (page) => {
  same(await page.locator(".shrank svg").getAttribute("aria-label"),
       "shrunk from 340 to 12 choices in 240 runs, from 9 to 1 preemptions");
  same(await page.locator(".shrank circle").count(), 8);
});

test("a_property_shows_its_values", {lines: [property()]}, async (page) => {
  same(await textsOf(page, ".story li"), ["xs = {0, 1}", "n = 2  any value would do", "about to add"]);
  same(await textOf(page, "pre.detail"), "sum(xs) = 1\n2 = 2");
  same(await page.locator(".timeline").count(), 0);
  await page.getByRole("button", {name: "side by side"}).click();
  same(await page.locator(".story").count(), 2);
});

test("commands_and_tokens_are_copied", {lines: [deadlock()]}, async (page, context) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", {name: "copy replay it"}).click();
  await eventually(page, () => document.querySelector(".said").textContent === "copied");
  same(await page.evaluate(() => navigator.clipboard.readText()), "raddle replay rdl1../bank.BAFk");
  await page.getByRole("button", {name: "copy token"}).click();
  await eventually(page, () => document.querySelectorAll(".said")[1].textContent === "copied");
  same(await page.evaluate(() => navigator.clipboard.readText()), "rdl1../bank.BAFk");
});

/* ---- Runs of many tests ---- */

test("a_run_lists_its_tests_and_begins_with_what_failed", {lines: [...passing(40), deadlock(), requirements]},
  async (page) => {
    same(await textOf(page, "h1"), "FAIL\n./bank");
    same(await page.locator(".sidebar a").count(), 42);
    same(await textOf(page, ".sidebar [aria-current]"), "./bank");
    same(await textOf(page, ".counts"), "1 failed · 40 passed");
    await page.getByRole("link", {name: "all tests"}).click();
    same(await page.locator(".tests tbody tr").count(), 41);
    same(await textOf(page, ".requirements h2"), "Requirements: 1 of 2 exercised");
    same(await page.locator(".requirements .bad").count(), 1);
    await page.locator(".tests").getByRole("link", {name: "passes_7"}).click();
    same(await textOf(page, "h1"), "PASS\npasses_7");
    expect(page.url().endsWith("#test-1-7"), page.url());
    await page.goBack();
    same(await page.locator(".tests").count(), 1);
  });

test("a_run_in_which_all_pass_begins_with_the_list", {lines: passing(3)}, async (page) => {
  same(await page.locator(".tests tbody tr").count(), 3);
  expect((await textOf(page, ".summary")).startsWith("3 tests in 0.06 s"), await textOf(page, ".summary"));
});

test("statistics_are_plotted", {lines: [warehouse()]}, async (page) => {
  const titles = await textsOf(page, ".a-plot h3");

  same(titles, ["Labels, in percent of cases", "Branches of event specs, in percent of cases",
                "Calls of each operation", "Which operation followed which", "Preconditions", "States reached", "Requirements that it exercised", "Sizes and lengths"]);
  same(await textsOf(page, ".bars .bad th"), ["two wait", "enter !cpre it is full", "full"]);
  const track = await page.locator(".a-plot >> nth=0").locator(".track").first().boundingBox();
  const bar = await page.locator(".a-plot >> nth=0").locator(".bar").first().boundingBox();

  expect(Math.abs(bar.width / track.width - 0.5991) < 0.02, "a bar is", bar.width, "of", track.width);
  same(await page.locator(".needed").count(), 2);
  same(await page.locator(".histogram").count(), 2);
  same(await page.locator(".histogram >> nth=0").locator(".column").count(), 4);
  same(await textsOf(page, ".matrix .heat"), ["3,000", "4,100", "2,500", "–"]);
});

test("several_failures_are_shown_one_at_a_time",
  {lines: [{...warehouse(), failures: [...warehouse().failures, ...deadlock().failures]}]}, async (page) => {
    same(await page.locator(".what-failed:visible").count(), 1);
    await page.getByRole("button", {name: "2: bank.c:15"}).click();
    same(await textOf(page, ".what-failed:visible"), "bank.c:15: deadlock: main -> thread 1 -> main");
    await expectInView(page, "section.failure:not([hidden]) .item.failure");
  });

test("grades_have_a_table_and_a_page_for_each_implementation", {grades: grades()}, async (page) => {
  same(await textsOf(page, ".tests tbody .chip"), ["FAIL", "PASS", "ERROR"]);
  same(await textsOf(page, ".tests tbody tr:first-child .mark"), ["–", "✓", ""]);
  same(await textsOf(page, ".rounds td:last-child"), ["0", "1", "0", "0"]);
  await page.locator(".tests").getByRole("link", {name: "no_lock.c"}).click();
  same(await textOf(page, ".grade-line b"), "no_lock.c");
  same(await textOf(page, ".copyable code >> nth=0"), "raddle grade --spec warehouse no_lock.c --replay rdl1.x.AA");
  await expectInView(page, ".item.call.fails");
  await page.setViewportSize({width: 400, height: 800});
  same(await page.evaluate(() => document.documentElement.scrollWidth), 400);
  await page.setViewportSize(LAPTOP);
  await page.locator(".sidebar").getByRole("link", {name: "untyped.c"}).click();
  same(await textOf(page, "pre.detail"), "untyped.c:3: unknown type name 'oops'");
});

/* ---- Whatever the strings, and however many events ---- */

test("hostile_strings_stay_text", {lines: [hostile(), sampleTest({test: EVIL})], size: WIDE}, async (page) => {
  const wanted = EVIL.replace("\u2028", "");
  const shows = async (selector) => expect((await page.locator(selector).first().textContent())
    .replaceAll("\u2028", "").includes(wanted), selector, "does not have the string");

  expect((await page.locator(".head").first().getAttribute("title")).includes(EVIL), "the head's title");
  for (const selector of ["h1", ".what-failed", ".headline", ".item.call .title", ".item.failure .title",
                          ".wrong pre", ".chosen h3", ".copyable code", ".output", ".bars th", ".sidebar li:nth-child(2)",
                          "p.warn", ".numbers", ".matrix th", ".histogram b"])
    await shows(selector);
  await page.locator(".item.call").click();
  for (const selector of [".states dd", ".possible li", ".source pre", ".connections"])
    await shows(selector);
  for (const name of ["side by side", "table"]) {
    await page.getByRole("button", {name}).click();
    same(await page.locator("img, iframe, object, embed, link, form, base, script").count(), 0);
  }
  await shows(".as-table code");
  await page.getByRole("link", {name: "all tests"}).click();
  await shows(".tests a");
});

test("data_that_lack_something_do_no_harm", {lines: [{...sampleTest({verdict: "fail"}), failures: [{}]},
                                                     {...sampleTest(), labels: 7, seconds: null}]}, async (page) => {
  expect((await textOf(page, "[role=alert]")).startsWith("This report lacks what should be in it"), "no word");
});

test("of_ten_thousand_events_those_in_view_are_drawn", {lines: [large(10000)]}, async (page) => {
  const count = () => page.evaluate(() => document.getElementsByTagName("*").length);

  await page.getByRole("button", {name: "everything"}).click();
  await expectInView(page, ".item.failure");
  expect(await count() < 1200, await count(), "elements");
  for (const moment of [0, 1234, 5000, 9700]) {
    await page.evaluate((row) => { document.querySelector(".timeline").scrollTop = 22 * row; }, moment);
    await eventually(page, (row) => {
      const view = document.querySelector(".timeline").getBoundingClientRect();

      return [...document.querySelectorAll(".moment")].some((one) =>
        Number(one.textContent) >= row && Number(one.textContent) <= row + 1200 &&
        one.getBoundingClientRect().top < view.bottom && one.getBoundingClientRect().top >= view.top);
    }, moment);
    expect(await count() < 1200, await count(), "elements at", moment);
    expect(await page.locator(".item").count() > 10, "too few items at", moment);
  }
  await page.locator(".timeline").focus();
  await press(page, "Home");
  same(await chosen(page), "work(0)");
  await press(page, "End");
  same(await chosen(page), "a data race");
  await expectInView(page, ".item.failure");
  await page.getByRole("button", {name: "table"}).click();
  expect(await count() < 2500, await count(), "elements of the table");
  same(await textOf(page, ".as-table [role=status]"), "9,802 to 10,001 of 10,001");
});

test("names_of_lanes_keep_both_ends", {lines: [manyThreads()]}, async (page) => {
  const heads = await textsOf(page, ".head");

  same(new Set(heads).size, heads.length, "different names");
  expect(heads[3].startsWith("a thre") && heads[3].endsWith(" 3"), heads[3]);
});

test("long_values_do_not_push_the_rest_away", {lines: [property({value: "00 ".repeat(30000)})]}, async (page) => {
  const {y} = await page.locator(".copyable").first().boundingBox();

  expect(y < LAPTOP.height, "the command is at", y);
});

/* ---- On paper ---- */

test("all_of_a_case_is_printed_as_wide_as_the_paper", {lines: [large(600)]}, async (page) => {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const [items, all, width] = await page.evaluate(() => [document.querySelectorAll(".item").length,
    Number(document.querySelector(".item").getAttribute("aria-setsize")),
    Math.max(...[...document.querySelectorAll(".item")].map((one) => one.offsetLeft + one.offsetWidth))]);

  same(items, all, "how many there are");
  expect(all > 60, all, "items");
  expect(width <= 690, "it is", width, "wide");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  expect(await page.locator(".item").count() < all, "all is still there");
});

/* ---- Who reads it, and how ---- */

for (const theme of ["light", "dark"])
  test(`all_texts_can_be_read_when_it_is_${theme}`, {lines: [warehouse()], theme}, async (page) => {
    const poor = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      const rgb = (name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
      };
      const light = (colour) => colour.map((c) => c / 255)
        .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const contrast = (a, b) => {
        const [x, y] = [light(rgb(a)), light(rgb(b))].sort();

        return (y + 0.05) / (x + 0.05);
      };
      const inks = ["text", "faint", "pass", "fail", "skip", "error", "link", "warn"];

      return inks.flatMap((ink) => ["page", "box", "raised"].filter((paper) => contrast(ink, paper) < 4.5)
        .map((paper) => `${ink} on ${paper}: ${contrast(ink, paper).toFixed(2)}`));
    });
    const page_light = await page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]));

    same(poor, []);
    expect(theme === "light" ? page_light > 200 : page_light < 60, "the page is", page_light);
  });

test("light_and_dark_can_be_chosen", {lines: [warehouse()], theme: "dark"}, async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await paper();

  await page.getByRole("button", {name: "light / dark"}).click();
  expect(await paper() !== before, "it stays dark");
  await page.getByRole("button", {name: "light / dark"}).click();
  same(await paper(), before);
});

test("everything_has_a_name_for_those_who_listen", {lines: [...passing(2), warehouse(), requirements]}, async (page) => {
  const nameless = await page.evaluate(() => [...document.querySelectorAll(
    "button, a, [role=img], [role=listbox], [role=option], nav, svg:not([aria-hidden])")]
    .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()))
    .map((one) => one.outerHTML.slice(0, 100)));

  same(nameless, []);
  same(await page.locator("main").count(), 1);
  same(await page.locator("h1").count(), 1);
  same(await page.getAttribute("html", "lang"), "en");
  same(await page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count(), 0);
  same(await page.getByRole("listbox").getByRole("option").count(), 15);
  same(await page.locator(".item.call.fails").getAttribute("aria-label"),
       "fails, client 1, call, enter(n = 0, weight = 500), returns, spec.c:58");
  same(await page.getByRole("region", {name: "the chosen event"}).count(), 1);
  expect((await page.title()).startsWith("robots_pass_through"), await page.title());
});

test("on_a_small_screen_nothing_is_wider_than_it", {lines: [...passing(2), warehouse()], size: {width: 420, height: 800}},
  async (page) => {
    same(await page.evaluate(() => document.documentElement.scrollWidth), 420);
  });

test("without_scripts_there_are_words", {lines: [deadlock()], scripts: false}, async (page) => {
  const words = await textOf(page, "pre");

  expect(words.includes("fail   ./bank") && words.includes("bank.c:15: deadlock"), words);
});

await runAll();
