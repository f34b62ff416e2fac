/* samples.mjs -- reports in JSON as tests write them, made by hand: each kind of lane, item and
 * arrow there is, strings that would like to be markup, and a case of ten thousand events. */

export function sampleTest(more) {
  return {
    test: "a_test", file: "tests/a.c", line: 10, verdict: "pass", kind: null, message: null,
    cases: 100, class: null, round: null, phases: null, schedules: null, preemptions: null,
    hash: null, discards: 0, deviation: null, deviated: null, seconds: 0.02, seed: 3,
    exhausted: false, interrupted: false, replayed: false, token: null, replay: null,
    shrink: {attempts: 0, seconds: 0}, labels: [], measures: [],
    lengths: {count: 0, min: 0, mean: 0, max: 0, buckets: []}, calls: [], followed: [],
    states: [], preconditions: [], requirements: [], warnings: [], covered: {complete: false,
    schedules: 0, unseen: [], unknown: [], unlike: [], processes: [], bounds: [], count: "100 cases",
    sentence: "100 cases"}, failures: [],
    ...more,
  };
}

export function sampleFailure(more) {
  return {
    kind: "check", message: "tests/a.c:12: it failed", detail: null, file: "tests/a.c", line: 12,
    token: "rdl1.a_test.AAEC", replay: "./tests --replay rdl1.a_test.AAEC", found_at: 17,
    source: null, unsteady: null, again: 0, choices_before: 54, choices: 12, attempts: 240,
    seconds: 0.4, shrink_stopped: false, story: [], story_lost: 0, schedule: null, output: null,
    timeline: null, first: null, shrank: [], ...more,
  };
}

function failing(name, failure, more) {
  return sampleTest({test: name, verdict: "fail", kind: failure.kind, message: failure.message,
                     token: failure.token, replay: failure.replay, failures: [failure], ...more});
}

/* Collects items as they happen. */
class Maker {
  constructor(...lanes) {
    this.timeline = {moments: 0, lost: 0, lanes: lanes.map(([name, kind]) => ({name, kind})),
                     items: [], arrows: []};
  }

  add(kind, lane, from, to, title, more) {
    const line = more?.source ? {file: `src/${more.place.split(":")[0]}`,
                                 line: Number(more.place.split(":")[1])} : {};

    this.timeline.items.push({kind, lane, from, to, title, ...line, ...more});
    this.timeline.moments = Math.max(this.timeline.moments, to + 1);
    return this.timeline.items.length - 1;
  }

  arrow(kind, from, to, text) {
    this.timeline.arrows.push({from, to, kind, ...(text ? {text} : {})});
  }
}

/* ---- A controller that lets two robots into a warehouse that carries one ---- */

const plant = (a, b) => `{weight = [${a}, ${b}, 0, 0], occupied = [false, false, false, false]}`;

