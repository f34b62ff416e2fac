/* views.js -- the pages within the page: all tests, all grades, one test, one implementation. */

const VERDICTS = [["fail", "failed"], ["error", "could not be judged"], ["pass", "passed"],
                  ["skip", "skipped"]];

function countWords(verdicts) {
  return VERDICTS.flatMap(([verdict, words]) => {
    const count = verdicts.filter((one) => one === verdict).length;

    return count ? [" · ", make("span", {class: verdict}, `${grouped(count)} ${words}`)] : [];
  });
}

function numbers(parts) {
  return make("p", {class: "numbers faint"}, parts.filter((part) => part).join(" · "));
}

/* ---- One test ---- */

function testView(test, group) {
  const noun = test.schedules !== null && test.schedules !== undefined ? "schedule" : "case";
  const failures = test.failures || [];
  const suspected = test.suspected || [];
  const shown = failures.concat(suspected).map((failure) => new Failure(failure, group));
  const view = make("article", {class: "test"},
    make("header", {class: "test-head"},
      make("h1", {}, chip(test.verdict), make("span", {}, test.test)),
      numbers([`${test.file}${test.line ? `:${test.line}` : ""}`,
        test.replayed ? "replayed" : test.covered ? test.covered.count : many(test.cases, noun),
        test.discards ? `${grouped(test.discards)} discarded` : "", seconds(test.seconds),
        test.class, test.round ? `round ${test.round}` : "",
        test.phases ? many(test.phases, "phase") : "", `seed ${test.seed}`,
        test.interrupted ? "interrupted" : "",
        test.deviation ? `under the deviation ${test.deviation}` : ""])),
    test.message && !failures.some((failure) => failure.message === test.message)
      ? make("pre", {class: "detail"}, test.message) : null,
    (test.warnings || []).map((text) => make("p", {class: "warn"}, text)),
    test.verdict === "pass" && failures.length ? make("p", {class: "pass"}, "It fails, as expected.") : null,
    suspected.length ? make("p", {class: "warn"}, `${many(suspected.length, "suspected data race")}, ` +
      "which only code that Raddle does not see may put in order: no failure") : null,
    shown.length > 1 ? failureSwitch(shown) : null,
    shown.map((one) => one.element), statistics(test));

  shown.slice(1).forEach((one) => { one.element.hidden = true; });
  return {view, begin: () => shown[0]?.begin()};
}

/* Several failures of one test: one at a time. */
function failureSwitch(shown) {
  const buttons = shown.map((one, i) => make("button", {type: "button", "aria-pressed": String(i === 0),
    click: (event) => {
      press(buttons, event.currentTarget);
      shown.forEach((other) => { other.element.hidden = other !== one; });
      one.begin();
    }}, `${i + 1}: ${one.failure.message || one.failure.kind}`));

  return make("div", {class: "failures choices", role: "group", "aria-label": "failures"}, buttons);
}

/* ---- All tests ---- */

function overview(page) {
  const tests = page.groups.flatMap((group) => group.tests);
  const time = page.seconds ?? tests.reduce((sum, test) => sum + test.seconds, 0);

  return {view: make("article", {class: "overview"},
    make("h1", {}, page.title),
    make("p", {class: "summary"}, many(tests.length, "test"),
      page.planned > tests.length ? ` of ${grouped(page.planned)}` : "", ` in ${seconds(time)}`,
      countWords(tests.map((test) => test.verdict))),
    page.groups.map((group) => testTable(group, page.groups.length > 1)),
    page.groups.map(requirementTable))};
}

function testTable(group, named) {
  const longest = Math.max(1e-9, ...group.tests.map((test) => test.seconds));
  const head = (text, kind) => make("th", {scope: "col", class: kind || null}, text);

  return make("section", {}, named ? make("h2", {}, group.name) : null,
    make("table", {class: "tests"},
      make("thead", {}, make("tr", {}, head("verdict"), head("test"), head("cases", "number"),
                             head("discards", "number wide"), head("time", "number"), make("td", {class: "wide"}))),
      make("tbody", {}, group.tests.map((test) => testRow(test, longest)))));
}

function testRow(test, longest) {
  return make("tr", {},
    make("td", {}, chip(test.verdict)),
    make("th", {scope: "row"}, make("a", {href: `#${test.id}`}, test.test),
         test.message ? make("p", {class: "faint excerpt"}, firstLine(test.message)) : null),
    make("td", {class: "number"}, test.covered && test.covered.complete
      ? `all ${grouped(test.covered.schedules || test.cases)}` : grouped(test.cases)),
    make("td", {class: "number wide"}, grouped(test.discards)),
    make("td", {class: "number"}, seconds(test.seconds)),
    make("td", {class: "track-cell wide"}, track({value: test.seconds}, longest)));
}

