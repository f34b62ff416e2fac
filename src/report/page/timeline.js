/* timeline.js -- a case, drawn: a lane for each thread, client, component or port.
 *
 * To those who cannot see it, it is a list from which one item at a time is chosen.  Only what is
 * in view is in the document, and a little more on both sides. */

const LANE_LEAST = 150, LANE_MOST = 460, NARROW = 230, BEYOND = 10, LETTER = 7.7, BOLD = 9;
const PAPER = 690, ROWS_PRINTED = 2000;

const HUES = [212, 150, 32, 282, 184, 338, 58, 248];

const KIND_WORDS = {
  phase: "phase", call: "call", wait: "waits", step: "step", switch: "preempted",
  message: "message", gate: "gate", tick: "clock", note: "note", failure: "failure",
};

const ARROW_WORDS = {
  calls: ["calls", "is called by"], sends: ["is sent to", "comes from"],
  wakes: ["ends", "is ended by"], switches: ["then runs", "runs instead of"],
  creates: ["creates", "is created by"],
};

let timelines = 0;

class Timeline {
  /* `tell(number)` is called with what is chosen or pointed at; -1: nothing. */
  constructor(timeline, label, tell) {
    this.data = timeline;
    this.tell = tell;
    this.name = `timeline${++timelines}`;
    this.drawn = new Map();
    this.selected = -1;
    this.build(label);
    this.show(timeline.items.length <= FEW);
  }

  build(label) {
    this.heads = make("div", {class: "heads", "aria-hidden": "true"});
    this.stripes = make("div", {class: "stripes", "aria-hidden": "true"});
    this.ruler = make("div", {class: "ruler", "aria-hidden": "true"});
    this.behind = make("div", {role: "presentation"});
    this.items = make("div", {role: "presentation"}, this.behind);
    this.arrows = draw("svg", {class: "arrows", "aria-hidden": "true"});
    this.canvas = make("div", {class: "canvas", role: "presentation"}, this.heads, this.stripes,
                       this.ruler, this.items, this.arrows);
    this.element = make("div", {
      class: "timeline", role: "listbox", tabindex: "0", "aria-label": label,
      scroll: () => this.drawSoon(),
      keydown: (event) => this.key(event),
    }, this.canvas);
    this.items.addEventListener("pointerover", (event) => this.point(event));
    this.items.addEventListener("pointerleave", () => this.tell(this.selected));
    this.items.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.fit()).observe(this.element);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  /* All items, or those that matter. */
  show(all) {
    const matter = thoseThatMatter(this.data);

    this.all = all || matter.length === 0;
    this.layout = layOut(this.data, this.all ? this.data.items.map((item, i) => i) : matter);
    this.place = new Map(this.layout.shown.map((number, i) => [number, i]));
    if (!this.place.has(this.selected))
      this.selected = this.failing();
    this.fit();
  }

  /* What is wrong: the step or call that is, rather than what is said about it, or its phase. */
  failing() {
    const fails = this.layout.shown.filter((i) => this.data.items[i].fails);
    const done = fails.find((i) => !["failure", "phase"].includes(this.data.items[i].kind));

    return done ?? fails[fails.length - 1] ?? -1;
  }

  /* ---- Drawing ---- */

  fit() {
    const room = this.element.clientWidth - GUTTER;
    const lanes = Math.max(this.data.lanes.length, 1);

    if (room <= 0)
      return;
    this.lane = Math.min(LANE_MOST, Math.max(this.printed ? 0 : LANE_LEAST, Math.floor(room / lanes)));
    this.width = GUTTER + this.lane * lanes;
    this.element.classList.toggle("narrow", this.lane < NARROW);
    place(this.canvas, {height: this.layout.height, width: this.width});
    this.drawLanes();
    for (const element of this.drawn.values())
      element.remove();
    this.drawn.clear();
    this.draw();
  }