function warehouseCase() {
  const m = new Maker(["client 0", "client"], ["client 1", "client"]);

  m.add("phase", null, 0, 7, "phase 1", {before: plant(0, 0), after: plant(600, 0),
                                           possible: [plant(0, 0)]});
  m.add("call", 0, 1, 6, "enter(n = 0, weight = 600)", {detail: "returns", matters: true,
        before: plant(0, 0), after: plant(600, 0)});
  m.add("step", 0, 2, 2, "locks mutex w->lock", {place: "warehouse.c:31", matters: true,
        source: "    pthread_mutex_lock(&w->lock);"});
  m.add("step", 0, 3, 3, "writes 4 bytes", {place: "warehouse.c:34", source: "    w->weight[n] += weight;"});
  m.add("step", 0, 5, 5, "unlocks mutex w->lock", {place: "warehouse.c:36",
        source: "    pthread_mutex_unlock(&w->lock);"});
  m.add("phase", null, 8, 20, "phase 2", {before: plant(600, 0), possible: [plant(600, 0)]});
  m.add("call", 1, 9, 19, "enter(n = 0, weight = 500)", {detail: "returns", matters: true, fails: true,
        before: plant(600, 0), possible: [plant(600, 0)], place: "spec.c:58"});
  m.add("step", 1, 10, 10, "reads 4 bytes of w->weight", {place: "warehouse.c:29", matters: true,
        source: "    if (w->weight[n] > w->max)"});
  const out = m.add("switch", 1, 11, 11, "locks mutex w->lock", {place: "warehouse.c:31", matters: true});
  const back = m.add("call", 0, 12, 17, "exit(n = 0, weight = 600)", {open: false, detail: "returns", matters: true,
        before: plant(600, 0), after: plant(0, 0)});
  m.add("step", 0, 13, 13, "locks mutex w->lock", {place: "warehouse.c:44", matters: true,
        source: "    pthread_mutex_lock(&w->lock);"});
  const wait = m.add("wait", 1, 14, 16, "waits", {detail: "for mutex w->lock, which client 0 holds since warehouse.c:44",
        place: "warehouse.c:31", matters: true, source: "    pthread_mutex_lock(&w->lock);"});
  const wake = m.add("step", 0, 16, 16, "unlocks mutex w->lock", {place: "warehouse.c:48", matters: true,
        source: "    pthread_mutex_unlock(&w->lock);"});
  m.add("step", 1, 18, 18, "locks mutex w->lock", {place: "warehouse.c:31", matters: true,
        source: "    pthread_mutex_lock(&w->lock);"});
  m.add("failure", 1, 20, 20, "a call returned that had to wait", {fails: true,
        detail: "enter(n = 0, weight = 500) returned,\nbut 600 + 500 are more than 1000"});
  m.arrow("switches", out, back);
  m.arrow("wakes", wake, wait, "unlocks");
  return m.timeline;
}

/* The same, as it was found: with calls that it did not take. */
function warehouseFound() {
  const m = new Maker(["client 0", "client"], ["client 1", "client"], ["client 2", "client"]);
  let now = 0;

  for (let phase = 1; phase <= 12; phase++) {
    const begin = now;

    m.add("phase", null, begin, begin + 9, `phase ${phase}`);
    for (let client = 0; client < 3; client++)
      m.add("call", client, begin + 1 + client, begin + 6 + client,
            `${client % 2 ? "exit" : "enter"}(n = ${phase % 4}, weight = ${100 * client})`,
            {detail: "returns", before: plant(100 * phase, 0), after: plant(0, 100 * phase),
             ...(phase === 12 && client === 1 ? {fails: true} : {})});
    now = begin + 10;
  }
  m.add("failure", 1, now, now, "a call returned that had to wait", {fails: true,
        detail: "exit(n = 0, weight = 100) returned"});
  return m.timeline;
}

const STEPS = [[0, 340, 9], [3, 120, 6], [9, 118, 4], [20, 60, 4], [41, 33, 2], [70, 30, 2],
               [130, 14, 1], [188, 12, 1]];