function firstLine(text) {
  return text.split("\n", 1)[0];
}

function requirementTable(group) {
  const all = group.requirements;

  if (!all || !all.length)
    return null;
  const met = all.filter((one) => one.cases).length;

  return make("section", {class: "requirements"},
    make("h2", {}, `Requirements: ${met} of ${all.length} exercised`),
    make("table", {}, make("tbody", {}, all.map((one) => make("tr", {class: one.cases ? null : "bad"},
      make("th", {scope: "row"}, one.id),
      make("td", {}, one.text || "", one.replay ? copyable(one.replay, "replay it") : null),
      make("td", {}, one.tests.join(", ")),
      make("td", {class: "number"}, one.cases ? many(one.cases, "case") : "never"))))));
}

/* ---- Grades ---- */

function gradeTable(page) {
  const grades = page.groups.filter((group) => group.grade);
  const head = (text, kind) => make("th", {scope: "col", class: kind || null}, text);

  return {view: make("article", {class: "overview"},
    make("h1", {}, page.title),
    make("p", {class: "summary"}, many(grades.length, "implementation"),
      countWords(grades.map((group) => group.grade.verdict)),
      make("span", {class: "faint"}, ` · seed ${grades[0].grade.seed}`)),
    make("table", {class: "tests"},
      make("thead", {}, make("tr", {}, head("verdict"), head("implementation"), head("class"),
        [1, 2, 3].map((round) => head(`round ${round}`, "mark wide")), head("phases", "number"),
        head("time", "number"))),
      make("tbody", {}, grades.map(gradeRow))),
    foundByRounds(grades))};
}

const ROUND_MARKS = {fail: "✓", pass: "–", error: "?"};

function gradeRow(group) {
  const grade = group.grade;

  return make("tr", {}, make("td", {}, chip(grade.verdict)),
    make("th", {scope: "row"},
      make("a", {href: `#${group.id}`}, grade.file),
      grade.message ? make("p", {class: "faint excerpt"}, firstLine(grade.message)) : null),
    make("td", {class: "nowrap"}, grade.class || ""),
    [1, 2, 3].map((round) => make("td", {class: "mark wide"}, ROUND_MARKS[grade.rounds[round]] || "")),
    make("td", {class: "number"}, grade.phases ? String(grade.phases) : "–"),
    make("td", {class: "number"}, seconds(grade.seconds)));
}

/* As the table in the terminal: how many of those that fail were found by which rounds. */
function foundByRounds(grades) {
  const failed = grades.filter((group) => group.grade.verdict === "fail");
  const counts = new Map([["✓–", 0], ["–✓", 0], ["✓✓", 0], ["––✓", 0]]);
  const mark = (verdict) => verdict === "fail" ? "✓" : "–";

  for (const {grade} of failed) {
    const found = mark(grade.rounds[1]) + mark(grade.rounds[2]);
    const key = found === "––" ? found + mark(grade.rounds[3]) : found;

    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return failed.length ? make("section", {},
    make("h2", {}, "Which rounds found the failures"),
    make("table", {class: "rounds"},
      make("thead", {}, make("tr", {}, ["round 1", "round 2", "round 3", "number"].map((text) =>
        make("th", {scope: "col"}, text)))),
      make("tbody", {}, [...counts].map(([key, count]) => make("tr", {},
        [0, 1, 2].map((i) => make("td", {}, key[i] || "")), make("td", {}, String(count))))))) : null;
}

function gradeView(group) {
  const grade = group.grade;
  const failing = group.tests.find((test) => (test.failures || []).length) || group.tests[0];
  const test = failing ? testView(failing, group) : null;
  const others = group.tests.filter((other) => other !== failing);

  return {view: make("div", {},
    make("header", {class: "grade-head"},
      make("p", {class: "grade-line"}, chip(grade.verdict), make("b", {}, grade.file),
        make("span", {class: "faint"}, [grade.class, grade.round ? `found in round ${grade.round}` : "",
          grade.phases ? many(grade.phases, "phase") : "", seconds(grade.seconds)]
          .filter((part) => part).join(" · "))),
      test ? null : make("pre", {class: "detail"}, grade.message || "Nothing was found.")),
    test?.view ?? null,
    !failing && grade.replay ? copyable(grade.replay, "replay it") : null,
    others.length ? make("section", {}, make("h2", {}, "Its other tests"), make("ul", {},
      others.map((other) => make("li", {}, chip(other.verdict), " ",
                                 make("a", {href: `#${other.id}`}, other.test))))) : null,
    grade.report ? make("details", {class: "words"}, make("summary", {}, "The report in words"),
                        make("pre", {class: "rows", tabindex: "0"}, grade.report)) : null),
    begin: () => test?.begin()};
}