  drawLanes() {
    const of = (kind) => this.data.lanes.map((lane, i) => place(
      make("div", {class: kind, title: kind === "head" ? `${lane.kind} ${lane.name}` : null},
           kind === "head" ? elided(lane.name, Math.floor((this.lane - 16) / BOLD)) : ""),
      {left: this.left(i), width: this.lane, "--hue": String(HUES[i % HUES.length])}));

    this.heads.replaceChildren(...of("head"));
    this.stripes.replaceChildren(...of("stripe"));
  }

  left(lane) {
    return GUTTER + this.lane * lane;
  }

  drawSoon() {
    this.soon = this.soon || requestAnimationFrame(() => {
      this.soon = 0;
      this.draw();
    });
  }

  /* On paper nothing can be scrolled: all of it is drawn, as wide as a page, up to some length. */
  print(begins) {
    this.printed = begins;
    place(this.element, {width: begins ? PAPER : ""});
    this.fit();
  }

  /* The rows in view, and some beyond. */
  inView() {
    if (this.printed)
      return [Math.max(0, this.layout.rows - ROWS_PRINTED), this.layout.rows - 1];
    const top = this.element.scrollTop, height = this.element.clientHeight;

    return [Math.max(0, rowAt(this.layout, top) - BEYOND),
            Math.min(this.layout.rows - 1, rowAt(this.layout, top + height) + BEYOND)];
  }

  draw() {
    const {shown, first, last, rows} = this.layout;
    const [from, to] = this.inView();
    const visible = rows ? shown.filter((i) => first[i] <= to && last[i] >= from) : [];
    const still = new Set(visible);

    for (const [i, element] of this.drawn)
      if (!still.has(i)) {
        element.remove();
        this.drawn.delete(i);
      }
    for (const i of visible)
      if (!this.drawn.has(i)) {
        this.drawn.set(i, this.box(i));
        (this.data.items[i].kind === "phase" ? this.behind : this.items).append(this.drawn.get(i));
      }
    this.drawRuler(from, to);
    this.drawArrows(from, to);
    this.mark();
  }

  drawRuler(from, to) {
    const {moments, tops} = this.layout;
    const numbers = [];

    for (let row = from; row <= to && row < this.layout.rows; row++) {
      const gap = row > 0 && moments[row] > moments[row - 1] + 1 && !this.all;

      if (row === 0 || moments[row] !== moments[row - 1])
        numbers.push(place(make("div", {class: gap ? "moment gap" : "moment"},
                                String(moments[row])), {top: tops[row]}));
    }
    this.ruler.replaceChildren(...numbers);
  }

  /* Top, height, left and width. */
  extent(i) {
    const {first, last, depth, tops} = this.layout, item = this.data.items[i];
    const inset = INDENT * depth[i];

    if (item.kind === "failure")
      return this.failureExtent(i);
    if (item.lane === null)
      return [tops[first[i]], tops[last[i] + 1] - tops[first[i]], 0, this.width];
    return [tops[first[i]] + 1, tops[last[i] + 1] - tops[first[i]] - 2,
            this.left(item.lane) + 5 + inset, this.lane - BETWEEN - inset];
  }

  /* What is wrong has to be read: it may reach into other lanes, which are empty then. */
  failureExtent(i) {
    const {first, tops} = this.layout, {lane, title} = this.data.items[i];
    const room = this.width - GUTTER - 10;
    const letters = Math.max(...[title, ...failureLines(this.data, i)].map((line) => line.length));
    const width = lane === null ? room : Math.min(Math.max(this.lane - BETWEEN, LETTER * letters + 20), room);
    const left = lane === null ? GUTTER + 5 : Math.min(this.left(lane) + 5, this.width - width - 5);

    return [tops[first[i]] + 1, tops[first[i] + 1] - tops[first[i]] - 2, left, width];
  }