export function warehouse() {
  const failure = sampleFailure({
    kind: "spec", message: "spec.c:152: a call returned that had to wait",
    detail: "warehouse: bad-sched, in round 2\nbefore it, the model was in this state:\n" +
            `    1. ${plant(600, 0)}\n       but enter(n = 0, weight = 500) has to wait:\n` +
            "       600 + 500 > 1000\nclient 0: {at = 0}\nclient 1: {at = 0}",
    token: "rdl1.a_warehouse.BQFkAoCAQAOgnAEF9dGapgIGAiwAqwHaAKgA2gC1AagAqAEAAKsAAACrAdoAqAHaALUCqACoAocAqw",
    replay: "./warehouse --replay rdl1.a_warehouse.BQFkAoCAQAOgnAEF9dGapgIGAiwAqwHaAKgA2gC1AagAqAEAAKsAAACrAdoAqAHaALUCqACoAocAqw",
    choices_before: 340, choices: 12, timeline: warehouseCase(),
    first: {story: [{name: "", value: "<< 0: enter(0, 0) >>", remark: "", depth: 0}],
            timeline: warehouseFound(), choices: 340, message: "spec.c:152: a call returned that had to wait"},
    shrank: STEPS.map(([run, choices, preemptions]) => ({run, choices, preemptions})),
    schedule: {headline: "1 preemption: client 1 interrupted at warehouse.c:31", preemptions: 1,
               steps: 90, threads: ["client 0", "client 1"], rows: []},
    story: [{name: "", value: "at the beginning: " + plant(0, 0), remark: "", depth: 0},
            {name: "", value: "<< 0: enter(n = 0, weight = 600) >>  -- returns: 0", remark: "", depth: 0},
            {name: "", value: "<< 1: enter(n = 0, weight = 500) || 0: exit(n = 0, weight = 600) >>", remark: "", depth: 0}],
    output: "robot 0 enters\nrobot 1 enters\n",
  });

  return failing("robots_pass_through_a_row_of_warehouses", failure, {
    file: "examples/warehouse/spec.c", line: 150, class: "bad-sched", round: 2, phases: 2, cases: 2003,
    schedules: 2003, preemptions: 1, seconds: 0.42,
    labels: [{name: "somebody waits", cases: 1200, percent: 59.91, required: 40},
             {name: "two wait", cases: 200, percent: 9.985, required: 20},
             {name: "the last warehouse is full", cases: 3, percent: 0.15, required: 0},
             {name: "branch spec.c:80 is taken", cases: 0, percent: 0, required: -1}],
    calls: [{operation: "enter", calls: 8123, waited: 1703}, {operation: "exit", calls: 5550, waited: 210}],
    followed: [{operation: "enter", by: "enter", calls: 3000}, {operation: "enter", by: "exit", calls: 4100},
               {operation: "exit", by: "enter", calls: 2500}],
    states: [{name: "empty", cases: 2003, calls: 2100, entered: [{from: null, calls: 2003}]},
             {name: "full", cases: 0, calls: 0, entered: []}],
    preconditions: [{operation: "enter", name: "cpre", text: "there is room", calls: 6200},
                    {operation: "enter", name: "!cpre", text: "it is full", calls: 0, untried: "impossible"}],
    requirements: [{id: "R1", cases: 300}],
    measures: [{name: "robots at work", count: 2003, min: 1, mean: 3.4, max: 9,
                buckets: [{from: 1, below: 2, count: 300}, {from: 2, below: 4, count: 1000},
                          {from: 8, below: 16, count: 703}]}],
    lengths: {count: 2003, min: 4, mean: 77.125, max: 400,
              buckets: [{from: 4, below: 8, count: 20}, {from: 8, below: 16, count: 130},
                        {from: 16, below: 32, count: 400}, {from: 32, below: 64, count: 700},
                        {from: 64, below: 128, count: 500}, {from: 128, below: 256, count: 200},
                        {from: 256, below: 512, count: 53}]},
  });
}

/* ---- Two threads that take two locks in two orders ---- */

export function deadlock() {
  const m = new Maker(["main", "thread"], ["thread 1", "thread"]);
  const lock = "    pthread_mutex_lock(&from->lock);", other = "    pthread_mutex_lock(&to->lock);";
  const create = m.add("step", 0, 0, 0, "creates thread 1", {place: "bank.c:32", matters: true,
    source: "    pthread_create(&thread, NULL, pay_bob, NULL);"});
  m.add("step", 0, 1, 1, "locks mutex bob.lock", {place: "bank.c:14", source: lock, matters: true});
  const out = m.add("switch", 0, 2, 2, "locks mutex alice.lock", {place: "bank.c:15", matters: true});
  const next = m.add("step", 1, 3, 3, "locks mutex alice.lock", {place: "bank.c:14", source: lock, matters: true});
  m.add("wait", 1, 4, 6, "waits", {place: "bank.c:15", source: other, open: true, fails: true, matters: true,
    detail: "for mutex bob.lock, which main holds since bank.c:14"});
  m.add("wait", 0, 5, 6, "waits", {place: "bank.c:15", source: other, open: true, fails: true, matters: true,
    detail: "for mutex alice.lock, which thread 1 holds since bank.c:14"});
  m.add("failure", null, 6, 6, "deadlock: main -> thread 1 -> main", {fails: true,
    detail: "main waits for mutex alice.lock, which thread 1 holds\nthread 1 waits for mutex bob.lock, which main holds"});
  m.arrow("creates", create, next);
  m.arrow("switches", out, next);
  return failing("./bank", sampleFailure({
    kind: "deadlock", message: "bank.c:15: deadlock: main -> thread 1 -> main",
    detail: "main waits for mutex alice.lock at bank.c:15, which thread 1 holds since bank.c:14\n" +
            "thread 1 waits for mutex bob.lock at bank.c:15, which main holds since bank.c:14",
    timeline: m.timeline, choices_before: 3, choices: 3, token: "rdl1../bank.BAFk",
    replay: "raddle replay rdl1../bank.BAFk",
    schedule: {headline: "1 preemption: main interrupted at bank.c:15", preemptions: 1, steps: 9,
               threads: ["main", "thread 1"], rows: []},
  }), {file: "./bank", line: null, class: "deadlock", cases: 7, schedules: 7, preemptions: 1});
}

