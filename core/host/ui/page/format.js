// format.js - figures and events in words.

export function money(dollars) {
  if (dollars === null || dollars === undefined) return "unknown cost";
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 4 : 6;
  return `$${dollars.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

export function duration(ms) {
  if (ms === undefined || ms === null) return "";
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  const minutes = Math.floor(s / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(s % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const count = (number) => number.toLocaleString("en");

// "1 agent", "2 agents".
export const some = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

// The address of a session in this page, at one of its events.
export const linkTo = (session, seq) => `#/s/${encodeURIComponent(session)}${seq ? `/${seq}` : ""}`;

export function age(instant) {
  const s = (Date.now() - Date.parse(instant)) / 1000;
  if (s < 60) return "just now";
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  return s < 30 * 86400 ? `${Math.floor(s / 86400)} days ago` : instant.slice(0, 10);
}

export const clock = (instant) => instant.slice(11, 23);

function excerpt(value, most = 160) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

function content(message) {
  if (typeof message.content === "string" && message.content) return excerpt(message.content);
  const calls = message.tool_calls?.map((call) => call.function?.name ?? call.name);
  if (calls?.length) return `calls ${calls.join(", ")}`;
  return message.content ? excerpt(message.content) : "(empty)";
}

const request = (body) => {
  const asked = body.request ?? {};
  const name = asked.tool ?? asked.name ?? asked.model ?? "";
  const given = asked.arguments ?? asked.args ?? asked.argv ?? asked.prompt ?? asked.question;
  return [name, given === undefined ? "" : excerpt(given, 100)].filter((part) => part).join(" ");
};

const says = {
  message: (b) => `${b.message.role}: ${content(b.message)}`,
  intent: (b) => `${b.kind} ${request(b)} · ${b.key}`,
  outcome: (b) => [b.status, b.error ? excerpt(b.error) : b.message ? content(b.message)
    : b.result === undefined ? "" : excerpt(b.result), b.key].filter((part) => part).join(" · "),
  boundary: (b) => [b.kind, b.node, b.reasons?.map((r) => `${r.policy}: ${r.reason}`).join("; ")]
    .filter((part) => part).join(" · "),
  edit: (b) => `${b.key} = ${excerpt(b.value)}`,
};

export function describe(event) {
  const body = event.body ?? {};
  try {
    return says[event.kind]?.(body) ?? excerpt(body.reason ?? body.text ?? body.error ?? body);
  } catch {
    return excerpt(body);
  }
}
