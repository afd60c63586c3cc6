// branches.js - the timelines of a session as a graph beside its events: what goes on is the first
// column; what a resume or a rewind has left behind stands beside it, from where it began.

import { draw } from "./dom.js";

const COLUMN = 10;
const COLUMNS_MAX = 6; // further branches share the last one

const FAR = Number.MAX_SAFE_INTEGER;

const middle = (column) => column * COLUMN + COLUMN / 2 + 2;

export class Branches {
  // `timelines`: {timeline, parent, cut, begin}; `live`: the number of the one that goes on, which is
  // the newest.
  constructor(timelines = [], live = 0) {
    const sorted = [...timelines].sort((a, b) => a.begin - b.begin);
    this.left = []; // {base, from, to, column}: left behind `base`, the events `from` to `to`
    const reach = this.#reach(new Map(sorted.map((t) => [t.timeline, t])), live);
    sorted.forEach((t, i) => {
      const end = (sorted[i + 1]?.begin ?? FAR) - 1, kept = Math.min(end, reach.get(t.timeline) ?? 0);
      const from = Math.max(t.begin, kept + 1);
      if (from <= end) this.left.push({ base: from > t.begin ? kept : t.cut, from, to: end });
    });
    this.#place();
    const columns = Math.max(0, ...this.left.map((part) => part.column));
    this.width = columns ? (columns + 1) * COLUMN + 4 : 0;
  }

  // The last event of each timeline that is part of what goes on.
  #reach(by, live) {
    const reach = new Map();
    for (let t = by.get(live), upTo = FAR; t && !reach.has(t.timeline); t = by.get(t.parent)) {
      reach.set(t.timeline, upTo);
      upTo = t.cut;
    }
    return reach;
  }

  // One that goes on where another ends keeps its column; else the first that is free there.
  #place() {
    const ends = []; // by column, the event up to which it is taken
    for (const part of this.left) {
      const before = this.left.find((other) => other.column && other.to === part.base && ends[other.column] === part.base);
      let column = before?.column ?? 1;
      while (!before && column < COLUMNS_MAX && ends[column] >= part.base) column++;
      part.column = column;
      ends[column] = part.to;
    }
  }

  columnOf(seq) {
    return this.left.find((part) => seq >= part.from && seq <= part.to)?.column ?? 0;
  }

  // Shapes for those rows; `at` gives the top of a row.
  shapes(at, first, last) {
    if (!this.width) return [];
    const y = (seq) => at(Math.min(Math.max(seq, first - 1), last + 1)) + 10;
    const x = middle(0), drawn = [draw("line", { class: "branch", x1: x, x2: x, y1: at(first), y2: at(last + 1) })];
    for (const part of this.left.filter(({ base, to }) => base <= last && to >= first)) {
      const from = middle(this.columnOf(part.base)), to = middle(part.column);
      drawn.push(draw("path", {
        class: "branch left", "data-from": part.from, "data-to": part.to,
        d: from === to ? `M${to} ${y(part.base)}V${y(part.to)}`
          : `M${from} ${y(part.base)}L${to} ${y(part.base + 1)}V${y(part.to)}`,
      }, draw("title", {}, `left behind: ${part.from} to ${part.to}`)));
    }
    return drawn;
  }
}
