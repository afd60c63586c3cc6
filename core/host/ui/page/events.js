// events.js - the events of a session, read a page at a time and kept.

import * as api from "./api.js";
import { say } from "./dom.js";

const PAGE = 100;
const KEPT = 60; // pages

export class Events {
  constructor(session, changed) {
    this.session = session;
    this.changed = changed; // called when some have come
    this.last = 0; // seq of the newest
    this.pages = new Map(); // by number, the one used last behind the others
    this.asked = new Set();
    this.lanes = new Map(); // scope: number
    this.ends = new Map(); // key of an effect: its outcomes that were read, by seq
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
    if (event.kind !== "outcome") return;
    if (!this.ends.has(event.body.key)) this.ends.set(event.body.key, new Map());
    this.ends.get(event.body.key).set(event.seq, event);
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

  async #ask(number) {
    if (number < 0 || this.asked.has(number) || this.pages.has(number)) return;
    this.asked.add(number);
    try {
      const before = (number + 1) * PAGE + 1;
      this.#keep(number, await api.list("events", { session: this.session, before, last: PAGE }));
    } catch (error) {
      say(`events are missing: ${error.message}`, true);
      setTimeout(() => this.changed(), 3000); // which asks again
      return;
    } finally {
      this.asked.delete(number);
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
