// list.js - the sessions of the store: filters, totals, and a row for each.

import * as api from "./api.js";
import { button, fill, make } from "./dom.js";
import { age, count, linkTo, some } from "./format.js";

const STATUSES = ["running", "queued", "sleeping", "retrying", "paused", "waiting", "in_doubt",
  "failing", "failed", "completed", "cancelled"];
const PAGE = 200;

// A paused session that workers go on with has a word of its own.
export const standing = (session) => session.awaits ?? session.status;
export const statusMark = (status, live) =>
  make("span", { class: `status ${status}` }, live === false ? `${status} (its process is gone)` : status);

function why(session) {
  return session.question ? `asks: ${session.question}`
    : session.trouble ?? session.error ?? session.reason ?? "";
}

function row(session) {
  return make("tr", {},
    make("td", {}, make("a", { href: linkTo(session.session) }, session.session)),
    make("td", {}, statusMark(standing(session), session.live)),
    make("td", { title: session.updated }, age(session.updated)),
    make("td", {}, session.profile),
    make("td", { title: session.flow }, session.flow?.split("/").pop()),
    make("td", { class: "wide", title: why(session) }, make("div", { class: "few" }, why(session))));
}

function totals(sessions, more) {
  const counts = new Map();
  for (const s of sessions) counts.set(standing(s), (counts.get(standing(s)) ?? 0) + 1);
  const parts = STATUSES.filter((s) => counts.has(s)).map((s) => `${count(counts.get(s))} ${s}`);
  const shown = `${more ? "the newest " : ""}${some(sessions.length, "session")}`;
  return parts.length ? `${shown}: ${parts.join(", ")}` : shown;
}

const field = (label, input) => make("label", {}, label, " ", input);

// ---- what the address keeps: #/?status=failed&find=mail&sort=-changed ----

const ASKED = ["status", "agent", "flow", "since"]; // of the store; the others are of what it answers

export const wantedOf = (query) => Object.fromEntries(new URLSearchParams(query));

function addressOf(wanted) {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value)).toString();
  return query ? `#/?${query}` : "#/";
}

// ---- order and search ----

const COLUMNS = {
  session: (s) => s.session, status: (s) => STATUSES.indexOf(standing(s)), changed: (s) => s.updated,
  profile: (s) => s.profile ?? "", flow: (s) => s.flow ?? "", reason: why,
};

function sorted(sessions, sort) {
  const name = sort?.replace(/^-/, ""), of = COLUMNS[name], turn = sort?.startsWith("-") ? -1 : 1;
  if (!Object.hasOwn(COLUMNS, name ?? "")) return sessions;
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  return [...sessions].sort((a, b) => turn * compare(of(a), of(b)));
}

function matching(sessions, words) {
  const sought = (words ?? "").toLowerCase().split(/\s+/).filter((word) => word);
  const text = (s) => [s.session, standing(s), s.profile, s.flow, why(s)].join(" ").toLowerCase();
  return sessions.filter((s) => sought.every((word) => text(s).includes(word)));
}

// ---- the page ----

class List {
  constructor(view, query) {
    this.sessions = [];
    this.alive = true;
    this.body = make("tbody");
    this.sum = make("p", { class: "quiet", role: "status" });
    this.more = button("show more", () => this.want({ limit: String(4 * this.limit) }));
    this.heads = Object.keys(COLUMNS).map((name) => make("th", { scope: "col" },
      make("button", { type: "button", class: "head", onclick: () => this.order(name) }, name)));
    this.form = this.#filters();
    fill(view, make("h1", {}, "Sessions"), this.form, this.sum,
      make("table", { class: "list" }, make("thead", {}, make("tr", {}, this.heads)), this.body), this.more);
    this.go(query);
  }

  get limit() {
    return Math.max(1, Number(this.wanted.limit) || PAGE);
  }

  #filters() {
    const text = (name, hint) => make("input", { name, placeholder: hint, autocomplete: "off" });
    const form = make("form", { class: "filters", role: "search" },
      field("find", text("find", "in what is listed")),
      field("status", make("select", { name: "status" }, make("option", { value: "" }, "any"),
        STATUSES.map((s) => make("option", { value: s }, s)))),
      field("agent", text("agent", "any")), field("flow", text("flow", "flow.lua")),
      field("changed within", text("since", "24h")), make("button", {}, "filter"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.want(Object.fromEntries(new FormData(form)));
    });
    form.elements.status.addEventListener("change", () => form.requestSubmit());
    form.elements.find.addEventListener("input", (event) => this.find(event.target.value));
    return form;
  }

  // Another view of the list is another address: back leads to the one before.
  want(changes) {
    location.hash = addressOf({ ...this.wanted, ...changes });
  }

  // Not for each letter.
  find(words) {
    this.wanted.find = words;
    history.replaceState(null, "", addressOf(this.wanted));
    this.draw();
  }

  order(name) {
    this.want({ sort: this.wanted.sort === name ? `-${name}` : name });
  }

  go(query) {
    const before = this.wanted;
    this.wanted = wantedOf(query);
    for (const input of this.form.elements)
      if (input.name && input !== document.activeElement) input.value = this.wanted[input.name] ?? "";
    const asked = (wanted) => JSON.stringify([...ASKED, "limit"].map((name) => wanted?.[name]));
    if (before && asked(before) === asked(this.wanted)) this.draw();
    else this.reload();
  }

  async load() {
    const wanted = this.wanted, asked = Object.fromEntries(ASKED.map((name) => [name, wanted[name]]));
    const sessions = await api.list("sessions", { ...asked, limit: this.limit });
    if (!this.alive || wanted !== this.wanted) return;
    this.sessions = sessions;
    this.draw();
  }

  draw() {
    const { sort, find } = this.wanted, found = matching(sorted(this.sessions, sort), find);
    const rows = found.map((session) => [JSON.stringify(session), age(session.updated)]);
    this.more.hidden = this.sessions.length < this.limit;
    this.sum.textContent = found.length ? totals(found, !this.more.hidden) : "no session is like that";
    this.heads.forEach((head) => {
      const name = head.textContent, down = sort === `-${name}`;
      if (down || sort === name) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const state = JSON.stringify(rows);
    if (state === this.drawn) return;
    this.drawn = state;
    const at = this.body.contains(document.activeElement) && document.activeElement.getAttribute("href");
    fill(this.body, found.map(row));
    if (at) [...this.body.querySelectorAll("a")].find((a) => a.getAttribute("href") === at)?.focus();
  }

  reload() {
    clearTimeout(this.timer);
    return this.load().catch((error) => {
      this.drawn = "";
      this.sum.textContent = error.message;
    }).finally(() => {
      clearTimeout(this.timer);
      if (this.alive) this.timer = setTimeout(() => this.reload(), 5000);
    });
  }

  close() {
    this.alive = false;
    clearTimeout(this.timer);
  }
}

// Draws into `view` what the address wants; returns what ends it.
export const show = (view, query) => new List(view, query);
