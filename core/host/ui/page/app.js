// app.js - begins, and shows what the address names: #/ the sessions, #/s/ID or #/s/ID/SEQ one.

import * as api from "./api.js";
import { fill, find, make, say, seen } from "./dom.js";
import { show as showList } from "./list.js";
import { show as showSession } from "./session.js";

let settings, end = () => {}, at = "";

function route() {
  const [, kind, id, seq] = location.hash.split("/").map(decodeURIComponent);
  const name = kind === "s" && id ? `s/${id}` : "";
  if (name === at && name) return;
  end();
  at = name || "list";
  say("");
  document.title = name ? `${id} · ckrun` : "ckrun";
  end = name ? showSession(find("view"), id, Number(seq) || 0, settings) : showList(find("view"));
}

async function begin() {
  // The token is good no more; it need not stay in the address, or in the history.
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
  settings = await api.get("settings");
  find("store").textContent = seen(settings.store);
  find("mode").textContent = settings.actions ? "" : api.isFile ? "a file" : "shows only";
  addEventListener("hashchange", route);
  if (api.isFile && !location.hash) location.hash = `#/s/${encodeURIComponent((await api.list("sessions"))[0].session)}`;
  route();
}

begin().catch((error) => fill(find("view"), make("p", { class: "bad" }, error.message)));
