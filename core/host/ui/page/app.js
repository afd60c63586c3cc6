// app.js - begins, and shows what the address names: #/ or #/?status=… the sessions, #/s/ID
// or #/s/ID/SEQ one.

import * as api from "./api.js";
import { fill, find, make, say, seen } from "./dom.js";
import { linkTo } from "./format.js";
import { show as showList } from "./list.js";
import { show as showSession } from "./session.js";

let settings, shown = { close() {}, go() {} }, at = "";

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function route() {
  const [, kind, id, seq] = location.hash.split("/").map(decoded);
  const name = kind === "s" && id ? `s/${id}` : "list";
  const where = name === "list" ? location.hash.replace(/^#\/?\??/, "") : Number(seq) || 0;
  if (name === at) {
    shown.go(where);
    return;
  }
  document.querySelector("dialog")?.close(); // it was about what is left
  shown.close();
  at = name;
  say("");
  document.title = name === "list" ? "ckrun" : `${id} · ckrun`;
  shown = name === "list" ? showList(find("view"), where) : showSession(find("view"), id, where, settings);
}

async function begin() {
  // The token is good no more; it need not stay in the address, or in the history.
  if (!api.isFile) api.takeKey();
  settings = await api.get("settings");
  find("store").textContent = seen(settings.store);
  find("mode").textContent = settings.actions ? "" : api.isFile ? "a file" : "shows only";
  addEventListener("hashchange", route);
  if (api.isFile && !location.hash) location.hash = linkTo((await api.list("sessions"))[0].session);
  route();
}

begin().catch((error) => fill(find("view"), make("p", { class: "bad" }, error.message)));
