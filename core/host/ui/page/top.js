// top.js - how a session stands: figures, what each agent has spent, where it comes from and what
// was forked from it.

import { copyable, make } from "./dom.js";
import { age, count, duration, linkTo, money, some } from "./format.js";

// What its own runs have spent; of a fork the totals begin with what its origin had spent.
const own = (view) => (view.runs ?? []).reduce((sum, run) => sum + (run.cost_usd ?? 0), 0);

export function figures(view, last) {
  const totals = view.totals ?? {}, budget = view.limits?.budget_usd;
  const since = view.origin && totals.cost_usd ? `, ${money(own(view))} of it since the fork` : "";
  return [`${money(totals.cost_usd)}${budget ? ` of ${money(budget)}` : ""}${since}`,
    `${count(totals.input_tokens ?? 0)} + ${count(totals.output_tokens ?? 0)} tokens`,
    some(Math.max(view.events, last), "event"), some(view.checkpoints, "checkpoint"),
    `${duration(totals.active_ms)} active`, `changed ${age(view.updated)}`].join(" · ");
}

function agentRow(agent) {
  const limits = Object.entries(agent.limits ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
  return make("tr", {}, make("th", { scope: "row" }, agent.agent), make("td", {}, money(agent.cost_usd)),
    make("td", {}, some(agent.tokens, "token")), make("td", {}, some(agent.model_calls, "model call")),
    make("td", {}, some(agent.tool_calls, "tool call")), make("td", { class: "quiet" }, limits));
}

// What its agents have spent, which of a fork is counted anew.
export const agentRows = (view) => [
  view.origin && make("caption", { class: "quiet" }, "since the fork"), (view.agents ?? []).map(agentRow)];

export function relatives(view) {
  const { origin, forks = [] } = view;
  if (!origin && !forks.length) return null;
  const link = ({ session, cut }) => [" ", make("a", { href: linkTo(session, cut) }, session), ` at ${cut}`];
  return make("p", { class: "quiet" }, origin && ["forked from", link(origin)], origin && forks.length ? " · " : "",
    forks.length ? ["its forks:", forks.map((fork, i) => [i ? "," : "", link(fork)])] : null);
}

export const nextCommand = (view) => view.next ? make("p", {}, "next: ", copyable(view.next)) : null;
