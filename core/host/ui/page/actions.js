// actions.js - what the page may do with a session where the server allows it: the same commands as
// in a terminal, each confirmed where something is left or paid.

import * as api from "./api.js";
import { button, make, say } from "./dom.js";
import { money, some } from "./format.js";

// Asks in a dialog; resolves to its fields, or null.
export function ask(title, content, accept) {
  return new Promise((resolve) => {
    const form = make("form", { method: "dialog" }, make("h2", {}, title), content,
      make("p", { class: "acts" }, make("button", { value: "yes", class: "main" }, accept),
        make("button", { value: "", formnovalidate: true }, "cancel")));
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
    ...(plan.limits ?? []).map((limit) => `would stop at: ${JSON.stringify(limit)}`),
    ...(plan.problems ?? []).map((problem) => `problem: ${typeof problem === "string" ? problem : JSON.stringify(problem)}`),
  ];
  return make("ul", {}, lines.map((line) => make("li", {}, line)));
}

async function resume(session, at) {
  const plan = await api.get("rehearsal", { session, at });
  if (!(await ask("Resume", rehearsed(plan), "resume"))) return;
  const said = await api.act("resume", { session, at });
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
  location.hash = `#/s/${encodeURIComponent(made.session)}`;
}

// For the session as a whole. `refresh` reads it anew.
export function sessionActs(view, refresh) {
  const session = view.session;
  const then = (action) => async () => {
    await action();
    await refresh();
  };
  if (view.live) return [button("pause", then(async () => say((await api.act("pause", { session })).status)))];
  return /^ckrun (?:--\S+ \S+ )*(?:resume|sessions resume)\b/.test(view.next ?? "")
    ? [button("resume…", then(() => resume(session)), { class: "main" })] : [];
}

// For a checkpoint.
export function pointActs(session, checkpoint, refresh) {
  if (!checkpoint) return [];
  const at = checkpoint.seq, pinned = checkpoint.pinned;
  const then = (action) => async () => {
    await action();
    await refresh();
  };
  return [
    button(`fork at ${at}…`, () => fork(session, at)),
    button(`rewind to ${at}…`, then(() => rewind(session, at))),
    button(pinned ? `unpin ${at}` : `pin ${at}`, then(async () => {
      await api.act(pinned ? "unpin" : "pin", { session, at });
      checkpoint.pinned = !pinned;
      say(pinned ? `${at} may be pruned again` : `${at} is kept`);
    })),
  ];
}

const drafts = new Map(); // what a person has written so far, by effect

function answering(session, question, refresh) {
  const choices = question.options?.map((option) => typeof option === "string" ? option : option.label ?? option.value);
  const send = (text) => async () => {
    await api.act("answer", { session, effect: question.effect }, text);
    drafts.delete(question.effect);
    say("answered");
    await refresh();
  };
  const box = make("textarea", { rows: 2, "aria-label": "the answer",
    oninput: () => drafts.set(question.effect, box.value) });
  box.value = drafts.get(question.effect) ?? "";
  return choices?.length ? choices.map((choice) => button(choice, send(choice)))
    : [box, button("answer", () => send(box.value)(), { class: "main" })];
}

export function questions(view, actions, refresh) {
  const waiting = (view.questions ?? []).filter((q) => q.command && !q.answer);
  return waiting.map((q) => make("section", { class: "question" }, make("h3", {}, q.question ?? "it asks"),
    make("p", { class: "quiet" }, q.effect),
    actions ? make("p", { class: "acts" }, answering(view.session, q, refresh)) : make("code", {}, q.command)));
}

export function doubts(view, actions, refresh) {
  const said = { done: "it happened", retry: "it did not: do it", abort: "end the session" };
  return (view.doubts ?? []).map((effect) => make("section", { class: "question" },
    make("h3", {}, "Did it happen?"), make("p", {}, effect),
    actions ? make("p", { class: "acts" }, Object.entries(said).map(([verdict, label]) => button(label, async () => {
      const sure = await ask(label, make("p", {}, effect), verdict);
      if (!sure) return;
      await api.act("resolve", { session: view.session, effect, verdict });
      await refresh();
    }))) : make("code", {}, `ckrun resolve ${view.session} ${effect} done|retry|abort`)));
}

