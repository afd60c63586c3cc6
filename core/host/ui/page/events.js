// events.js - the events of a session, read a page at a time and kept.

import * as api from "./api.js";

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
  }

  async open() {
    const [newest] = await api.list("events", { session: this.session, last: 1 });
    this.last = newest?.seq ?? 0;
  }

  lane(scope) {
    if (!this.lanes.has(scope)) this.lanes.set(scope, this.lanes.size);
    return this.lanes.get(scope);
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
    } catch {
      this.#keep(number, []);
    }
    this.asked.delete(number);
    this.changed();
  }

  #keep(number, events) {
    const page = [];
    for (const event of events) {
      const place = event.seq - 1 - number * PAGE;
      if (place >= 0) page[place] = event;
      this.lane(event.scope);
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
    this.lane(event.scope);
    this.last = event.seq;
    this.changed();
  }

  // What was read from `seq` on, which may have changed.
  forget(seq) {
    for (const number of this.pages.keys())
      if ((number + 1) * PAGE >= seq) this.pages.delete(number);
  }
}