  box(i) {
    const item = this.data.items[i], [top, height, left, width] = this.extent(i);
    const flags = ["open", "matters", "fails"].filter((flag) => item[flag]);
    const long = height > ROW && item.kind !== "failure";
    const box = make("div", {
      class: ["item", item.kind, long ? "long" : "point", ...flags].join(" "),
      role: "option", id: `${this.name}-${i}`, "data-item": String(i), "aria-label": this.words(i),
      "aria-selected": "false", "aria-setsize": String(this.layout.shown.length),
      "aria-posinset": String(this.place.get(i) + 1),
    });

    box.append(this.line(item, long));
    if (long && item.kind === "wait") /* which has several lines, but none by half */
      place(box.firstChild, {"max-height": LINE * Math.floor((height - 4) / LINE)});
    if (long && item.kind === "call" && !item.open)
      box.append(make("span", {class: "answer"}, `↩ ${inOneLine(item.detail)}`));
    if (item.kind === "failure")
      box.append(make("span", {class: "why"}, failureLines(this.data, i).join("\n")));
    return place(box, {top, height, left, width,
                       "--hue": String(HUES[(item.lane ?? 0) % HUES.length])});
  }

  /* What is written in its first row. */
  line(item, long) {
    const line = make("span", {class: "line"},
                      make("span", {class: "title"}, this.briefly(item)));
    const isCall = item.kind === "call", detail = inOneLine(item.detail);

    if (isCall && item.open)
      line.append(make("span", {class: "detail unreturned"}, detail || "has not returned"));
    else if (detail && !(long && isCall) && item.kind !== "failure")
      line.append(make("span", {class: "detail"}, isCall ? `↩ ${detail}` : detail));
    if (item.place)
      line.append(make("span", {class: "place"}, make("bdi", {}, item.place)));
    return line;
  }

  /* A message is named by its port in the report; here the arrow leads there. */
  briefly(item) {
    const title = titleOf(item);
    const port = item.kind !== "message" ? null
      : this.data.lanes.find((lane) => lane.kind === "port" &&
          (title.startsWith(`in ${lane.name} `) || title.startsWith(`out ${lane.name} `)));

    return port ? title.slice(title.indexOf(" ") + port.name.length + 2) : title;
  }

  /* To be read out. */
  words(i) {
    const item = this.data.items[i];
    const who = item.lane === null ? "all" : this.data.lanes[item.lane]?.name ?? "";
    const parts = [item.fails ? "fails" : "", who, KIND_WORDS[item.kind] || item.kind, titleOf(item),
                   item.detail, item.open ? "has not come to its end" : "", item.place];

    return parts.filter((part) => part).join(", ");
  }

  /* ---- Arrows ---- */

  drawArrows(from, to) {
    const {first, last, tops} = this.layout;
    const top = this.layout.rows ? tops[from] : 0;
    const height = this.layout.rows ? tops[to + 1] - top : 0;
    const paths = [];

    this.data.arrows.forEach((known) => {
      const arrow = {...known, to: this.shownEnd(known)};

      if (!this.place.has(arrow.from) || !this.place.has(arrow.to))
        return;
      if (Math.min(first[arrow.from], first[arrow.to]) <= to &&
          Math.max(last[arrow.from], last[arrow.to]) >= from)
        paths.push(this.arrow(arrow, top));
    });
    place(this.arrows, {top, height, width: this.width});
    this.arrows.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.arrows.replaceChildren(arrowHeads(this.name), ...paths.filter((path) => path));
  }

  /* To who begins, or runs instead of another: if that step is not shown, to the next of theirs. */
  shownEnd(arrow) {
    const items = this.data.items;
    let to = arrow.to;

    if (arrow.kind === "switches" || arrow.kind === "creates")
      while (to < items.length && !(this.place.has(to) && items[to].lane === items[arrow.to].lane))
        to++;
    return to;
  }