/* ---- A stream of messages, a clock and a gate ---- */

export function stream() {
  const m = new Maker(["test", "test"], ["wire", "port"], ["radio", "port"], ["reader", "thread"]);
  const a = m.add("message", 0, 0, 0, "lamp(true)", {detail: "sent"});
  const b = m.add("message", 1, 1, 1, "out wire lamp(true)", {detail: "as expected at room.c:63", place: "room.c:63",
    possible: ["room.c:63", "room.c:70"]});
  m.add("gate", 3, 2, 2, "comes to gate 'before the lamp'", {place: "room.c:45"});
  m.add("tick", 0, 3, 3, "the clock moves on by 20 ms");
  m.add("gate", 3, 4, 4, "passes gate 'before the lamp'", {place: "room.c:45"});
  m.add("note", 3, 5, 5, "about to switch it");
  const c = m.add("message", 2, 6, 6, "lamp(true)", {detail: "lost"});
  const d = m.add("message", 1, 7, 7, "out wire lamp(true)", {detail: "not one that the spec has a place for", fails: true,
    place: "room.c:45", source: "    rdl_emit(&wire, lamp, .on = on);"});
  m.add("failure", 1, 8, 8, "an event is not one that the spec has a place for", {fails: true,
    detail: "expected: out wire lamp(false)  [room.c:63]"});
  m.arrow("sends", a, b);
  m.arrow("sends", c, d);
  return failing("the_lamp_goes_on_and_off_in_turn", sampleFailure({
    kind: "spec", message: "room.c:62: an event is not one that the spec has a place for",
    detail: "event 2: out wire lamp(true)\nexpected:\n  out wire lamp(false)  [room.c:63]",
    timeline: m.timeline}));
}

/* ---- Components that call each other ---- */

export function callouts() {
  const m = new Maker(["test", "test"], ["mbox", "component"], ["cb", "component"]);
  const c1 = m.add("call", 0, 0, 5, "mbox.create(1)", {detail: "returns"});
  const c2 = m.add("call", 1, 1, 4, "create(1)", {after: "{size = 1, messages = []}"});
  const c3 = m.add("call", 2, 2, 3, "create(size = 1, data_size = 8)", {detail: "returns"});
  const p1 = m.add("call", 0, 6, 12, "mbox.post(0)", {open: true});
  const p2 = m.add("call", 1, 7, 12, "post(0)", {open: true, before: "{size = 1, messages = []}", after: "{size = 1, messages = [0]}"});
  const q1 = m.add("call", 2, 8, 9, "push([0, 0])", {detail: "returns 0", before: "{elements = []}", after: "{elements = [{words = [0, 0]}]}"});
  const q2 = m.add("call", 2, 10, 10, "push([0, 0])", {fails: true, place: "posts_twice.c:21", source: "    Arc_CircularBufferPush(buffer, &message);"});
  m.add("failure", 2, 11, 11, "an unexpected call", {fails: true, detail: "allowed now: nothing: all calls have been made"});
  m.arrow("calls", c1, c2);
  m.arrow("calls", c2, c3);
  m.arrow("calls", p1, p2);
  m.arrow("calls", p2, q1);
  m.arrow("calls", p2, q2, "not allowed");
  return failing("a_hundred_basic_tests_of_the_box", sampleFailure({
    kind: "spec", message: "tests.c:17: an unexpected call", timeline: m.timeline,
    detail: "cb.push([0, 0]), called in Arc_MBoxPost at posts_twice.c:21\nallowed now:\n  nothing: all calls have been made"}));
}

/* ---- A property without threads: values only ---- */

