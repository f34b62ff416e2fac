/* statistics.js -- what the cases of a test were like, and what they covered. */

function statistics(test) {
  const parts = [
    ...labelPlot(test), coveredOperations(test), followedOperations(test), preconditions(test),
    statesReached(test), exercised(test), measures(test),
  ].filter((part) => part);

  if (test.covered && test.covered.sentence !== test.covered.count)
    parts.unshift(make("p", {class: "a-plot wide"}, test.covered.sentence));
  return parts.length ? make("section", {class: "statistics"},
    make("h2", {}, "What the cases were like"), make("div", {class: "plots"}, parts)) : null;
}

function plot(title, wide, ...content) {
  return make("section", {class: wide ? "a-plot wide" : "a-plot"}, make("h3", {}, title), content);
}

/* What is required of labels is marked; a wish (-1) is one that at least one case should meet. */
function labelPlot(test) {
  const isBranch = (label) => label.required === -1;
  const labels = (test.labels || []).filter((label) => !isBranch(label));
  const branches = (test.labels || []).filter(isBranch);

  return [[labels, "Labels"], [branches, "Branches of event specs"]].filter(([some]) => some.length)
    .map(([some, title]) => labelBars(some, `${title}, in percent of cases`));
}

function labelBars(labels, title) {
  const rows = labels.map((label) => ({
    name: label.name, value: label.percent, mark: label.required > 0.01 ? label.required : 0,
    text: `${short(label.percent)} %` + (label.required > 0.01 ? ` of ${short(label.required)} %` : ""),
    note: label.cases === 0 && label.required !== 0 ? "in no case" : "",
    bad: label.required > 0 && (label.cases === 0 || label.percent < label.required),
  }));

  return plot(title, rows.length > 12, bars(rows, 100));
}

/* Of a test that has failed, the cases before that are counted, which may be hardly any. */
function coveredOperations(test) {
  const isOver = test.verdict === "pass";
  const rows = (test.calls || []).map((called) => ({
    name: called.operation, value: called.calls, second: called.waited, bad: called.calls === 0 && isOver,
    text: called.calls ? grouped(called.calls) + (called.waited ? `, ${grouped(called.waited)} waited` : "")
                       : isOver ? "never called" : "not before the failing case",
  }));

  return rows.length ? plot("Calls of each operation", false, bars(rows)) : null;
}

function followedOperations(test) {
  const names = (test.calls || []).map((called) => called.operation);

  return (test.followed || []).length && names.length > 1
    ? plot("Which operation followed which", names.length > 6, matrix(names, test.followed)) : null;
}

const WHY_UNTRIED = {
  "impossible": "no state that can be reached lets it hold", "left-to-chance": "left to chance",
  "not-found": "no way there was found",
};

function preconditions(test) {
  const rows = (test.preconditions || []).map((tried) => ({
    name: `${tried.operation} ${tried.name}`, note: tried.text, value: tried.calls,
    text: tried.calls ? many(tried.calls, "call") : WHY_UNTRIED[tried.untried] || "never tried",
    bad: tried.calls === 0,
  }));

  return rows.length ? plot("Preconditions", false, bars(rows)) : null;
}

function statesReached(test) {
  const rows = (test.states || []).map((state) => ({
    name: state.name, value: state.cases, bad: state.cases === 0,
    text: state.cases ? `${many(state.cases, "case")}` : "never reached",
    note: state.entered.length ? "from " + state.entered.map((entry) =>
      `${entry.from ?? "the beginning"} ${grouped(entry.calls)}`).join(", ") : "",
  }));

  return rows.length ? plot("States reached", false, bars(rows)) : null;
}

function exercised(test) {
  const rows = (test.requirements || []).map((requirement) => ({
    name: requirement.id, value: requirement.cases, text: many(requirement.cases, "case"),
  }));

  return rows.length ? plot("Requirements that it exercised", false, bars(rows)) : null;
}

function measures(test) {
  const all = [...(test.measures || [])];

  if (test.lengths && test.lengths.count)
    all.push({...test.lengths, name: "choices of a case"});
  return all.length ? plot("Sizes and lengths", true,
                           make("div", {class: "histograms"}, all.map(histogram))) : null;
}
