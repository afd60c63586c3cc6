// gutter.js - the swimlanes beside the rows: a lane for each scope, a bar for each effect, a diamond
// for each checkpoint, a hollow one where policies said no.

import { draw } from "./dom.js";
import { duration, money } from "./format.js";

export const LANE = 16;
const LANES_MAX = 12;
const FAILED = ["error", "failed", "unknown"];

const column = (events, scope) => Math.min(events.lane(scope), LANES_MAX - 1);
const middle = (lane) => lane * LANE + LANE / 2 + 4;

export const widthOf = (events) => Math.min(Math.max(events.lanes.size, 1), LANES_MAX) * LANE + 8;

// What an effect cost, and how long it took, of its intent and its outcome.
function cost(intent, outcome) {
  if (outcome === undefined) return `${intent.body.kind} ${intent.body.class}: it ends further on`;
  if (!outcome) return `${intent.body.kind} ${intent.body.class}: not ended`;
  const took = intent ? duration(Date.parse(outcome.at) - Date.parse(intent.at)) : "";
  const paid = outcome.body.cost ? money(outcome.body.cost / 1e6) : "";
  const from = outcome.body.via === "cassette" ? "recorded" : "";
  return [outcome.body.kind, outcome.body.class ?? intent?.body.class, outcome.body.status, took,
    paid, from].filter((part) => part).join(", ");
}

function decision(event) {
  const taken = Boolean(event.body.checkpoint);
  const words = taken ? `checkpoint (${event.body.kind})` : `no checkpoint (${event.body.kind})`;
  const why = event.body.reasons?.map((r) => `${r.policy}: ${r.reason}`).join("; ");
  return why ? `${words} · ${why}` : words;
}

// What is drawn beside a row, for those who do not see it.
export function words(event, begun) {
  if (event.kind === "boundary") return decision(event);
  return event.kind === "outcome" ? cost(begun, event) : "";
}

function bar(events, at, top, bottom, intent, outcome) {
  const body = (intent ?? outcome).body, event = outcome ?? intent;
  const state = outcome === null ? "open" : FAILED.includes(outcome?.body.status) ? "bad" : "done";
  const x = middle(column(events, event.scope)) - 4;
  return draw("rect", {
    class: `bar ${state} ${body.class ?? ""} ${event.abandoned ? "abandoned" : ""}`,
    x, width: 8, y: at(top) + 4, height: Math.max(8, at(bottom) - at(top) + 8), rx: 3,
  }, draw("title", {}, cost(intent, outcome)));
}

function diamond(events, at, event) {
  const x = middle(column(events, event.scope)), y = at(event.seq) + 9;
  return draw("path", {
    class: `diamond ${event.body.checkpoint ? "taken" : "hollow"} ${event.abandoned ? "abandoned" : ""}`,
    d: `M${x} ${y - 6}l6 6-6 6-6-6z`, "data-seq": event.seq,
  }, draw("title", {}, decision(event)));
}

// The effects of the rows from `first` to `last`: an outcome belongs to the intent before it that
// has its key. One whose other end is not among them goes beyond the edge; open is only one that is
// known to have none.
function bars(events, at, first, last, shapes) {
  const open = new Map();
  for (let seq = first; seq <= last; seq++) {
    const event = events.at(seq);
    if (event?.kind === "intent") open.set(event.body.key, event);
    if (event?.kind !== "outcome") continue;
    const intent = open.get(event.body.key);
    open.delete(event.body.key);
    shapes.push(bar(events, at, intent?.seq ?? seq, seq, intent, event));
  }
  for (const intent of open.values()) shapes.push(bar(events, at, intent.seq, last, intent, events.endOf(intent)));
}

// Shapes for those rows; `at` gives the top of a row.
export function shapes(events, at, first, last) {
  const height = at(last + 1), drawn = [];
  for (let lane = 0; lane < Math.min(events.lanes.size, LANES_MAX); lane++)
    drawn.push(draw("line", { class: "lane", x1: middle(lane), x2: middle(lane), y1: at(first), y2: height }));
  bars(events, at, first, last, drawn);
  for (let seq = first; seq <= last; seq++) {
    const event = events.at(seq);
    if (event?.kind === "boundary") drawn.push(diamond(events, at, event));
    else if (event && event.kind !== "intent" && event.kind !== "outcome")
      drawn.push(draw("circle", { class: `dot ${event.kind} ${event.abandoned ? "abandoned" : ""}`,
        cx: middle(column(events, event.scope)), cy: at(seq) + 9, r: 3 }));
  }
  return drawn;
}
