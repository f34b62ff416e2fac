/* failure.js -- one failure: what is wrong, the case as a timeline, and how to have it again. */

let failuresShown = 0;

class Failure {
  constructor(failure, group) {
    this.failure = failure;
    this.group = group;
    this.name = `failure${++failuresShown}`;
    this.cases = [
      {name: "smallest", timeline: usable(failure.timeline), choices: failure.choices,
       story: failure.story, lost: failure.story_lost},
    ];
    if (failure.first)
      this.cases.push({name: "as found", timeline: usable(failure.first.timeline),
                       choices: failure.first.choices ?? failure.choices_before,
                       story: failure.first.story || [], lost: failure.first.story_lost,
                       message: failure.first.message});
    this.which = [0];
    this.asTable = false;
    this.build();
  }

  build() {
    this.stage = make("div", {class: "stage"});
    this.panel = make("section", {class: "panel", "aria-label": "the chosen event"});
    this.element = make("section", {class: "failure", "aria-labelledby": this.name},
      make("h2", {class: "what-failed", id: this.name}, this.failure.message || this.failure.kind),
      this.schedule(),
      ...this.drawable() ? [this.toolbar(), make("div", {class: "case"}, this.stage, this.panel)]
                         : [this.wrongInWords(), this.toolbar(), this.stage],
      this.again(), this.more());
    this.refresh();
  }

  drawable() {
    return this.cases.some((one) => one.timeline);
  }

  wrongInWords() {
    const detail = failureDetail(this.failure);

    return detail ? make("pre", {class: "detail"}, detail) : null;
  }

  schedule() {
    const headline = this.failure.schedule?.headline;

    return headline ? make("p", {class: "headline"}, headline) : null;
  }

  /* ---- What is shown of the case ---- */

  toolbar() {
    const groups = [];

    if (this.cases.length > 1)
      groups.push(this.choices("which case", [
        [this.caseName(0), () => this.choose([0])],
        [this.caseName(1), () => this.choose([1])],
        ["side by side", () => this.choose([0, 1])]]));
    if (this.drawable()) {
      this.amounts = this.choices("how much of it", [
        ["what matters", () => this.showAll(false)], ["everything", () => this.showAll(true)]]);
      groups.push(this.amounts, this.choices("how", [
        ["timeline", () => this.setTable(false)], ["table", () => this.setTable(true)]]),
        make("button", {type: "button", class: "jump", click: () => this.jump()}, "go to the failure"));
    }
    return groups.length ? make("div", {class: "toolbar", role: "toolbar",
                                        "aria-label": "what is shown of the case"}, groups) : null;
  }

  caseName(i) {
    const one = this.cases[i];

    return `${one.name} (${many(one.choices ?? 0, "choice")})`;
  }

  /* Buttons of which one is pressed. */
  choices(label, options) {
    const buttons = options.map(([text, act], i) => make("button", {type: "button",
      "aria-pressed": String(i === 0), click: (event) => {
        press(buttons, event.currentTarget);
        act();
      }}, text));

    return make("span", {class: "choices", role: "group", "aria-label": label}, buttons);
  }

  choose(which) {
    this.which = which;
    this.refresh();
    this.begin();
  }

  setTable(asTable) {
    this.asTable = asTable;
    this.refresh();
    this.begin();
  }

  showAll(all) {
    for (const one of this.shown()) {
      one.drawing?.show(all);
      one.drawing?.begin();
    }
  }

  shown() {
    return this.which.map((i) => this.cases[i]);
  }

  refresh() {
    this.stage.replaceChildren(...this.shown().map((one) => this.caseView(one)));
    this.stage.classList.toggle("two", this.which.length > 1);
    this.panel.hidden = this.asTable;
    this.panel.parentElement?.classList.toggle("table", this.asTable);
    if (this.amounts)
      this.amounts.hidden = this.asTable;
    const drawing = this.shown()[0].drawing;

    if (drawing && this.amounts) {
      press([...this.amounts.children], this.amounts.children[drawing.all ? 1 : 0]);
      this.describe(this.shown()[0], drawing.selected);
    }
  }

  caseView(one) {
    const view = make("div", {class: "one-case"});

    if (this.which.length > 1)
      view.append(make("h3", {}, `${one.name}: ${many(one.choices ?? 0, "choice")}`));
    if (one.timeline?.lost)
      view.append(make("p", {class: "faint"}, `${grouped(one.timeline.lost)} more steps and events had no room: ` +
                       "of steps, those before the first that is shown"));
    if (one.timeline)
      view.append(this.asTable ? timelineTable(one.timeline, `the case, ${one.name}`)
                               : this.drawing(one).element);
    else
      view.append(storyList(one));
    return view;
  }

