// session.js - one session: how it stands, what it has cost, its events.

import * as api from "./api.js";
import { approval, doubts, pointActs, questions, sessionActs } from "./actions.js";
import { Curve } from "./curve.js";
import { Detail } from "./detail.js";
import { fill, make, say } from "./dom.js";
import { Events } from "./events.js";
import { linkTo, some } from "./format.js";
import { legend } from "./gutter.js";
import { standing, statusMark } from "./list.js";
import { Timeline } from "./timeline.js";
import { agentRows, figures, nextCommand, relatives } from "./top.js";

const CHECKPOINTS = 2000; // the newest, for the curve and for the points to compare
const LOOK_MS = 2000, REST_MS = 10000;

class Page {
  constructor(view, id, seq, settings) {
    Object.assign(this, { view, id, settings, wanted: seq, alive: true, checkpoints: [] });
    this.events = new Events(id, () => this.timeline?.changed());
    this.timeline = new Timeline(this.events, (chosen) => this.choose(chosen));
    this.detail = new Detail(this.events, (event) => this.nearest(event),
      (event, point) => this.settings.actions
        ? pointActs(id, point, this.shown.status, () => this.look()) : null);
    this.curve = new Curve((at) => this.timeline.select(at));
    this.top = make("section", { class: "top" });
    this.figures = make("p");
    this.agents = make("table");
    this.timeline.element.addEventListener("scroll", () => this.curve.see(this.timeline.window()));
  }

  // What a rewind or a resume left behind is no state of what came after it.
  nearest(event) {
    return this.checkpoints.findLast((c) => c.seq <= event.seq &&
      (!c.abandoned || (event.abandoned && c.timeline === event.timeline)));
  }

  async open() {
    const first = [this.look(), this.events.open()];
    await Promise.all(first);
    if (!this.alive) return;
    fill(this.view, this.top, legend(), this.curve.element,
      make("div", { class: "split" }, this.timeline.element, this.detail.element));
    const at = this.wanted || this.failure() || this.events.last;
    this.timeline.goTo(at);
    if (this.wanted || this.failure()) this.timeline.select(at);
    this.drawCurve();
  }

  go(seq) {
    if (seq && seq !== this.timeline.chosen) this.timeline.select(seq);
  }

  // Where a session that failed says why.
  failure() {
    return this.shown.status === "failed" ? this.events.last : 0;
  }

  // Again and again while somebody looks: of one at rest rarely, for another process may go on.
  async look() {
    clearTimeout(this.timer);
    try {
      const shown = await api.get("session", { session: this.id });
      if (!this.alive) return;
      if (shown.checkpoints !== this.shown?.checkpoints || shown.timeline !== this.shown?.timeline)
        await this.readCheckpoints();
      this.shown = shown;
      this.events.know(shown, this.checkpoints);
      this.drawTop();
      this.drawCurve();
      this.listen();
      if (this.silent) say("");
      this.silent = false;
    } finally {
      if (this.alive && !api.isFile)
        this.timer = setTimeout(() => this.lookAgain(), this.shown?.live ? LOOK_MS : REST_MS);
    }
  }

  async readCheckpoints() {
    const points = await api.list("checkpoints", { session: this.id, limit: CHECKPOINTS });
    this.checkpoints = points.sort((a, b) => a.seq - b.seq);
  }

  // A page that nobody sees asks for nothing: a browser has six connections to a server in all.
  async lookAgain() {
    if (document.hidden) {
      this.stop?.();
      this.stop = null;
      this.timer = setTimeout(() => this.lookAgain(), LOOK_MS);
      return;
    }
    try {
      await this.look();
    } catch (error) {
      this.silent = true;
      say(`what is shown may be old: ${error.message}`, true);
    }
  }

  // What it says while it runs, and what a later run has added.
  listen() {
    if (api.isFile) return;
    if (this.stop || !this.shown.live) {
      if (!this.stop) this.catchUp();
      return;
    }
    this.catchUp();
    this.stop = api.follow(this.id, (event) => this.come(event), () => {
      this.stop = null;
    });
  }

  come(event) {
    const atEnd = this.timeline.atEnd();
    this.events.add(event);
    this.drawFigures();
    if (atEnd) this.timeline.goTo(this.events.last);
  }

  async catchUp() {
    const [newest] = await api.list("events", { session: this.id, last: 1 });
    if (this.alive && newest && newest.seq > this.events.last && this.events.last) this.come(newest);
  }

  drawFigures() {
    fill(this.figures, figures(this.shown, this.events.last));
    fill(this.agents, agentRows(this.shown));
  }

  // Anew only where something else is said, or what a person is writing there would be lost.
  drawTop() {
    const s = this.shown, refresh = () => this.look(), actions = this.settings.actions;
    this.drawFigures();
    const state = JSON.stringify([standing(s), s.live, s.reason, s.questions, s.doubts, s.next, s.agents?.length, s.forks]);
    if (state === this.drawn) return;
    this.drawn = state;
    fill(this.top, make("h1", {}, this.id, " ", statusMark(standing(s), s.live),
      actions ? make("span", { class: "acts" }, sessionActs(s, refresh)) : null),
    this.figures, relatives(s), s.reason ? make("p", { class: s.status }, s.reason) : null,
    approval(s, actions, refresh),
    questions(s, actions, refresh), doubts(s, actions, refresh),
    nextCommand(s),
    s.agents?.length ? make("details", {}, make("summary", {}, some(s.agents.length, "agent")),
      this.agents) : null);
  }

  drawCurve() {
    if (!this.shown) return;
    const totals = this.shown.totals ?? {};
    this.curve.draw(this.checkpoints, this.events.last, this.shown.limits?.budget_usd, totals.cost_usd);
    this.curve.see(this.timeline.window());
  }

  async choose(seq) {
    history.replaceState(null, "", linkTo(this.id, seq));
    const event = await this.events.read(seq) ?? await api.get("event", { session: this.id, seq });
    if (this.alive && this.timeline.chosen === seq) await this.detail.show(event);
  }

  close() {
    this.alive = false;
    clearTimeout(this.timer);
    this.timeline.close();
    this.stop?.();
  }
}

// Draws into `view`; returns what ends it.
export function show(view, id, seq, settings) {
  const page = new Page(view, id, seq, settings);
  fill(view, make("p", { class: "quiet" }, "Loading…"));
  page.open().catch((error) => fill(view, make("p", { class: "bad" }, error.message)));
  return page;
}
