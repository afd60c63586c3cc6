// timeline.js - the events as rows, of which only those that are seen are there.

import * as api from "./api.js";
import { draw, fill, make, seen } from "./dom.js";
import { clock, describe } from "./format.js";
import { shapes, widthOf, words } from "./gutter.js";

export const ROW = 20;
const BESIDE = 15; // rows above and below those that are seen
const STEP = 10; // rows that come and go together
// Browsers end somewhere: a longer list is compressed, so that its bar still reaches all of it.
const HEIGHT_MAX = 8_000_000;

export class Timeline {
  constructor(events, choose) {
    this.events = events;
    this.choose = choose;
    this.chosen = 0;
    this.there = new Map(); // seq: the row, and the event that it shows
    this.rows = make("div", { class: "rows" });
    this.gutter = draw("svg", { class: "gutter", "aria-hidden": "true" });
    this.sheet = make("div", { class: "sheet" }, this.gutter, this.rows);
    this.element = make("div", {
      class: "timeline", role: "listbox", tabindex: "0", "aria-label": "events",
      onscroll: () => this.#later(), onkeydown: (event) => this.#key(event),
      onmouseover: (event) => this.#explain(event), onclick: (event) => this.#point(event),
    }, this.sheet);
    this.resized = new ResizeObserver(() => this.#later());
    this.resized.observe(this.element);
  }

  close() {
    this.resized.disconnect();
  }

  get #scale() {
    return Math.max(1, (this.events.last * ROW) / HEIGHT_MAX);
  }

  // The first row that is seen, and how many are.
  window() {
    const rows = Math.ceil(this.element.clientHeight / ROW) || 1;
    const top = Math.floor((this.element.scrollTop * this.#scale) / ROW);
    return { first: Math.max(1, Math.min(top + 1, this.events.last - rows + 2)), rows };
  }

  atEnd() {
    const { first, rows } = this.window();
    return first + rows >= this.events.last;
  }

  #measure() {
    this.sheet.style.height = `${Math.min(this.events.last * ROW, HEIGHT_MAX)}px`;
  }

  goTo(seq) {
    const rows = this.element.clientHeight / ROW;
    this.#measure();
    this.element.scrollTop = Math.max(0, (seq - rows / 2) * ROW) / this.#scale;
    this.#later();
  }

  select(seq, quiet) {
    const { first, rows } = this.window();
    this.chosen = Math.min(Math.max(seq, 1), this.events.last);
    if (this.chosen < first || this.chosen >= first + rows - 1) this.goTo(this.chosen);
    this.#later();
    if (!quiet) this.choose(this.chosen);
  }

  #later() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      this.draw();
    });
  }

  changed() {
    this.stale = true;
    this.#later();
  }

  // As the bar moves, rows stay where they are on the sheet, unless the list is compressed.
  draw() {
    const { first, rows } = this.window(), last = this.events.last;
    const from = Math.max(1, Math.floor((first - BESIDE) / STEP) * STEP);
    const to = Math.min(last, Math.ceil((first + rows + BESIDE) / STEP) * STEP);
    const still = this.#scale === 1;
    const state = `${from} ${to} ${this.chosen} ${still}`;
    if (still && !this.stale && state === this.drawn) return;
    this.drawn = state;
    this.stale = false;
    this.#measure();
    this.#place(from, to, (still ? (first - 1) * ROW : this.element.scrollTop) - first * ROW);
    this.element.setAttribute("aria-activedescendant", `row${this.chosen}`);
  }

  // `shift`: where on the sheet the row of event 0 would be.
  #place(from, to, shift) {
    const there = new Map(), width = widthOf(this.events), top = from * ROW + shift;
    for (let seq = from; seq <= to; seq++) {
      const row = this.#row(seq);
      row.element.style.top = `${seq * ROW + shift}px`;
      there.set(seq, row);
    }
    for (const [seq, row] of this.there) if (there.get(seq) !== row) row.element.remove();
    for (const row of there.values()) if (!row.element.parentNode) this.rows.append(row.element);
    this.there = there;
    fill(this.gutter, shapes(this.events, (seq) => (seq - from) * ROW, from, to));
    this.gutter.style.top = `${top}px`;
    this.gutter.setAttribute("width", width);
    this.gutter.setAttribute("height", (to - from + 1) * ROW);
    this.rows.style.left = `${width}px`;
  }

  // The one that is there, while it shows the same.
  #row(seq) {
    const event = this.events.at(seq), old = this.there.get(seq);
    const known = this.events.known;
    const row = old && old.event === event && old.known === known ? old
      : { event, known, element: this.#make(seq, event) };
    row.element.setAttribute("aria-selected", String(seq === this.chosen));
    return row;
  }

  #make(seq, event) {
    return make("div", {
      class: `row ${event?.kind ?? "unread"} ${event?.abandoned ? "abandoned" : ""} ` +
        `${event?.body?.status ?? ""}`,
      id: `row${seq}`, role: "option", "aria-posinset": seq,
      "aria-setsize": this.events.last,
    }, make("span", { class: "seq" }, String(seq)),
    ...(event ? [make("span", { class: "at" }, clock(event.at)), make("span", { class: "kind" }, event.kind),
      make("span", { class: "agent" }, event.agent ?? (event.scope === "main" ? "" : event.scope)), make("span", { class: "text" }, describe(event)),
      make("span", { class: "unseen" }, words(this.events, event))]
      : []));
  }

  // A row, or what is drawn beside it.
  #point(event) {
    const row = event.target.closest(".row");
    const at = ({ top, bottom }) => event.clientY >= top && event.clientY < bottom;
    const found = row ? Number(row.getAttribute("aria-posinset"))
      : [...this.there].find(([, { element }]) => at(element.getBoundingClientRect()))?.[0];
    if (found) this.select(found);
  }

  // Why policies said no is asked when somebody points at it.
  async #explain(event) {
    const seq = event.target.closest?.(".hollow")?.dataset.seq;
    const title = event.target.closest?.(".hollow")?.querySelector("title");
    if (!seq || title.told) return;
    title.told = true;
    const why = await api.get("why", { session: this.events.session, at: seq }).catch(() => null);
    const answers = why?.answers?.map((a) => `${a.policy}: ${a.answer}${a.reason ? `, ${a.reason}` : ""}`);
    if (answers?.length) title.textContent += seen(` · ${answers.join("; ")}`);
  }

  #key(event) {
    const page = this.window().rows - 2, last = this.events.last;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -last, End: last };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.select((this.chosen || this.window().first) + step);
  }
}
