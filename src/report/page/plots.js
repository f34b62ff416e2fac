/* plots.js -- numbers as pictures.  Each says in words, too, what it shows. */

/* Rows of {name, value, text, mark, bad}: bars next to each other, the longest all the way. */
function bars(rows, most) {
  const longest = most || Math.max(1, ...rows.map((row) => row.value));

  return make("table", {class: "bars"}, make("tbody", {}, rows.map((row) => make("tr",
    {class: row.bad ? "bad" : null},
    make("th", {scope: "row"}, row.name, row.note ? make("span", {class: "faint"}, " " + row.note) : null),
    make("td", {class: "track-cell"}, track(row, longest)),
    make("td", {class: "number"}, row.text)))));
}

function track(row, longest) {
  const part = (value) => `${Math.max(0, Math.min(100, 100 * value / longest)).toFixed(2)}%`;
  const bar = make("div", {class: "track", "aria-hidden": "true"},
                   place(make("div", {class: "bar"}), {width: part(row.value)}));

  if (row.second)
    bar.append(place(make("div", {class: "bar second"}), {width: part(row.second)}));
  if (row.mark)
    bar.append(place(make("div", {class: "needed"}), {left: part(row.mark)}));
  return bar;
}

/* Of a measure: how many values lay between two powers of two. */
function histogram(measure) {
  const buckets = filled(measure.buckets || []);
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const each = labelEach(buckets.map((bucket) => rangeOf(bucket, measure)));
  const columns = buckets.map((bucket, i) => {
    const range = rangeOf(bucket, measure);
    const column = make("div", {class: "column", title: `${range}: ${grouped(bucket.count)}`},
      place(make("div", {class: "height"}), {"--share": (bucket.count / most).toFixed(4)}),
      make("span", {class: "range"}, i % each ? "" : each > 1 ? tiny(bucket.from) : range));

    return column;
  });
  const words = buckets.filter((bucket) => bucket.count)
    .map((bucket) => `${rangeOf(bucket, measure)}: ${bucket.count}`).join(", ");

  return make("figure", {class: "histogram"},
    make("figcaption", {}, make("b", {}, measure.name), make("span", {class: "faint"},
      ` from ${short(measure.min)} to ${short(measure.max)}, on average ${short(measure.mean)}`)),
    buckets.length ? make("div", {class: "columns", role: "img", "aria-label": words}, columns) : null);
}

/* With those in between that nothing fell into. */
function filled(buckets) {
  const all = [];

  for (const bucket of buckets) {
    for (let last = all[all.length - 1]; last && last.below !== null && last.below < bucket.from;
         last = all[all.length - 1])
      all.push({from: last.below, below: 2 * last.below, count: 0});
    all.push(bucket);
  }
  return all;
}

/* Which columns have room for a label: each, each second, ... */
const PLOT_WIDTH = 320, COLUMN_MOST = 60, DIGIT = 6.2;

function labelEach(ranges) {
  const room = Math.min(COLUMN_MOST, PLOT_WIDTH / ranges.length);

  return Math.max(...ranges.map((range) => range.length)) * DIGIT <= room ? 1
    : Math.max(2, Math.ceil(5 * DIGIT / room));
}

/* Where a column begins: 512, 1k, 16M. */
function tiny(number) {
  const units = ["", "k", "M", "G", "T", "P", "E"];
  let unit = 0;

  for (; number >= 1000 && unit < units.length - 1; unit++)
    number /= 1000;
  return `${number < 10 && unit ? Number(number.toFixed(1)) : Math.round(number)}${units[unit]}`;
}

function rangeOf(bucket, measure) {
  if (bucket.below === null)
    return `${short(bucket.from)} or more`;
  if (bucket.from === 0)
    return measure.min < 0 ? "below 1" : "0";
  return bucket.below - bucket.from <= 1 ? short(bucket.from)
                                         : `${short(bucket.from)}–${short(bucket.below - 1)}`;
}

/* How a failing case became smaller: choices, and preemptions, over the runs that it took. */
function shrinkPlot(shrank, failure) {
  const attempts = failure.attempts;
  const steps = shrank[0].run > 0
    ? [{...shrank[0], run: 0, choices: failure.choices_before ?? shrank[0].choices}, ...shrank] : shrank;
  const width = 560, height = 130, left = 44, bottom = 22, top = 8;
  const most = Math.max(1, ...steps.map((step) => step.choices));
  const runs = Math.max(1, attempts || 0, steps[steps.length - 1].run);
  const x = (run) => left + (width - left - 10) * run / runs;
  const y = (value, of) => top + (height - bottom - top) * (1 - value / of);
  const line = (key, of) => steps.map((step, i) => (i ? `H${x(step.run).toFixed(1)}V` : `M${x(step.run).toFixed(1)} `) +
    y(step[key], of).toFixed(1)).join("") + `H${x(runs).toFixed(1)}`;
  const last = steps[steps.length - 1];
  const preempted = Math.max(...steps.map((step) => step.preemptions || 0));
  const words = `shrunk from ${steps[0].choices} to ${last.choices} choices in ${runs} runs` +
    (preempted ? `, from ${steps[0].preemptions} to ${last.preemptions} preemptions` : "");
  const text = (at, up, words, anchor) => draw("text", {x: String(at), y: String(up),
                                                        "text-anchor": anchor}, words);
  const picture = draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
                               "aria-label": words, class: "plot"},
    draw("path", {class: "axis", d: `M${left} ${top}V${height - bottom}H${width - 10}`}),
    draw("path", {class: "area", d: `${line("choices", most)}V${height - bottom}H${left}z`}),
    draw("path", {class: "curve", d: line("choices", most)}),
    text(left - 6, top + 9, grouped(most), "end"),
    text(left - 6, y(last.choices, most) + 4, most - last.choices > most / 8 ? grouped(last.choices) : "", "end"),
    text(left, height - 6, "0", "middle"),
    text(width - 10, height - 6, many(runs, "run"), "end"));

  if (preempted)
    picture.append(draw("path", {class: "curve preemptions", d: line("preemptions", preempted)}));
  for (const step of steps)
    picture.append(draw("circle", {class: "dot", cx: x(step.run).toFixed(1),
                                   cy: y(step.choices, most).toFixed(1), r: "2.5"},
      draw("title", {}, `run ${step.run}: ${many(step.choices, "choice")}` +
           (preempted ? `, ${many(step.preemptions, "preemption")}` : ""))));
  return make("figure", {class: "shrank"}, picture, make("figcaption", {class: "faint"},
    make("span", {class: "key choices"}, "choices"),
    preempted ? make("span", {class: "key preemptions"}, "preemptions") : null));
}

/* Which operation followed which, the more often the darker. */
function matrix(names, pairs) {
  const counts = new Map(pairs.map((pair) => [`${pair.operation}\n${pair.by}`, pair.calls]));
  const most = Math.max(1, ...pairs.map((pair) => pair.calls));
  const cell = (a, b) => {
    const count = counts.get(`${a}\n${b}`) || 0;

    return place(make("td", {class: count ? "heat" : "heat none"}, count ? grouped(count) : "–"),
                 {"--share": `${(10 + 70 * count / most).toFixed(0)}%`});
  };

  return make("div", {class: "wide-table"}, make("table", {class: "matrix"},
    make("thead", {}, make("tr", {}, make("td", {class: "faint"}, "then →"),
                           names.map((name) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, names.map((a) => make("tr", {}, make("th", {scope: "row"}, a),
                                            names.map((b) => cell(a, b)))))));
}
