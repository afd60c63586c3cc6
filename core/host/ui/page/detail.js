// detail.js - one event: its body, the state at that point, why policies decided so, and what
// differs from another point.

import * as api from "./api.js";
import { button, fill, make } from "./dom.js";
import { duration, money, some } from "./format.js";
import { differences, tree } from "./values.js";

const TABS = { event: "Event", state: "State", why: "Why", difference: "Difference", files: "Files" };

export class Detail {
  // `nearest(event)`: the checkpoint at or before it. `acts(event, checkpoint)`: buttons.
  constructor(events, nearest, acts) {
    this.events = events;
    this.session = events.session;
    this.nearest = nearest;
    this.acts = acts;
    this.tab = "event";
    this.mark = null; // the point to compare with
    this.body = make("div", { class: "body", role: "tabpanel", tabindex: "0" });
    this.head = make("div", { class: "head" });
    this.tabs = make("div", { role: "tablist", class: "tabs" });
    this.element = make("aside", { class: "detail", "aria-label": "the event" }, this.head, this.tabs, this.body);
    fill(this.body, make("p", { class: "quiet" }, "Choose an event: with the mouse, or with the arrow keys."));
  }

  async show(event) {
    this.shown = event;
    const checkpoint = this.nearest(event);
    fill(this.head, make("h2", {}, `${event.seq} ${event.kind}`),
      make("p", { class: "quiet" }, [event.at, event.scope, event.agent, `timeline ${event.timeline}`,
        event.abandoned && "abandoned"].filter((part) => part).join(" · ")),
      make("p", { class: "acts" }, this.#marks(checkpoint), this.acts(event, checkpoint)));
    fill(this.tabs, Object.entries(TABS).map(([name, label]) => button(label, () => this.open(name),
      { role: "tab", "aria-selected": String(name === this.tab) })));
    await this.open(this.tab);
  }

  #marks(checkpoint) {
    if (!checkpoint) return null;
    return button(this.mark === checkpoint.seq ? `compares with ${this.mark}` : `compare others with ${checkpoint.seq}`,
      async () => {
        this.mark = checkpoint.seq;
        await this.show(this.shown);
      });
  }

  async open(name) {
    const event = this.shown;
    this.tab = name;
    for (const tab of this.tabs.children)
      tab.setAttribute("aria-selected", String(tab.textContent === TABS[name]));
    let shown;
    try {
      shown = await this[name](event);
    } catch (error) {
      shown = make("p", { class: "bad" }, error.message);
    }
    if (this.shown === event && this.tab === name) fill(this.body, shown);
  }

  // An effect with both of its ends: what was asked for, its price, and what came of it.
  async event(event) {
    const other = await this.events.other(event);
    const asked = [event, other].find((one) => one?.kind === "intent");
    const came = [event, other].find((one) => one?.kind === "outcome");
    if (!other) return [this.#figures(event, came), tree("body", event.body)];
    return [this.#figures(asked ?? came, came),
      event.kind === "replay" && make("p", {}, `replayed from ${event.body.of}: not asked for or paid again`),
      asked && [make("h3", {}, `asked at ${asked.seq}`), tree("request", asked.body.request ?? asked.body)],
      came && [make("h3", {}, `came of it at ${came.seq}`), tree("outcome", came.body)]];
  }

  #figures(asked, came) {
    const body = { ...asked.body, ...came?.body };
    const took = asked.kind === "intent" && came ? Date.parse(came.at) - Date.parse(asked.at) : undefined;
    const parts = [body.kind, asked.body.request?.name ?? asked.body.request?.model, body.class, body.status,
      body.cost ? `${money(body.cost / 1e6)} paid`
        : asked.body.reserve ? `may cost ${money(asked.body.reserve / 1e6)}` : "",
      body.input_tokens !== undefined && `${body.input_tokens} + ${body.output_tokens} tokens`,
      duration(body.latency_ms ?? took)].filter((part) => part);
    return parts.length ? make("p", { class: "figures" }, parts.join(" · ")) : null;
  }

  // What was run: flow, profile, policies, as they were then.
  async files(event) {
    const found = await api.list("files", { session: this.session, at: this.nearest(event)?.id });
    if (!found.length) return make("p", { class: "quiet" }, "no file of this run was kept");
    return found.map((one) => make("details", {}, make("summary", {}, `${one.kind} `, make("code", {}, one.file),
      one.shipped && make("span", { class: "quiet" }, " of ckrun itself")),
    one.text === undefined ? make("p", { class: "quiet" }, `its text was not kept; digest ${one.digest}`)
      : make("pre", { class: "text" }, one.text)));
  }

  async state(event) {
    const checkpoint = this.nearest(event);
    if (!checkpoint) return make("p", { class: "quiet" }, "no checkpoint at or before this event");
    const found = await api.get("state", { session: this.session, at: checkpoint.id });
    return [make("p", { class: "quiet" }, `of the checkpoint at ${checkpoint.seq}: ${checkpoint.description}`),
      tree("state", found.state), tree("totals", found.checkpoint.totals, false)];
  }

  async why(event) {
    const found = await api.list("why", { session: this.session, at: event.seq });
    return found.map((one) => [
      make("p", {}, one.taken === undefined ? one.kind : one.taken ? `a checkpoint was taken${one.pruned ? ", and pruned since" : ""}` : "no checkpoint"),
      (one.answers ?? []).map((a) => make("p", {}, make("b", {}, a.policy), ` ${a.answer}${a.reason ? `: ${a.reason}` : ""}`)),
      tree("in full", one, false)]);
  }

  async difference(event) {
    const checkpoint = this.nearest(event);
    if (!this.mark) return make("p", { class: "quiet" }, "First choose an event and press “compare others with …”.");
    if (!checkpoint || checkpoint.seq === this.mark)
      return make("p", { class: "quiet" }, `the nearest checkpoint is the one at ${this.mark} itself`);
    const [from, to] = [this.mark, checkpoint.seq].sort((a, b) => a - b);
    const found = await api.get("difference", { session: this.session, from, to });
    const spent = found.spent ?? {};
    return [make("p", { class: "quiet" }, `from the checkpoint at ${from} to that at ${to}: ${money(spent.cost_usd)}, ` +
      `${some(spent.model_calls ?? 0, "model call")}, ${some(spent.tool_calls ?? 0, "tool call")}`), differences(found.keys)];
  }
}