  /* Where it begins and ends: in what lasts, at the height of the other end. */
  ends(arrow) {
    const [top1, height1] = this.extent(arrow.from), [top2, height2] = this.extent(arrow.to);
    const begin = top2 + ROW / 2 - 1, finish = top2 + height2 - ROW / 2 + 1;
    const y2 = arrow.kind === "wakes" ? finish : begin;
    const y1 = Math.max(top1 + ROW / 2 - 1, Math.min(y2, top1 + height1 - ROW / 2 + 1));

    return [y1, y2];
  }

  arrow(arrow, top) {
    const from = this.data.items[arrow.from], to = this.data.items[arrow.to];
    let [y1, y2] = this.ends(arrow);

    if (from.lane === null || to.lane === null)
      return null;
    y1 -= top;
    y2 -= top;
    const right = to.lane > from.lane, same = to.lane === from.lane;
    const far = this.lane - BETWEEN + 6; /* from the left of a lane, where its items end */
    const x1 = this.left(from.lane) + (right || same ? far : 4 + INDENT * this.layout.depth[arrow.from]);
    const x2 = this.left(to.lane) + (right && !same ? 4 + INDENT * this.layout.depth[arrow.to] : far);
    const bend = same ? 22 : (x2 - x1) / 2;
    const path = draw("path", {
      d: `M${x1} ${y1}C${x1 + bend} ${y1} ${same ? x2 + bend : x2 - bend} ${y2} ${x2} ${y2}`,
      "marker-end": `url(#${this.name}-head-${arrow.kind})`,
    });
    const group = draw("g", {class: `arrow ${arrow.kind}`, "data-from": String(arrow.from),
                             "data-to": String(arrow.to)}, path);

    if (arrow.text && !same)
      group.append(draw("text", {x: String((x1 + x2) / 2), y: String((y1 + y2) / 2 - 4)},
                        arrow.text));
    return group;
  }

  /* ---- Choosing ---- */

  mark() {
    const id = `${this.name}-${this.selected}`;

    for (const [i, element] of this.drawn)
      if ((element.getAttribute("aria-selected") === "true") !== (i === this.selected))
        element.setAttribute("aria-selected", String(i === this.selected));
    for (const group of this.arrows.querySelectorAll("g.arrow"))
      group.classList.toggle("of-selected", Number(group.dataset.from) === this.selected ||
                                            Number(group.dataset.to) === this.selected);
    if (this.drawn.has(this.selected))
      this.element.setAttribute("aria-activedescendant", id);
    else
      this.element.removeAttribute("aria-activedescendant");
  }

  select(i) {
    if (!this.place.has(i) && i >= 0)
      this.show(true);
    this.selected = i;
    this.reveal(i);
    this.draw();
    this.tell(i);
  }

  /* Its first row, and its last as well if there is room, come into view. */
  reveal(i) {
    const {last, tops} = this.layout, view = this.element;
    const height = view.clientHeight;

    if (i < 0 || !this.place.has(i))
      return;
    const item = this.data.items[i];
    const top = this.above(i);
    const bottom = Math.min(tops[last[i] + 1] + 8, top + height);

    if (view.scrollTop + height < bottom)
      view.scrollTop = bottom - height;
    if (view.scrollTop > top)
      view.scrollTop = top;
    if (item.lane !== null)
      revealLane(view, this.left(item.lane), this.lane);
  }

  /* Where to scroll to so that it is just below the heads, and the call that it is part of, whose
   * title is always seen. */
  above(i) {
    const {first, depth, tops} = this.layout;

    return tops[first[i]] - HEAD - 4 - (depth[i] ? ROW : 0);
  }

  /* When it is first seen: the end, and what has failed in it. */
  begin() {
    const failure = this.layout.shown.findLast((i) => this.data.items[i].kind === "failure");

    this.fit();
    if (failure !== undefined)
      this.reveal(failure);
    this.reveal(this.selected);
    this.revealPreemption();
    this.draw();
  }

