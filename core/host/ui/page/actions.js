// actions.js - what the page may do with a session where the server allows it: the same commands as
// in a terminal, each confirmed where something is left or paid.

import * as api from "./api.js";
import { button, make, say } from "./dom.js";
import { duration, linkTo, money, some } from "./format.js";

// Asks in a dialog; resolves to its fields, or null. `accept`: what its button says; null: it tells
// only.
export function ask(title, content, accept) {
  return new Promise((resolve) => {
    const form = make("form", { method: "dialog" }, make("h2", {}, title), content,
      make("p", { class: "acts" }, accept && make("button", { value: "yes", class: "main" }, accept),
        make("button", { value: "", formnovalidate: true }, accept ? "cancel" : "close")));
    const dialog = make("dialog", { "aria-label": title }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? Object.fromEntries(new FormData(form)) : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function rehearsed(plan) {
  const lines = [
    `goes on from ${plan.checkpoint ? `the checkpoint at ${plan.checkpoint.seq}: ${plan.checkpoint.description}` : "its start"}`,
    `${some(plan.replayed, "outcome")} replayed, ${plan.rerun} run anew, ${plan.in_doubt} in doubt`,
    `paid again at most: ${money(plan.cost_usd)}; calls that it begins with may cost ${money(plan.reserve_usd)}`,
    ...(plan.changes ?? []).map((change) => `changed: ${typeof change === "string" ? change : JSON.stringify(change)}`),
    ...(plan.limits ?? []).map((limit) => `would stop at: ${typeof limit === "string" ? limit : JSON.stringify(limit)}`),
    ...(plan.problems ?? []).map((problem) => `problem: ${typeof problem === "string" ? problem : JSON.stringify(problem)}`),
  ];
  return make("ul", {}, lines.map((line) => make("li", {}, line)));
}

// Limits by their names in a profile: what a rehearsal says of them, as texts.
const LIMITS = {
  budget_usd: ({ budget: b }) => b && [money(b.used_usd), b.limit_usd && money(b.limit_usd)],
  time_s: ({ time: t }) => t && [duration(t.used_ms), t.limit_ms && duration(t.limit_ms)],
  ...Object.fromEntries(["rounds", "tokens", "tool_calls", "model_calls"].map((name) =>
    [name, ({ [name]: c }) => c && [String(c.used), c.limit && String(c.limit)]])),
};

// A field for each; `reason` says which one stopped it, and what would lift it.
function limitFields(constraints, reason) {
  const [, agent, lifted, by] = /--limit (\w+\.)?(\w+)=([\d.]+) lifts/.exec(reason ?? "") ?? [];
  const fields = Object.entries(LIMITS).map(([name, of]) => {
    const [used, limit] = of(constraints) ?? [];
    const value = !agent && name === lifted ? by : null;
    return make("label", {}, name, " ", make("input", { name, type: "number", min: 0, step: "any", value }),
      make("span", { class: "quiet" }, used ? ` ${used}${limit ? ` of ${limit}` : ""} used` : ""));
  });
  const other = make("label", {}, "of one agent, AGENT.NAME=N ",
    make("input", { name: "limit", value: agent && `${agent}${lifted}=${by}` }));
  return make("fieldset", { class: "limits" }, make("legend", {}, "other limits than the profile's"), fields, other);
}

async function resume(session, at, reason) {
  const plan = await api.get("rehearsal", { session, at });
  if (plan.resumable === false || plan.problems?.length) {
    await ask("It cannot go on so", rehearsed(plan), null);
    return;
  }
  const fields = await ask("Resume", [rehearsed(plan), limitFields(plan.constraints ?? {}, reason)], "resume");
  if (!fields) return;
  const said = await api.act("resume", { session, at, ...fields });
  say(said.begun ? "it runs" : `${said.status}${said.reason ? `: ${said.reason}` : ""}`);
}

async function rewind(session, at) {
  const fields = await ask(`Rewind to ${at}`, make("label", {}, "What was found out since; the next message of the user: ",
    make("textarea", { name: "report", required: true, rows: 4 })), "rewind");
  if (!fields) return;
  const done = await api.act("rewind", { session, at, report: fields.report });
  say(`goes on from ${at}: ${done.next}`);
}

async function fork(session, at) {
  const fields = await ask(`Fork at ${at}`, make("label", {}, "The fork's id (one is made otherwise): ",
    make("input", { name: "id", pattern: "[A-Za-z0-9_][A-Za-z0-9_\\-]*" })), "fork");
  if (!fields) return;
  const made = await api.act("fork", { session, at, id: fields.id });
  location.hash = linkTo(made.session);
}

const refreshing = (refresh, action) => async () => {
  await action();
  await refresh();
};

// For the session as a whole. `refresh` reads it anew.
export function sessionActs(view, refresh) {
  const session = view.session;
  if (view.live) return [button("pause", refreshing(refresh, async () => say((await api.act("pause", { session })).status)))];
  // A command with options of its own is for a terminal.
  return /^ckrun (?:--(?:store|key) (?:'[^']*'|\S+) )*resume (?:'[^']*'|\S+)$/.test(view.next ?? "")
    ? [button("resume…", refreshing(refresh, () => resume(session, undefined, view.reason)), { class: "main" })] : [];
}

function pinning(session, checkpoint, refresh) {
  const at = checkpoint.seq, label = () => checkpoint.pinned ? `unpin ${at}` : `pin ${at}`;
  const made = button(label(), refreshing(refresh, async () => {
    await api.act(checkpoint.pinned ? "unpin" : "pin", { session, at });
    checkpoint.pinned = !checkpoint.pinned;
    made.textContent = label();
    say(checkpoint.pinned ? `${at} is kept` : `${at} may be pruned again`);
  }));
  return made;
}

// For a checkpoint.
export function pointActs(session, checkpoint, status, refresh) {
  if (!checkpoint) return [];
  const at = checkpoint.seq;
  return [
    button(`fork at ${at}…`, () => fork(session, at)),
    status !== "completed" && status !== "cancelled" &&
      button(`rewind to ${at}…`, refreshing(refresh, () => rewind(session, at))),
    pinning(session, checkpoint, refresh),
  ];
}

const drafts = new Map(); // what a person has written so far, by session and effect

function answering(session, question, refresh) {
  const choices = question.options, place = `${session} ${question.effect}`;
  const send = (text) => async () => {
    await api.act("answer", { session, effect: question.effect }, text);
    drafts.delete(place);
    say("answered");
    await refresh();
  };
  const box = make("textarea", { rows: 2, "aria-label": "the answer",
    oninput: () => drafts.set(place, box.value) });
  box.value = drafts.get(place) ?? "";
  const written = () => box.value.trim() ? send(box.value)() : say("write the answer first", true);
  return choices?.length ? choices.map((choice) => button(choice, send(choice)))
    : [box, button("answer", written, { class: "main" })];
}

// Before a resume, where a policy asks for it.
export function approval(view, actions, refresh) {
  if (!view.question) return null;
  const question = { effect: "resume", options: ["allow", "deny"] };
  return make("section", { class: "question" }, make("h3", {}, view.question),
    actions ? make("p", { class: "acts" }, answering(view.session, question, refresh)) : null);
}

export function questions(view, actions, refresh) {
  const waiting = (view.questions ?? []).filter((q) => q.command && !q.answer);
  return waiting.map((q) => make("section", { class: "question" }, make("h3", {}, q.question ?? "it asks"),
    make("p", { class: "quiet" }, q.effect),
    actions ? make("p", { class: "acts" }, answering(view.session, q, refresh)) : make("code", {}, q.command)));
}

// Its intent is among the events, with what it was asked to do.
function begun(view, key) {
  const of = view.last_effects?.findLast((one) => one.effect === key);
  return of ? make("a", { href: linkTo(view.session, of.seq) },
    [of.kind, of.name, key, `begun at ${of.seq}`].filter((part) => part).join(" · ")) : key;
}

export function doubts(view, actions, refresh) {
  const said = { done: "it happened", retry: "it did not: do it", abort: "take it as failed, and tell the flow" };
  return (view.doubts ?? []).map((effect) => make("section", { class: "question" },
    make("h3", {}, "Did it happen?"), make("p", {}, begun(view, effect)),
    actions ? make("p", { class: "acts" }, Object.entries(said).map(([verdict, label]) => button(label, async () => {
      const sure = await ask(label, make("p", {}, effect), verdict);
      if (!sure) return;
      await api.act("resolve", { session: view.session, effect, verdict });
      await refresh();
    }))) : make("code", {}, `ckrun resolve ${view.session} ${effect} done`)));
}