export function property({value = "{0, 1}"} = {}) {
  const line = (name, value, remark, depth = 0) => ({name, value, remark: remark || "", depth});

  return failing("sorting_keeps_all_elements", sampleFailure({
    message: "tests/sort.c:15: rdl_check_eq(sum(xs), 2)", detail: "sum(xs) = 1\n2 = 2",
    story: [line("xs", value), line("n", "2", "any value would do", 1), line("", "about to add")],
    first: {story: [line("xs", "{17, 4, -3, 88}"), line("n", "4", "", 1)], timeline: null, choices: 31,
            message: "tests/sort.c:15: rdl_check_eq(sum(xs), 2)"},
    shrank: [{run: 0, choices: 31, preemptions: 0}, {run: 12, choices: 12, preemptions: 0}],
  }));
}

/* ---- Strings that would like to be more than text ---- */

export const EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;<!--]]>\u2028";

export function hostile() {
  const m = new Maker([EVIL, "thread"], ["two", EVIL]);
  const a = m.add("call", 0, 0, 3, EVIL, {detail: EVIL, place: EVIL, file: EVIL, line: 3, source: EVIL,
                                          before: EVIL, after: EVIL + "!", possible: [EVIL, EVIL]});
  const b = m.add(EVIL, 1, 1, 1, EVIL, {detail: EVIL, fails: true});
  m.add("failure", null, 4, 4, EVIL, {detail: EVIL});
  m.arrow("calls", a, b, EVIL);
  m.arrow(EVIL, b, a, EVIL);
  return failing(EVIL, sampleFailure({
    kind: EVIL, message: EVIL, detail: `${EVIL}\n.`, token: EVIL, replay: EVIL, output: EVIL, unsteady: EVIL,
    source: EVIL, found_at: 0, timeline: m.timeline,
    first: {story: [{name: EVIL, value: EVIL, remark: EVIL, depth: 1}], timeline: m.timeline, choices: 4, message: EVIL},
    story: [{name: EVIL, value: EVIL, remark: EVIL, depth: 1}, {name: "", value: EVIL, remark: "", depth: 0}],
    schedule: {headline: EVIL, preemptions: 0, steps: 1, threads: [EVIL], rows: []},
    shrank: [{run: 0, choices: 4, preemptions: 0}, {run: 2, choices: 3, preemptions: 0}],
  }), {
    file: EVIL, warnings: [EVIL], covered: {complete: true, schedules: 7, count: EVIL, sentence: EVIL}, class: EVIL, deviation: EVIL,
    labels: [{name: EVIL, cases: 5, percent: 50, required: 60}],
    calls: [{operation: EVIL, calls: 4, waited: 1}, {operation: "b", calls: 1, waited: 0}],
    followed: [{operation: EVIL, by: "b", calls: 4}],
    states: [{name: EVIL, cases: 4, calls: 3, entered: [{from: EVIL, calls: 2}]}],
    preconditions: [{operation: EVIL, name: EVIL, text: EVIL, calls: 0, untried: EVIL}],
    requirements: [{id: EVIL, cases: 2}],
    measures: [{name: EVIL, count: 1, min: 1, mean: 1, max: 1, buckets: [{from: 1, below: 2, count: 1}]}],
  });
}

/* ---- Ten thousand events ---- */

/* More than are shown at once, so that only what matters is; the first steps of threads do not. */
export function lostUpdate() {
  const m = new Maker(["main", "thread"], ["one", "thread"], ["two", "thread"]);
  const create = m.add("step", 0, 0, 0, "creates a thread", {place: "sum.c:9", matters: true});
  const starts = m.add("step", 1, 1, 1, "starts");
  let now = 2;

  for (; now < 20; now++)
    m.add("step", 1, now, now, now % 2 ? "unlocks mutex m" : "locks mutex m", {place: "sum.c:4", matters: true});
  const out = m.add("switch", 1, now++, now - 1, "locks mutex m", {matters: true});
  const other = m.add("step", 2, now++, now - 1, "starts");

  m.add("step", 2, now++, now - 1, "locks mutex m", {place: "sum.c:4", matters: true});
  m.add("failure", 0, now, now, "rdl_check_eq(sum, 2)", {fails: true, detail: "left:  1\nright: 2"});
  m.arrow("creates", create, starts);
  m.arrow("switches", out, other);
  return failing("adds_up", sampleFailure({message: "sum.c:12: rdl_check_eq(sum, 2)", timeline: m.timeline}));
}

