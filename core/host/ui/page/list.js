// list.js - the sessions of the store: filters, totals, and a row for each.

import * as api from "./api.js";
import { button, fill, make } from "./dom.js";
import { age, count, some } from "./format.js";

const STATUSES = ["running", "paused", "waiting", "in_doubt", "failing", "failed", "completed",
  "cancelled"];
const PAGE = 200;

export const statusMark = (status, live) =>
  make("span", { class: `status ${status}` }, live === false ? `${status} (its process is gone)` : status);

function why(session) {
  return session.question ? `asks: ${session.question}`
    : session.trouble ?? session.error ?? session.reason ?? "";
}

function row(session) {
  return make("tr", {},
    make("td", {}, make("a", { href: `#/s/${encodeURIComponent(session.session)}` }, session.session)),
    make("td", {}, statusMark(session.status, session.live)),
    make("td", { title: session.updated }, age(session.updated)),
    make("td", {}, session.profile),
    make("td", { title: session.flow }, session.flow?.split("/").pop()),
    make("td", { class: "wide", title: why(session) }, why(session)));
}

function totals(sessions, more) {
  const counts = new Map();
  for (const { status } of sessions) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = STATUSES.filter((s) => counts.has(s)).map((s) => `${count(counts.get(s))} ${s}`);
  const shown = `${more ? "the newest " : ""}${some(sessions.length, "session")}`;
  return parts.length ? `${shown}: ${parts.join(", ")}` : shown;
}

const field = (label, input) => make("label", {}, label, " ", input);

function filters(wanted, apply) {
  const status = make("select", { name: "status" }, make("option", { value: "" }, "any"),
    STATUSES.map((s) => make("option", { value: s, selected: s === wanted.status }, s)));
  const text = (name, hint) =>
    make("input", { name, value: wanted[name] ?? "", placeholder: hint, autocomplete: "off" });
  const form = make("form", { class: "filters", role: "search" }, field("status", status),
    field("agent", text("agent", "any")), field("flow", text("flow", "flow.lua")),
    field("changed within", text("since", "24h")), make("button", {}, "filter"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply(Object.fromEntries(new FormData(form)));
  });
  status.addEventListener("change", () => form.requestSubmit());
  return form;
}

const HEADS = ["session", "status", "changed", "profile", "flow", "reason"];

// Draws into `view`; returns what ends it.
export function show(view) {
  const wanted = {};
  let limit = PAGE, timer, alive = true;
  const body = make("tbody"), sum = make("p", { class: "quiet", role: "status" });
  const more = button("show more", () => {
    limit *= 4;
    return load();
  });
  async function load() {
    const sessions = await api.list("sessions", { ...wanted, limit });
    if (!alive) return;
    fill(body, sessions.map(row));
    more.hidden = sessions.length < limit;
    sum.textContent = sessions.length ? totals(sessions, !more.hidden) : "no session is like that";
  }
  const reload = () => {
    clearTimeout(timer);
    return load().catch((error) => {
      sum.textContent = error.message;
    }).finally(() => {
      if (alive) timer = setTimeout(reload, 5000);
    });
  };
  fill(view, make("h1", {}, "Sessions"),
    filters(wanted, (given) => {
      Object.assign(wanted, given);
      reload();
    }),
    sum, make("table", { class: "list" },
      make("thead", {}, make("tr", {}, HEADS.map((head) => make("th", { scope: "col" }, head)))), body),
    more);
  reload();
  return {
    close() {
      alive = false;
      clearTimeout(timer);
    },
    go() {},
  };
}
