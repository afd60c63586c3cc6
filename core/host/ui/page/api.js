// api.js - asks the server: each request is a command of ckrun, each answer what it prints; or the
// file that the page is.

import { answer, isFile } from "./recorded.js";

export { isFile };

function address(path, parameters) {
  const given = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `/api/${path}${query ? `?${query}` : ""}`;
}

export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// The page's key lies behind the # of the link, which no server is sent; cookies know no ports.
export function takeKey() {
  const [, key] = location.hash.match(/^#key=(\w+)$/) ?? [];
  if (key) localStorage.setItem("ckrun.key", key);
  if (key || location.search)
    history.replaceState(null, "", location.pathname + (key ? "" : location.hash));
}
const key = () => localStorage.getItem("ckrun.key") ?? "";

async function read(response) {
  const text = await response.text();
  const objects = text.split("\n").filter((line) => line).map((line) => JSON.parse(line));
  if (response.ok) return objects;
  const error = objects[0]?.error;
  throw new Refusal(response.status,
    [error?.text ?? `the server answered ${response.status}`, ...(error?.problems ?? [])].join("; "));
}

async function reach(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { "Ckrun-Page": key() } });
  } catch {
    throw new Refusal(0, "the server has ended: start 'ckrun ui' again");
  }
  return read(response);
}

// All objects that a command prints.
export const list = (path, parameters) =>
  isFile ? answer(path, parameters) : reach(address(path, parameters));
// The only one.
export const get = async (path, parameters) => (await list(path, parameters))[0];

export async function act(path, parameters, body) {
  return (await reach(address(path, parameters), { method: "POST", body: body ?? "" }))[0];
}

// Calls `each` for every event that comes, `ended` when the run has. Returns what stops it.
export function follow(session, each, ended) {
  const source = new EventSource(address("follow", { session, page: key() }));
  source.onmessage = (message) => each(JSON.parse(message.data));
  source.addEventListener("end", () => {
    source.close();
    ended();
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) ended();
  };
  return () => source.close();
}
