// Requests to the service, and its refusals in words.

const KEY = "biaffinity-key";
const TRIES = 4; // of a request that is told to come again
const LONGEST_WAIT = 30; // seconds that are worth waiting for by itself

export class Refusal extends Error {
  constructor(message, { status = 0, again = false } = {}) {
    super(message);
    this.status = status;
    this.again = again; // whether the same request may do better later
  }
}

// A browser that keeps nothing for a page throws; the key then lasts until the page is left.
const attempt = (action) => {
  try {
    return action();
  } catch {
    return null;
  }
};
let key = attempt(() => sessionStorage.getItem(KEY));
export const hasKey = () => key !== null;

export function keepKey(given) {
  key = given;
  attempt(() => sessionStorage.setItem(KEY, given));
}

const sentence = (words) => {
  const text = words.trim();
  return text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
};

function inWords(response, problem) {
  const { status } = response;
  const said = sentence(problem.message ?? `The service answered with status ${status}`);
  if (status === 401) return hasKey() ? "The service does not know this key." : "This service asks for a key.";
  if (status === 413) return `${said} Send it in parts.`;
  if (status === 422) return problem.where ? `${said} (${problem.where})` : said;
  if (status === 429) return "The service is too busy now.";
  if (status === 504) return "The service did not finish in time. A shorter text may do.";
  if (status === 500) {
    const name = response.headers.get("X-Request-Id");
    return said + (name ? ` Its operator finds the reason in the log, at ${name}.` : "");
  }
  return said;
}

const pause = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });

async function send(path, { body, signal }) {
  const headers = {};
  if (hasKey()) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const method = body === undefined ? "GET" : "POST";
    return await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal("The service cannot be reached. See that it is running and that you are online.", { again: true });
  }
}

// The answer as data. `waiting` is told the seconds before each further try of a busy service.
export async function ask(path, { body, signal, waiting = () => {} } = {}) {
  for (let left = TRIES - 1; ; left -= 1) {
    const response = await send(path, { body, signal });
    if (response.ok) return response.json();
    const answer = await response.json().catch(() => ({})); // a proxy may answer in its own way
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    const { status } = response;
    if (status !== 429 || !left || seconds > LONGEST_WAIT) {
      throw new Refusal(inWords(response, answer.error ?? {}), { status, again: status === 429 || status >= 500 });
    }
    waiting(seconds);
    await pause(seconds, signal);
  }
}