  /* The preemption before it as well, if both can be seen at once. */
  revealPreemption() {
    const {shown, first, last, tops} = this.layout;
    const before = shown.findLast((i) => this.data.items[i].kind === "switch" &&
                                         first[i] < first[this.selected]);

    if (this.selected < 0 || before === undefined)
      return;
    const top = this.above(before);

    if (tops[last[this.selected] + 1] - top <= this.element.clientHeight)
      this.element.scrollTop = Math.min(this.element.scrollTop, top);
  }

  itemOf(event) {
    const box = event.target.closest(".item");

    return box ? Number(box.dataset.item) : -1;
  }

  point(event) {
    const i = this.itemOf(event);

    this.tell(i >= 0 ? i : this.selected);
  }

  click(event) {
    const i = this.itemOf(event);

    if (i >= 0)
      this.select(i);
  }

  key(event) {
    const next = event.ctrlKey || event.altKey || event.metaKey ? undefined : this.after(event.key);

    if (next === undefined)
      return;
    event.preventDefault();
    if (next >= 0)
      this.select(next);
  }

  /* Which item does this key lead to?  Undefined: it is no key of ours. */
  after(key) {
    const shown = this.layout.shown, at = this.place.get(this.selected) ?? -1;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const to = (place) => shown[Math.max(0, Math.min(shown.length - 1, place))] ?? -1;

    switch (key) {
    case "ArrowDown": return to(at + 1);
    case "ArrowUp": return to(at < 0 ? shown.length - 1 : at - 1);
    case "PageDown": return to(at + page);
    case "PageUp": return to(at - page);
    case "Home": return to(0);
    case "End": return to(shown.length - 1);
    case "ArrowRight": return this.beside(1);
    case "ArrowLeft": return this.beside(-1);
    case "f": return this.failing();
    default: return undefined;
    }
  }

  /* What is nearest in time in the next lane that has anything. */
  beside(step) {
    const {shown, first} = this.layout, here = this.data.items[this.selected];
    let lane = here && here.lane !== null ? here.lane + step : step > 0 ? 0 : this.data.lanes.length - 1;

    for (; lane >= 0 && lane < this.data.lanes.length; lane += step) {
      const there = shown.filter((i) => this.data.items[i].lane === lane);
      const row = here ? first[this.selected] : 0;

      if (there.length)
        return there.reduce((a, b) => Math.abs(first[b] - row) < Math.abs(first[a] - row) ? b : a);
    }
    return -1;
  }
}

/* Both ends of a name, which tell it from others, if there is no room for all of it. */
function elided(name, most) {
  const half = Math.max(2, Math.floor((most - 1) / 2));

  return name.length <= Math.max(most, 5) ? name : `${name.slice(0, half)}…${name.slice(-half)}`;
}

function inOneLine(text) {
  return (text || "").replaceAll("\nbut ", ", but ").replaceAll("\n", " · ");
}

/* What a thread is preempted before is told by its title. */
function titleOf(item) {
  if (item.kind === "switch")
    return item.title ? `preempted before it ${item.title}` : "preempted";
  return item.title || KIND_WORDS[item.kind] || item.kind;
}

function revealLane(view, left, width) {
  if (view.scrollLeft + view.clientWidth < left + width)
    view.scrollLeft = left + width - view.clientWidth;
  if (view.scrollLeft > left - GUTTER)
    view.scrollLeft = left - GUTTER;
}

function arrowHeads(name) {
  return draw("defs", {}, ...Object.keys(ARROW_WORDS).map((kind) => draw("marker", {
    id: `${name}-head-${kind}`, class: kind, viewBox: "0 0 8 8", refX: "7", refY: "4",
    markerWidth: "10", markerHeight: "10", markerUnits: "userSpaceOnUse", orient: "auto",
  }, draw("path", {d: "M0 0L8 4L0 8z"}))));
}
