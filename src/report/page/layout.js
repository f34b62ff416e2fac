/* layout.js -- where each item of a timeline stands: lanes side by side, time going down.
 *
 * A moment takes a row, or several if more than one thing begins in the same lane then.  Moments
 * in which nothing shown begins or ends take none.  All heights are known beforehand, in pixels,
 * so that what is in view can be found without drawing the rest. */

const ROW = 22, LINE = 18, HEAD = 34, GUTTER = 46, BETWEEN = 30;
const FAILURE_LINES = 3, INDENT = 12, INDENT_MOST = 5;
const FEW = 18; /* so many items are shown at once, whether they matter or not */

const ALWAYS = new Set(["phase", "call", "wait", "message", "gate", "tick", "note", "failure"]);

/* Those that tell most of it, if there are many: not each step, but those that the report in words
 * has as well, and those that end a wait. */
function thoseThatMatter(timeline) {
  const matter = new Set();

  timeline.items.forEach((item, i) => {
    if (ALWAYS.has(item.kind) || item.matters || item.fails || item.open)
      matter.add(i);
  });
  for (const arrow of timeline.arrows)
    if (arrow.kind === "wakes" && matter.has(arrow.to))
      matter.add(arrow.from);
  return [...matter].sort((a, b) => a - b);
}

function isLong(item) {
  return item.to > item.from;
}

/* A layout: `shown` are numbers of items; of each, first and last row, and how deep it is in
 * what its lane is about. */
function layOut(timeline, shown) {
  const rows = assignRows(timeline, shown);
  const n = timeline.items.length;
  const first = new Int32Array(n).fill(-1), last = new Int32Array(n).fill(-1);
  const depth = nesting(timeline, shown);
  const end = lastFreeRow(timeline, shown, rows);

  for (const i of shown) {
    const item = timeline.items[i];

    first[i] = rows.begins[i];
    last[i] = isLong(item) || item.kind === "phase" ? rows.ends[i] : first[i];
    if (item.open)
      last[i] = Math.max(first[i], end);
  }
  return {shown, first, last, depth, ...heights(timeline, shown, rows, first)};
}

/* What has not come to its end lasts to the end, or up to a failure that concerns all lanes. */
function lastFreeRow(timeline, shown, rows) {
  const failures = shown.filter((i) => timeline.items[i].kind === "failure" &&
                                       timeline.items[i].lane === null);

  return Math.min(rows.count - 1, ...failures.map((i) => rows.begins[i] - 1));
}

/* Ends come before beginnings, in a lane; what concerns all lanes before what concerns one. */
function assignRows(timeline, shown) {
  const slots = new Map(); /* of a moment: how many in each lane */
  const begins = new Int32Array(timeline.items.length), ends = begins.slice();
  const lanes = timeline.lanes.length;
  const events = [];
  const base = new Map();
  const moments = [];
  let count = 0;

  for (const i of shown) {
    events.push([timeline.items[i].from, 1, i]);
    if (isLong(timeline.items[i]) && timeline.items[i].kind === "call")
      events.push([timeline.items[i].to, 0, i]);
  }
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  for (const event of events)
    event.push(takeSlot(slots, event[0], timeline.items[event[2]].lane, lanes));
  for (const [moment, taken] of slots) {
    base.set(moment, count);
    for (let k = 0; k < Math.max(...taken); k++, count++)
      moments.push(moment);
  }
  for (const [moment, isBegin, i, slot] of events)
    (isBegin ? begins : ends)[i] = base.get(moment) + slot;
  lastRows(timeline, shown, ends, moments);
  return {begins, ends, count, moments};
}

function takeSlot(slots, moment, lane, lanes) {
  let taken = slots.get(moment), slot;

  if (!taken)
    slots.set(moment, taken = new Array(lanes + 1).fill(0));
  if (lane !== null) {
    slot = taken[lane]++;
    taken[lanes] = Math.max(taken[lanes], slot + 1);
    return slot;
  }
  slot = taken[lanes];
  return taken.fill(slot + 1), slot;
}

/* What lasts, and has no row of its own for its end, lasts up to the row of that moment; or up to
 * the one before, if in its lane something else begins then: a wait, and what was waited for. */
function lastRows(timeline, shown, ends, moments) {
  const begun = new Set(shown.map((i) => `${timeline.items[i].lane} ${timeline.items[i].from}`));

  for (const i of shown) {
    const item = timeline.items[i];
    const until = item.to - begun.has(`${item.lane} ${item.to}`);
    let low = 0, high = moments.length;

    if (!isLong(item) || item.kind === "call")
      continue;
    while (low < high) {
      const middle = (low + high) >> 1;

      if (moments[middle] <= until)
        low = middle + 1;
      else
        high = middle;
    }
    ends[i] = low - 1;
  }
}

/* How many that last longer is each item part of? */
function nesting(timeline, shown) {
  const open = timeline.lanes.map(() => []);
  const depth = new Uint8Array(timeline.items.length);

  for (const i of shown) {
    const item = timeline.items[i], stack = open[item.lane];

    if (!stack)
      continue;
    while (stack.length && stack[stack.length - 1] < item.from)
      stack.pop();
    depth[i] = Math.min(stack.length, INDENT_MOST);
    if (item.open)
      stack.push(Infinity);
    else if (isLong(item))
      stack.push(item.kind === "call" ? item.to : item.to - 1);
  }
  return depth;
}

/* What is said below the title of a failure: who did what wrong, if that is known; else what the
 * report says, of which there is more elsewhere. */
function failureLines(timeline, i) {
  const saysWhy = (item) => item.detail && (item.open || item.detail.includes("\n"));
  const wrong = timeline.items.filter((item) => item.fails && item.lane !== null &&
                                                item.kind === "call" && saysWhy(item));
  const lines = wrong.length
    ? wrong.map((item) => `${timeline.lanes[item.lane].name}: ${item.title} ${item.detail.replaceAll("\n", ", ")}`)
    : (timeline.items[i].detail || "").split("\n").filter((line) => line);

  return lines.slice(0, FAILURE_LINES);
}

/* Where rows begin.  What has failed has room for what there is to say about it. */
function heights(timeline, shown, rows, first) {
  const extra = new Int32Array(rows.count);
  const tops = new Int32Array(rows.count + 1);

  for (const i of shown) {
    if (timeline.items[i].kind === "failure")
      extra[first[i]] = Math.max(extra[first[i]], failureLines(timeline, i).length);
  }
  tops[0] = HEAD + 4;
  for (let row = 0; row < rows.count; row++)
    tops[row + 1] = tops[row] + ROW + LINE * extra[row];
  return {rows: rows.count, moments: rows.moments, tops, height: tops[rows.count] + 8};
}

/* The row at this height. */
function rowAt(layout, y) {
  let low = 0, high = layout.rows;

  while (low < high) {
    const middle = (low + high) >> 1;

    if (layout.tops[middle + 1] <= y)
      low = middle + 1;
    else
      high = middle;
  }
  return Math.min(low, layout.rows - 1);
}
