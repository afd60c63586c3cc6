// events.js - the events of a session, read a page at a time and kept.

import * as api from "./api.js";
import { Branches } from "./branches.js";
import { say } from "./dom.js";

const PAGE = 100;
const KEPT = 60; // pages
const NEAR = 1000; // events in which the other end of an effect is looked for

export class Events {
  constructor(session, changed) {
    this.session = session;
    this.changed = changed; // called when some have come
    this.last = 0; // seq of the newest
    this.pages = new Map(); // by number, the one used last behind the others
    this.asked = new Map(); // by number, what ends when it was read
    this.lanes = new Map(); // scope: number
    this.begins = new Map(); // key of an effect: its intents that were read, by seq
    this.ends = new Map(); // the same of its outcomes
    this.branches = new Branches();
    this.pins = new Set(); // seqs of checkpoints
    this.forks = new Map(); // seq: the sessions that were forked there
  }

  // What is known of the session beside its events.
  know(shown, checkpoints) {
    const pins = checkpoints.filter((c) => c.pinned).map((c) => c.seq);
    const state = JSON.stringify([shown.timelines, shown.forks, pins]);
    if (state === this.known) return;
    if (shown.timeline !== this.timeline) this.pages.clear(); // others of them are left behind now
    this.timeline = shown.timeline;
    this.known = state;
    this.branches = new Branches(shown.timelines, shown.timeline);
    this.pins = new Set(pins);
    this.forks = new Map();
    for (const { session, cut } of shown.forks ?? []) this.forks.set(cut, [...this.forks.get(cut) ?? [], session]);
    this.changed();
  }

  async open() {
    const [newest] = await api.list("events", { session: this.session, last: 1 });
    this.last = newest?.seq ?? 0;
  }

  lane(scope) {
    if (!this.lanes.has(scope)) this.lanes.set(scope, this.lanes.size);
    return this.lanes.get(scope);
  }

  #take(event) {
    this.lane(event.scope);
    const of = { intent: this.begins, outcome: this.ends }[event.kind];
    if (!of) return;
    if (!of.has(event.body.key)) of.set(event.body.key, new Map());
    of.get(event.body.key).set(event.seq, event);
  }

  // The intent of an outcome; undefined: none was read.
  beginOf(outcome) {
    const before = [...this.begins.get(outcome.body.key)?.values() ?? []].filter((e) => e.seq < outcome.seq);
    return before.length ? before.reduce((a, b) => a.seq > b.seq ? a : b) : undefined;
  }

  // The outcome of an intent; null: it has none; undefined: what follows it was not all read.
  endOf(intent) {
    const later = [...this.ends.get(intent.body.key)?.values() ?? []].filter((e) => e.seq > intent.seq);
    if (later.length) return later.reduce((a, b) => a.seq < b.seq ? a : b);
    for (let number = Math.floor((intent.seq - 1) / PAGE); number * PAGE < this.last; number++)
      if (!this.pages.has(number)) return undefined;
    return null;
  }

  // The event, or undefined while it is read.
  at(seq) {
    const number = Math.floor((seq - 1) / PAGE);
    const page = this.pages.get(number);
    if (!page) this.#ask(number);
    return page?.[(seq - 1) % PAGE];
  }

  async read(seq) {
    await this.#ask(Math.floor((seq - 1) / PAGE));
    return this.at(seq);
  }

  #ask(number) {
    if (number < 0 || this.pages.has(number)) return undefined;
    if (!this.asked.has(number))
      this.asked.set(number, this.#load(number).finally(() => this.asked.delete(number)));
    return this.asked.get(number);
  }

  async #load(number) {
    try {
      const before = (number + 1) * PAGE + 1;
      this.#keep(number, await api.list("events", { session: this.session, before, last: PAGE }));
    } catch (error) {
      say(`events are missing: ${error.message}`, true);
      setTimeout(() => this.changed(), 3000); // which asks again
      return;
    }
    this.changed();
  }

  #keep(number, events) {
    const page = [];
    for (const event of events) {
      const place = event.seq - 1 - number * PAGE;
      if (place >= 0) page[place] = event;
      this.#take(event);
    }
    this.pages.set(number, page);
    if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value);
  }

  // The other end of an effect: of an intent its outcome, of an outcome its intent, of a replay the
  // outcome that it repeats. Undefined: it is not near.
  async other(event) {
    if (event.kind === "replay") return this.read(event.body.of);
    const want = { intent: "outcome", outcome: "intent" }[event.kind], step = want === "outcome" ? 1 : -1;
    for (let seq = event.seq + step, more = NEAR; want && more && seq >= 1 && seq <= this.last; seq += step, more--) {
      const found = await this.read(seq);
      if (found?.kind === want && found.body.key === event.body.key) return found;
    }
    return undefined;
  }

  // One that has just come.
  add(event) {
    if (event.seq <= this.last) return;
    const number = Math.floor((event.seq - 1) / PAGE), page = this.pages.get(number);
    if (event.seq > this.last + 1) this.forget(this.last);
    else if (page) page[(event.seq - 1) % PAGE] = event;
    this.#take(event);
    this.last = event.seq;
    this.changed();
  }

  // What was read from `seq` on, which may have changed.
  forget(seq) {
    for (const number of this.pages.keys())
      if ((number + 1) * PAGE >= seq) this.pages.delete(number);
  }
}
