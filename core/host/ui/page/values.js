// values.js - a JSON value as a tree that opens, and the differences of two.

import { make } from "./dom.js";

const MANY = 200; // members that are shown at once

function leaf(value) {
  const kind = value === null ? "null" : typeof value;
  const text = kind === "string" ? value : String(value);
  return make(text.includes("\n") ? "pre" : "span", { class: `value ${kind}` }, text);
}

function branch(label, value, open) {
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const made = make("details", { open }, make("summary", {}, label, " ", make("span", { class: "quiet" }, size)));
  let shown = 0;
  const more = () => {
    for (const [name, member] of entries.slice(shown, shown + MANY)) made.append(tree(name, member, false));
    shown += MANY;
    if (shown < entries.length) {
      const rest = make("button", { type: "button", class: "small" }, `${entries.length - shown} more`);
      rest.addEventListener("click", () => {
        rest.remove();
        more();
      });
      made.append(rest);
    }
  };
  const begin = () => {
    if (made.open && !shown) more();
  };
  made.addEventListener("toggle", begin);
  begin();
  return made;
}

export function tree(name, value, open = true) {
  const label = make("span", { class: "name" }, name);
  if (value !== null && typeof value === "object") return branch(label, value, open);
  return make("div", { class: "leaf" }, label, " ", leaf(value));
}

function change(one) {
  const words = { add: "added", remove: "removed", replace: "changed" };
  return make("tr", {}, make("td", {}, words[one.op] ?? one.op), make("td", { class: "path" }, one.path || "/"),
    make("td", { class: "old" }, one.old === undefined ? "" : tree("", one.old, false)),
    make("td", { class: "new" }, one.value === undefined ? "" : tree("", one.value, false)));
}

export function differences(keys) {
  if (!keys.length) return make("p", { class: "quiet" }, "the state is the same");
  return keys.map((key) => make("section", {}, make("h4", {}, key.key, " ", make("span", { class: "quiet" }, key.change)),
    key.differences ? make("table", { class: "changes" }, key.differences.map(change))
      : tree(key.change === "removed" ? "was" : "is", key.old ?? key.value)));
}
