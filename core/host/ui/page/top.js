// top.js - how a session stands: figures, what each agent has spent, where it comes from and what
// was forked from it.

import { copyable, make } from "./dom.js";
import { age, count, duration, linkTo, money, some } from "./format.js";

// Of a fork the totals begin with what its origin had spent.
export function figures(view, last) {
  const totals = view.totals ?? {}, budget = view.limits?.budget_usd;
  const before = totals.before_fork ? `, of it ${money(totals.before_fork.cost_usd)} before the fork` : "";
  return [`${money(totals.cost_usd)}${budget ? ` of ${money(budget)}` : ""}${before}`,
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

// What its agents have spent, which of a fork is counted anew: the rest was spent before.
const beforeFork = ({ input_tokens: input, output_tokens: output, ...before }) =>
  agentRow({ agent: "before the fork", tokens: input + output, ...before });

export const agentRows = (view) => [
  (view.agents ?? []).map(agentRow), view.totals?.before_fork && beforeFork(view.totals.before_fork)];

export function relatives(view) {
  const { origin, forks = [] } = view;
  if (!origin && !forks.length) return null;
  const link = ({ session, cut }) => [" ", make("a", { href: linkTo(session, cut) }, session), ` at ${cut}`];
  return make("p", { class: "quiet" }, origin && ["forked from", link(origin)], origin && forks.length ? " · " : "",
    forks.length ? ["its forks:", forks.map((fork, i) => [i ? "," : "", link(fork)])] : null);
}

export const nextCommand = (view) => view.next ? make("p", {}, "next: ", copyable(view.next)) : null;
