// Questions to the store, and what a person decides about it.

import { tell } from "../messages.js";
import { ask } from "../service.js";

const waiting = (seconds) => tell(`The service is busy. Trying again in ${seconds} s…`);

// The answer to a question by its name; what is null, undefined or empty is not said.
export function question(name, asked = {}, signal = undefined) {
  const said = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(said);
  const path = name ? `v1/facts/${name}` : "v1/facts";
  return ask(said.length ? `${path}?${query}` : path, { signal, waiting });
}

export const decide = (name, body) => ask(`v1/facts/${name}`, { body, waiting });
