/* main.js -- reads the data, and shows the view that the address names behind its '#'. */

/* A line is a test, the requirements of a program, or a grade, which has tests of its own. */
function readPage(data) {
  const page = {...data, groups: []};

  for (const file of data.files) {
    const lines = file.lines.flat();
    const group = {name: file.name, requirements: null, grade: null,
                   tests: lines.filter((line) => line.test !== undefined)};

    for (const line of lines)
      if (line.test === undefined && line.requirements)
        group.requirements = line.requirements;
    if (group.tests.length || group.requirements)
      page.groups.push(group);
    for (const line of lines.filter((line) => line.rounds))
      page.groups.push({name: line.file, requirements: null, grade: line, tests: line.tests || []});
  }
  page.groups.forEach((group, g) => {
    group.id = `file-${g + 1}`;
    group.tests.forEach((test, t) => { test.id = `test-${g + 1}-${t + 1}`; });
  });
  page.tests = page.groups.flatMap((group) => group.tests.map((test) => ({test, group})));
  page.graded = page.groups.some((group) => group.grade);
  return page;
}

/* Where to begin: with what has failed, unless it is one of many implementations. */
function firstView(page) {
  const failed = page.tests.find(({test}) => test.verdict === "fail") ||
                 page.tests.find(({test}) => test.verdict === "error");

  if (page.graded && page.groups.length === 1)
    return page.groups[0].id;
  if (page.graded)
    return "overview";
  if (page.tests.length === 1)
    return page.tests[0].test.id;
  return failed ? failed.test.id : "overview";
}

function viewOf(page, id) {
  const group = page.groups.find((one) => one.id === id && one.grade);
  const found = page.tests.find(({test}) => test.id === id);

  if (group)
    return {title: group.name, ...gradeView(group)};
  if (found)
    return {title: found.test.test, ...testView(found.test, found.group)};
  if (id !== "overview")
    return viewOf(page, firstView(page));
  return {title: page.title, ...(page.graded ? gradeTable(page) : overview(page))};
}

/* Data may come from anywhere, and need not be what they should. */
function viewOrWhyNot(page, id) {
  try {
    return viewOf(page, id);
  } catch (error) {
    return {title: page.title, view: make("p", {class: "fail", role: "alert"},
                                          `This report lacks what should be in it: ${error.message}`)};
  }
}

/* ---- Around the views ---- */

function sidebar(page) {
  const entries = [entry("overview", null, page.graded ? "all implementations" : "all tests")];
  const folder = commonFolder(page.groups.map((group) => group.name));

  for (const group of page.groups) {
    if (group.grade) {
      entries.push(entry(group.id, group.grade.verdict, group.name.slice(folder.length)));
      continue;
    }
    if (page.groups.length > 1)
      entries.push(make("li", {class: "heading"}, group.name));
    entries.push(...group.tests.map((test) => entry(test.id, test.verdict, test.test)));
  }
  return make("nav", {class: "sidebar", "aria-label": "tests"}, make("ul", {}, entries));
}

/* What all names begin with, up to a slash. */
function commonFolder(names) {
  let folder = names[0].slice(0, names[0].lastIndexOf("/") + 1);

  while (folder && !names.every((name) => name.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  return folder;
}

function entry(id, verdict, text) {
  return make("li", {}, make("a", {href: `#${id}`, title: text},
    verdict ? make("span", {class: `dot ${verdict}`, role: "img", "aria-label": verdict}) : null,
    make("span", {}, text)));
}

/* The system's choice, unless the reader has another. */
function themeButton() {
  const root = document.documentElement;
  const isDark = () => root.style.colorScheme ? root.style.colorScheme === "dark"
                                              : matchMedia("(prefers-color-scheme: dark)").matches;

  return make("button", {type: "button", class: "theme", click: () => {
    root.style.colorScheme = isDark() ? "light" : "dark";
  }}, "light / dark");
}

function topbar(page) {
  return make("header", {class: "topbar"},
    make("a", {class: "skip-link", href: "#main", click: (event) => {
      event.preventDefault();
      document.getElementById("main").focus();
    }}, "skip to the content"),
    make("b", {}, page.title),
    make("span", {class: "counts faint"}, topCounts(page)),
    make("span", {class: "spring"}),
    make("span", {class: "faint"}, `raddle ${page.raddle}`), themeButton());
}

function topCounts(page) {
  const verdicts = page.graded ? page.groups.filter((group) => group.grade).map((group) => group.grade.verdict)
                               : page.tests.map(({test}) => test.verdict);

  return countWords(verdicts).slice(1);
}

function start() {
  const page = readPage(JSON.parse(document.getElementById("data").textContent));
  const main = make("main", {id: "main", tabindex: "-1"});
  const several = page.graded ? page.groups.length > 1 : page.tests.length > 1;
  const side = several ? sidebar(page) : null;
  const show = () => {
    const id = decodeURIComponent(location.hash.slice(1)) || firstView(page);
    const {view, begin, title} = viewOrWhyNot(page, id);

    main.replaceChildren(view);
    document.title = title === page.title ? title : `${title} – ${page.title}`;
    for (const link of side ? side.querySelectorAll("a") : [])
      if (link.getAttribute("href") === `#${id}`)
        link.setAttribute("aria-current", "page");
      else
        link.removeAttribute("aria-current");
    scrollTo(0, 0);
    begin?.();
  };

  document.body.replaceChildren(topbar(page), make("div", {class: side ? "columns-page" : "one-page"},
                                                   ...[side, main].filter((part) => part)));
  addEventListener("hashchange", show);
  show();
  side?.querySelector("[aria-current]")?.scrollIntoView({block: "nearest"});
}

start();
