// curve.js - what a session has cost by each checkpoint, against its budget; a click goes there.

import { draw, fill, make } from "./dom.js";
import { money } from "./format.js";

const WIDTH = 1000, HEIGHT = 60;
const POINTS_MAX = 200; // more would be a line of their own

export class Curve {
  constructor(go) {
    this.part = draw("rect", { class: "seen", y: 0, height: HEIGHT });
    this.picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none",
      class: "curve", role: "img" });
    this.caption = make("figcaption", { class: "quiet" });
    this.element = make("figure", {}, this.picture, this.caption);
    this.picture.addEventListener("click", (event) => {
      const box = this.picture.getBoundingClientRect();
      go(Math.max(1, Math.round(((event.clientX - box.left) / box.width) * this.last)));
    });
  }

  // `checkpoints`: newest last.
  draw(checkpoints, last, budget, total) {
    const known = checkpoints.filter((c) => !c.abandoned && c.totals?.cost_usd !== null);
    const top = Math.max(budget ?? 0, total ?? 0, ...known.map((c) => c.totals.cost_usd)) || 1;
    const x = (seq) => (seq / Math.max(1, last)) * WIDTH, y = (usd) => HEIGHT - 2 - (usd / top) * (HEIGHT - 8);
    const points = known.map((c) => `L${x(c.seq).toFixed(1)} ${y(c.totals.cost_usd).toFixed(1)}`);
    const end = total === undefined || total === null ? "" : `L${WIDTH} ${y(total).toFixed(1)}`;
    this.last = last;
    fill(this.picture, this.part,
      budget && draw("line", { class: "budget", x1: 0, x2: WIDTH, y1: y(budget), y2: y(budget) }),
      draw("path", { class: "cost", d: `M0 ${y(0)}${points.join("")}${end}` }),
      known.length <= POINTS_MAX && known.map((c) => draw("circle", { class: "point", cx: x(c.seq), cy: y(c.totals.cost_usd), r: 2 })));
    const words = `cost: ${money(total)}${budget ? ` of ${money(budget)}` : ""}`;
    this.picture.setAttribute("aria-label", words);
    this.caption.textContent = `${words}, by checkpoint`;
  }

  // The part that the timeline shows; `view`: its {first, rows}.
  see(view) {
    const x = (rows) => (Math.min(rows, this.last ?? 1) / Math.max(1, this.last ?? 1)) * WIDTH;
    this.part.setAttribute("x", x(view.first));
    this.part.setAttribute("width", Math.max(2, x(view.rows)));
  }
}
