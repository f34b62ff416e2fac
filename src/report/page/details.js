/* details.js -- all that is known of one item of a timeline; and the timeline as a table. */

const ROWS_A_PAGE = 200;

/* `go(number)` is called to choose another item. */
function itemDetails(timeline, i, go) {
  const item = timeline.items[i];
  const lane = item.lane === null ? null : timeline.lanes[item.lane];
  const parts = [
    make("h3", {class: item.fails ? "fails" : null}, titleOf(item)),
    make("p", {class: "faint"}, [
      KIND_WORDS[item.kind] || item.kind, lane ? ` · ${lane.kind} ` : "",
      lane && lane.name.startsWith(lane.kind) ? lane.name.slice(lane.kind.length + 1) : lane?.name ?? "",
      item.from === item.to ? ` · moment ${item.from}` : ` · moments ${item.from} to ${item.to}`,
      item.matters ? " · it matters" : "",
    ].join("")),
  ];

  if (item.detail)
    parts.push(make("pre", {class: "detail"}, item.detail));
  if (item.open)
    parts.push(make("p", {class: "warn"}, "It has not come to its end."));
  parts.push(...sourceOf(timeline, i), ...statesOf(timeline, item));
  parts.push(...connections(timeline, i, go));
  return parts;
}

/* Of a call that has no place of its own: where it was last. */
function sourceOf(timeline, i) {
  const item = timeline.items[i];
  const last = item.kind !== "call" ? undefined : timeline.items.findLast((other) =>
    other.lane === item.lane && other.place && other.from > item.from && other.from <= item.to &&
    other.kind !== "failure");

  if (item.source || item.place)
    return [sourceLines(timeline, item)];
  return last ? [make("h4", {}, `Its last step: ${titleOf(last)}`), sourceLines(timeline, last)] : [];
}

/* Its own, or those of the phase that it ends in. */
function statesOf(timeline, item) {
  const has = (one) => one.before || one.after || one.possible?.length;
  const phase = has(item) ? undefined : timeline.items.findLast((other) => other.kind === "phase" &&
    other.from <= item.to && other.to >= item.to);
  const of = phase && has(phase) ? phase : item;
  const when = of === item ? "" : ", in that phase", parts = [];

  if (of.before || of.after)
    parts.push(make("h4", {}, `The model's state${when}`), stateChange(of.before, of.after));
  if (of.possible?.length)
    parts.push(make("h4", {}, `${many(of.possible.length, "state")} explained all before ` +
                              (of === item ? "it" : "that phase")), possibleStates(of.possible));
  return parts;
}

const LINES_AROUND = 2;

/* The line, and those around it that the report has. */
function sourceLines(timeline, item) {
  const where = item.file && item.line ? `${item.file}:${item.line}` : item.place;
  const near = (timeline.sources || []).filter((source) => source.file === item.file &&
    Math.abs(source.line - item.line) <= LINES_AROUND);
  const lines = near.length || !item.source ? near : [{line: item.line, text: item.source}];
  const margin = Math.min(...lines.filter((source) => source.text.trim())
    .map((source) => source.text.search(/\S/)));

  return make("figure", {class: "source"}, make("figcaption", {}, where),
    lines.length ? make("pre", {tabindex: "0"}, lines.map((source) => make("span",
      {class: source.line === item.line ? "at" : null},
      make("span", {class: "number"}, String(source.line ?? "")), source.text.slice(margin)))) : null);
}

const STATES_SHOWN = 50;

function possibleStates(states) {
  const list = make("ol", {class: "possible"}, states.slice(0, STATES_SHOWN)
    .map((state) => make("li", {}, make("code", {class: "state"}, state))));

  if (states.length > STATES_SHOWN)
    list.append(make("li", {class: "faint"}, `and ${states.length - STATES_SHOWN} more`));
  return list;
}

/* Arrows to and from it, as buttons that lead to their other ends. */
function connections(timeline, i, go) {
  const links = [];

  for (const arrow of timeline.arrows) {
    const forth = arrow.from === i, other = forth ? arrow.to : arrow.from;

    if (!forth && arrow.to !== i)
      continue;
    const words = (ARROW_WORDS[arrow.kind] || ["leads to", "comes from"])[forth ? 0 : 1];
    const there = timeline.items[other];
    const who = there.lane === null ? "" : `${timeline.lanes[there.lane].name}: `;

    links.push(make("li", {}, words, " ", make("button", {type: "button", class: "link",
      click: () => go(other)}, who + titleOf(there)),
      arrow.text ? ` (${arrow.text})` : ""));
  }
  return links.length ? [make("ul", {class: "connections"}, links)] : [];
}

/* ---- The same as a table, some rows at a time ---- */

function timelineTable(timeline, label) {
  const body = make("tbody"), where = make("span", {class: "faint", role: "status"});
  const most = Math.max(0, timeline.items.length - ROWS_A_PAGE);
  const failing = timeline.items.findIndex((item) => item.fails);
  let from = failing - ROWS_A_PAGE / 2;
  const turn = (by) => {
    from = Math.max(0, Math.min(most, from + by * ROWS_A_PAGE));
    const items = timeline.items.slice(from, from + ROWS_A_PAGE);

    body.replaceChildren(...items.map((item) => tableRow(timeline, item)));
    where.textContent = `${grouped(from + 1)} to ${grouped(from + items.length)} of ` +
                        grouped(timeline.items.length);
  };
  const button = (text, by) => make("button", {type: "button", click: () => turn(by)}, text);

  turn(0);
  return make("div", {class: "as-table"},
    most > 0 ? make("p", {}, button("earlier", -1), " ", button("later", 1), " ", where) : null,
    make("table", {}, make("caption", {class: "hidden"}, label), make("thead", {}, make("tr", {},
      ["moment", "who", "what", "", "where"].map((head) => make("th", {scope: "col"}, head)))),
      body));
}

function tableRow(timeline, item) {
  const who = item.lane === null ? "all" : timeline.lanes[item.lane].name;

  return make("tr", {class: [item.fails ? "fails" : "", item.kind].join(" ")},
    make("td", {class: "number"}, item.from === item.to ? String(item.from)
                                                         : `${item.from}–${item.to}`),
    make("th", {scope: "row"}, who),
    make("td", {}, make("code", {}, titleOf(item)),
         item.fails ? make("strong", {class: "fail"}, " fails") : null),
    make("td", {}, `${KIND_WORDS[item.kind]}: `,
         [inOneLine(item.detail), item.open ? "has not come to its end" : ""]
           .filter((part) => part).join(", ")),
    make("td", {}, item.place || ""));
}