  drawing(one) {
    if (!one.drawing)
      one.drawing = new Timeline(one.timeline, `timeline of the case, ${one.name}: arrow keys, ` +
        "Home and End choose an event, f the failure", (i) => this.describe(one, i));
    return one.drawing;
  }

  begin() {
    for (const one of this.shown())
      one.drawing?.begin();
  }

  jump() {
    const drawing = this.shown()[0].drawing;

    if (drawing && !this.asTable) {
      drawing.select(drawing.failing());
      drawing.begin();
      drawing.element.focus();
    }
  }

  /* ---- What there is to say ---- */

  /* Next to the timeline: what is wrong, and below it the event at hand. */
  describe(one, i) {
    const described = i < 0 || !one.timeline ? [make("p", {class: "faint"}, "Choose an event to see more of it.")]
      : itemDetails(one.timeline, i, (other) => one.drawing.select(other));

    if (!this.chosen) {
      const detail = failureDetail(this.failure);
      const wrong = detail ? make("details", {class: "wrong", open: true},
        make("summary", {}, "What is wrong"), make("pre", {tabindex: "0"}, detail)) : "";
      this.chosen = make("div", {class: "chosen", "aria-live": "polite"});
      this.panel.append(wrong, this.chosen);
    }
    this.chosen.replaceChildren(
      this.which.length > 1 ? make("p", {class: "faint"}, one.name) : "", ...described);
  }

  again() {
    const failure = this.failure, lines = [];
    const replay = this.group.grade?.replay || failure.replay;

    if (replay)
      lines.push(copyable(replay, "replay it"));
    if (failure.token)
      lines.push(copyable(failure.token, "token"));
    if (failure.unsteady)
      lines.push(make("p", {class: "warn"}, `It does not fail every time: ${failure.unsteady}`));
    return make("div", {class: "again"}, lines);
  }

  more() {
    const failure = this.failure, parts = [];

    parts.push(make("h3", {}, "How it was found"), make("p", {}, foundWords(failure)));
    if (failure.shrank && failure.shrank.length > 1)
      parts.push(shrinkPlot(failure.shrank, failure));
    if (this.drawable() && failure.story.length)
      parts.push(make("details", {class: "words"}, make("summary", {}, "The smallest case in words"),
                      storyList(this.cases[0])));
    if (failure.output)
      parts.push(make("details", {}, make("summary", {}, "What it printed"),
                      make("pre", {class: "output", tabindex: "0"}, failure.output)));
    return make("div", {class: "more"}, parts);
  }
}

function press(buttons, pressed) {
  for (const button of buttons)
    button.setAttribute("aria-pressed", String(button === pressed));
}

/* A timeline with nothing in it is none. */
function usable(timeline) {
  return timeline && timeline.items && timeline.items.length ? {
    ...timeline, lanes: timeline.lanes || [], arrows: timeline.arrows || [],
  } : null;
}

/* What is said below its headline, unless that has said it all. */
function failureDetail(failure) {
  const detail = failure.detail || "";

  return (failure.message || "").endsWith(detail) ? "" : detail;
}

function foundWords(failure) {
  const noun = failure.schedule ? "schedule" : "case";
  const found = failure.found_at ? `Found at ${noun} ${grouped(failure.found_at)}`
                                 : `Found by ${failure.source || "its token"}`;
  const again = failure.again ? ` It was met ${many(failure.again, "more time")}.` : "";

  if (!failure.attempts)
    return `${found}.${again}`;
  return `${found}, shrunk from ${grouped(failure.choices_before)} to ${many(failure.choices, "choice")} in ` +
         `${many(failure.attempts, "run")}${failure.shrink_stopped ? ", not to the end" : ""}, ` +
         `${seconds(failure.seconds)}.${again}`;
}

/* What was drawn and noted, in order. */
const STORY_SHOWN = 500, LONG = 600;

function storyList(one) {
  const list = make("ol", {class: "story"}, one.story.slice(0, STORY_SHOWN).map((line) => place(
    make("li", {class: line.name ? null : "note", tabindex: line.value.length > LONG ? "0" : null},
         line.name ? `${line.name} = ${line.value}` : line.value,
         line.remark ? make("span", {class: "faint"}, `  ${line.remark}`) : null),
    {"padding-left": `${2 * line.depth}em`})));
  const rest = Math.max(0, one.story.length - STORY_SHOWN) + (one.lost || 0);

  if (rest)
    list.append(make("li", {class: "faint"}, `and ${grouped(rest)} more`));
  return list;
}
