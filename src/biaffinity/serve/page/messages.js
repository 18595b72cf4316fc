// What a page tells its reader: how things stand, what went wrong, that a key is asked for; and copies.

import { Refusal, hasKey, keepKey } from "./service.js";
import { byId } from "./elements.js";

const message = byId("alert");

export function tell(words) {
  byId("status").textContent = words;
}

export function complain(words, { again = false } = {}) {
  tell("");
  message.querySelector("p").textContent = words;
  byId("again").hidden = !again;
  message.hidden = false;
}

export function hush() {
  message.hidden = true;
}

export function refuse(error) {
  if (!(error instanceof Refusal)) {
    complain("The answer could not be shown. Reload the page and try again.");
    throw error;
  }
  const wantsKey = error.status === 401;
  byId("keys").hidden = !wantsKey;
  if (!wantsKey || hasKey()) complain(error.message, error);
  if (wantsKey) byId("key").focus();
}

// Go on with `open` whenever the reader has given a key.
export function takeKeys(open) {
  byId("keys").addEventListener("submit", (event) => {
    event.preventDefault();
    const key = byId("key").value.trim();
    if (!/^[\x21-\x7e]+$/.test(key)) {
      complain("A key has no spaces, and letters without accents only.");
      return;
    }
    keepKey(key);
    byId("key").value = "";
    open();
  });
}

export async function copy(text, button) {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyWithoutHttps(text);
  } catch {
    complain("The browser does not let this page copy. Allow it, then try again.");
    return;
  }
  const name = (button.dataset.name ??= button.textContent);
  button.textContent = "Copied";
  tell("Copied.");
  setTimeout(() => { button.textContent = name; }, 1500);
}

function copyWithoutHttps(text) {
  const put = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", put, { once: true });
  if (!document.execCommand("copy")) throw new Error("refused");
}
