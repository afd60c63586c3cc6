// recorded.js - answers from the file that the page is, where it was exported as one: what the same
// requests would have had from the server then.

const element = document.getElementById("recorded");
const file = element && JSON.parse(element.textContent);
export const isFile = Boolean(file);

const answers = {
  settings: () => [{ store: `${file.session[0].session}, as it was on ${file.exported}`,
    actions: false }],
  sessions: () => file.session,
  session: () => [{ ...file.session[0], live: undefined }],
  events: ({ before, last }) => {
    const end = before === undefined ? file.events.length
      : file.events.findLastIndex((event) => event.seq < before) + 1;
    return file.events.slice(Math.max(0, end - last), end);
  },
  event: ({ seq }) => file.events.filter((event) => event.seq === seq),
  checkpoints: ({ limit }) => file.checkpoints.slice(-limit),
  why: ({ at }) => file.why.filter((one) => one.seq === at),
  state: ({ at }) => file.states.filter((one) => one.checkpoint.id === at),
};

export async function answer(path, parameters) {
  const found = answers[path]?.(parameters ?? {});
  if (found?.length || path === "events" || path === "checkpoints") return found;
  throw new Error(`not in this file (${path}): ckrun ui shows it where the store is`);
}
