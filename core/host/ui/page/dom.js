// dom.js - makes elements. Stored text becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

// Characters that are not seen, or that turn the text around them: bidirectional and other controls,
// zero-width and tag characters. They are named instead.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export function seen(text) {
  return text.replace(UNSEEN, (c) =>
    `[U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

const shown = (children) => children.flat(Infinity)
  .filter((child) => child !== undefined && child !== null && child !== false)
  .map((child) => child instanceof Node ? child : seen(String(child)));

function put(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : seen(String(value)));
  }
  element.append(...shown(children));
  return element;
}

export const make = (tag, properties, ...children) =>
  put(document.createElement(tag), properties, children);

export const draw = (tag, properties, ...children) =>
  put(document.createElementNS(SVG, tag), properties, children);

export function fill(element, ...children) {
  element.replaceChildren(...shown(children));
  return element;
}

export const find = (id) => document.getElementById(id);

export function say(text, bad) {
  const notice = find("notice");
  notice.textContent = seen(text ?? "");
  notice.className = bad ? "bad" : "";
}

// A button that runs something slow: it is off until that is done, and what fails is told.
export function button(label, action, properties) {
  const made = make("button", { type: "button", ...properties }, label);
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      await action();
    } catch (error) {
      say(error.message, true);
    }
    made.disabled = false;
    // Whoever goes by the keyboard stays where they were: what is off has no focus.
    if (document.activeElement === document.body) (made.isConnected ? made : find("view")).focus();
  });
  return made;
}

export function copyable(text) {
  return make("span", { class: "copyable" }, make("code", {}, text),
    button("copy", async () => {
      await navigator.clipboard.writeText(text);
      say("copied");
    }, { class: "small", "aria-label": `copy: ${text}` }));
}