/* As a test of a spec tells it: the call says why it is wrong, its phase has the states. */
export function judged() {
  const m = new Maker(["client 0", "client"], ["client 1", "client"]);

  m.add("phase", null, 0, 1, "<< 0: enter(1100) >>", {before: "{weight = 0}", after: "{weight = 0}"});
  m.add("call", 0, 1, 4, "enter(1100)", {fails: true, matters: true,
        detail: "returns\nbut has to wait: its cpre does not hold"});
  m.add("phase", null, 2, 5, "<< 1: enter(100) >>", {fails: true, before: "{weight = 100}",
        possible: ["{weight = 100}", "{weight = 200}"]});
  m.add("step", 0, 3, 3, "unlocks mutex 1", {place: "once.c:39", source: "    pthread_mutex_unlock(&w->lock);"});
  m.add("failure", null, 5, 5, "a call has returned that the spec does not allow to", {fails: true,
        detail: "warehouse: bad-spec-impl, in round 1\nenter(1100) cannot be explained"});
  return failing("robots", sampleFailure({timeline: m.timeline}));
}

export function manyThreads() {
  const m = new Maker(...Array.from({length: 12}, (_, i) => [`a thread with quite a long name ${i}`, "thread"]));

  for (let i = 0; i < 12; i++)
    m.add("step", i, i, i, "locks mutex m");
  m.add("failure", 3, 12, 12, "it failed", {fails: true});
  return failing("many_threads", sampleFailure({timeline: m.timeline}));
}

export function large(events = 10000) {
  const m = new Maker(...[0, 1, 2, 3, 4].map((i) => [`thread ${i}`, "thread"]));

  for (let i = 0; i < events; i++) {
    const lane = (i * 7) % 5;

    if (i % 10 === 0)
      m.add("call", lane, i, i + 9, `work(${i})`, {detail: `returns ${i}`});
    else
      m.add("step", lane, i, i, `locks mutex ${i % 13}`, {place: `work.c:${i % 90}`, matters: i % 100 === 1});
    if (i % 3 === 0 && i > 10)
      m.arrow("wakes", i - 1, i);
  }
  m.add("failure", 2, events, events, "a data race", {fails: true, detail: "it is here"});
  return failing("many_events", sampleFailure({kind: "race", message: "work.c:1: a data race", timeline: m.timeline}));
}

export function passing(count) {
  return Array.from({length: count}, (_, i) => sampleTest({test: `passes_${i + 1}`, seconds: 0.01 * (i + 1)}));
}

/* ---- Grades ---- */

export function grades() {
  const grade = (file, verdict, more) => ({file, verdict, class: null, round: null, phases: null, seconds: 1.5,
    token: null, replay: null, rounds: {1: verdict, 2: verdict, 3: null}, message: null, report: null, tests: [],
    seed: 1, ...more});
  const replay = "raddle grade --spec warehouse no_lock.c --replay rdl1.x.AA";

  return [
    grade("no_lock.c", "fail", {class: "bad-sched", round: 2, phases: 2, rounds: {1: "pass", 2: "fail", 3: null},
      token: "rdl1.x.AA", replay, message: "spec.c:152: a call returned that had to wait",
      report: "FAIL   robots_pass\n", tests: [{...warehouse(), replay}, sampleTest({test: "another"})]}),
    grade("monitor.c", "pass", {rounds: {1: "pass", 2: "pass", 3: "pass"}}),
    grade("untyped.c", "error", {message: "untyped.c:3: unknown type name 'oops'", rounds: {1: null, 2: null, 3: null}}),
  ];
}

/* Requirements of a program are on a line after those of the tests. */
export const requirements = {requirements: [
  {id: "R1", text: "robots wait", cases: 300, tests: ["a_test"], token: "rdl1.a.A", replay: "./tests --replay rdl1.a.A",
   choices: 3, story: [], story_lost: 0},
  {id: "R2", text: "corridors are free in the end", cases: 0, tests: [], token: null, replay: null, choices: 0,
   story: [], story_lost: 0},
]};
