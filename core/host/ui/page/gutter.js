// gutter.js - the swimlanes beside the rows: a lane for each scope, a bar for each effect, a diamond
// for each checkpoint, a hollow one where policies said no; and what was left behind.

import { draw, make } from "./dom.js";
import { duration, money } from "./format.js";

const LANE = 16, LANE_MIN = 6;
const LANES_WIDE = 192; // columns of pixels in which lanes are as wide as they can be
const LANES_MAX = 64; // further scopes share the last lane
const FAILED = ["error", "failed", "unknown"];

const lanesOf = (events) => Math.min(Math.max(events.lanes.size, 1), LANES_MAX);
const laneWidth = (events) => Math.max(LANE_MIN, Math.min(LANE, Math.floor(LANES_WIDE / lanesOf(events))));
const left = (events) => events.branches.width + 4;

function middle(events, scope) {
  const wide = laneWidth(events);
  return left(events) + Math.min(events.lane(scope), LANES_MAX - 1) * wide + wide / 2;
}

export const widthOf = (events) => left(events) + lanesOf(events) * laneWidth(events) + 4;

// What an effect cost, and how long it took, of its intent and its outcome.
function cost(intent, outcome) {
  if (outcome === undefined) return `${intent.body.kind} ${intent.body.class}: it ends further on`;
  if (!outcome) return `${intent.body.kind} ${intent.body.class}: not ended`;
  const took = intent ? duration(Date.parse(outcome.at) - Date.parse(intent.at)) : "";
  const paid = outcome.body.cost ? `paid ${money(outcome.body.cost / 1e6)}` : "";
  const from = outcome.body.via === "cassette" ? "from a recording" : "";
  return [outcome.body.kind, outcome.body.class ?? intent?.body.class, outcome.body.status, took,
    paid, from].filter((part) => part).join(", ");
}

const replayed = (event) => `replayed: the outcome at ${event.body.of}, not asked for or paid again`;

function decision(event, pinned) {
  const taken = Boolean(event.body.checkpoint);
  const words = taken ? `checkpoint (${event.body.kind})${pinned ? ", pinned" : ""}` : `no checkpoint (${event.body.kind})`;
  const why = event.body.reasons?.map((r) => `${r.policy}: ${r.reason}`).join("; ");
  return why ? `${words} · ${why}` : words;
}

// What is drawn beside a row, for those who do not see it.
export function words(events, event) {
  const forks = events.forks.get(event.seq);
  const drawn = event.kind === "boundary" ? decision(event, events.pins.has(event.seq))
    : event.kind === "outcome" ? cost(undefined, event) : event.kind === "replay" ? replayed(event) : "";
  return [drawn, forks && `forked here: ${forks.join(", ")}`, event.abandoned && "left behind"]
    .filter((part) => part).join(" · ");
}

// A box in the lane of an event, from the row `top` to the row `bottom`; `slot`: so many others of
// its scope were under way, and it stands beside them.
function box(events, at, [top, bottom], event, kind, title, slot = 0) {
  const lane = laneWidth(events), wide = slot ? 3 : Math.min(8, lane - 2);
  const x = slot ? Math.min(slot * 4, lane / 2 - 3) : -wide / 2;
  return draw("rect", {
    class: `bar ${kind} ${event.abandoned ? "abandoned" : ""}`, "data-seq": event.seq,
    x: middle(events, event.scope) + x, width: wide,
    y: at(top) + 4, height: Math.max(8, at(bottom) - at(top) + 8), rx: Math.min(3, wide / 2),
  }, draw("title", {}, title));
}

function bar(events, at, rows, intent, outcome, slot) {
  const body = (intent ?? outcome).body;
  const state = outcome === null ? "open" : FAILED.includes(outcome?.body.status) ? "bad" : "done";
  const kind = `${state} ${outcome?.body.cost ? "paid" : ""} ${body.class ?? ""}`;
  return box(events, at, rows, outcome ?? intent, kind, cost(intent, outcome), slot);
}

function diamond(events, at, event) {
  const x = middle(events, event.scope), y = at(event.seq) + 9, pinned = events.pins.has(event.seq);
  const far = Math.min(6, laneWidth(events) / 2);
  return draw("path", {
    class: `diamond ${event.body.checkpoint ? "taken" : "hollow"} ${pinned ? "pinned" : ""} ${event.abandoned ? "abandoned" : ""}`,
    d: `M${x} ${y - far}l${far} ${far}-${far} ${far}-${far}-${far}z`, "data-seq": event.seq,
  }, draw("title", {}, decision(event, pinned)));
}

// The first place beside those of its scope that are under way.
function slotOf(open, scope) {
  const taken = [...open.values()].filter((one) => one.intent.scope === scope).map((one) => one.slot);
  let slot = 0;
  while (taken.includes(slot)) slot++;
  return slot;
}

// The effects of the rows from `first` to `last`: an outcome belongs to the intent before it that
// has its key. One whose other end is not among them goes beyond the edge; open is only one that is
// known to have none.
function bars(events, at, first, last, shapes) {
  const open = new Map();
  for (let seq = first; seq <= last; seq++) {
    const event = events.at(seq), key = event?.body.key;
    if (event?.kind === "intent") open.set(key, { intent: event, slot: slotOf(open, event.scope) });
    if (event?.kind === "replay") shapes.push(box(events, at, [seq, seq], event, "replayed", replayed(event)));
    if (event?.kind !== "outcome") continue;
    const { intent = events.beginOf(event), slot } = open.get(key) ?? {};
    open.delete(key);
    shapes.push(bar(events, at, [Math.max(intent?.seq ?? seq, first), seq], intent, event, slot));
  }
  for (const { intent, slot } of open.values())
    shapes.push(bar(events, at, [intent.seq, last], intent, events.endOf(intent), slot));
}

function mark(events, at, event) {
  if (event.kind === "boundary") return diamond(events, at, event);
  return draw("circle", { class: `dot ${event.kind} ${event.abandoned ? "abandoned" : ""}`,
    cx: middle(events, event.scope), cy: at(event.seq) + 9, r: Math.min(3, laneWidth(events) / 2) });
}

// Where another session begins: a way out to the right.
function fork(events, at, seq) {
  const x = widthOf(events) - 6, y = at(seq) + 10;
  return draw("path", { class: "fork", d: `M${x - 6} ${y + 6}L${x} ${y}M${x - 4} ${y}H${x}V${y + 4}` },
    draw("title", {}, `forked here: ${events.forks.get(seq).join(", ")}`));
}

// Shapes for those rows; `at` gives the top of a row.
export function shapes(events, at, first, last) {
  const drawn = events.branches.shapes(at, first, last), wide = laneWidth(events);
  for (let lane = 0; lane < lanesOf(events); lane++) {
    const x = left(events) + lane * wide + wide / 2;
    drawn.push(draw("line", { class: "lane", x1: x, x2: x, y1: at(first), y2: at(last + 1) }));
  }
  bars(events, at, first, last, drawn);
  for (let seq = first; seq <= last; seq++) {
    const event = events.at(seq);
    if (event && !["intent", "outcome", "replay"].includes(event.kind)) drawn.push(mark(events, at, event));
    if (events.forks.has(seq)) drawn.push(fork(events, at, seq));
  }
  return drawn;
}

// What the shapes mean, for those who see them for the first time.
export function legend() {
  const sample = (name, kind) => make("span", {}, draw("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" },
    kind === "bar" ? draw("rect", { class: `bar ${name}`, x: 3, y: 1, width: 8, height: 12, rx: 3 })
      : draw("path", { class: `diamond ${name}`, d: "M7 1l6 6-6 6-6-6z" })), " ");
  const meanings = [["done paid", "bar", "an effect that was paid for"], ["done", "bar", "one without a price"],
    ["replayed", "bar", "replayed, not paid again"], ["bad", "bar", "failed, or nobody knows"], ["open", "bar", "not ended"],
    ["taken", "", "checkpoint"], ["taken pinned", "", "pinned"], ["hollow", "", "policies wanted none"]];
  return make("details", {}, make("summary", {}, "what the marks mean"),
    make("p", { class: "legend" }, meanings.map(([name, kind, words]) => make("span", {}, sample(name, kind), words)),
      make("span", {}, "violet: once, green: idempotent, grey: left behind")));
}
