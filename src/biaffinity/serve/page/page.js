// The page: its text box, its slider, its messages, and the link that brings them back.

import { Refusal, ask, hasKey, keepKey } from "./service.js";
import { clear, redraw, setLeast, show, shownDocument, summary } from "./results.js";

const byId = (id) => document.getElementById(id);
const box = byId("text");
const slider = byId("least");
const statusLine = byId("status");
const alertBox = byId("alert");
const LONGEST_LINK = 16_000; // characters; mail programs and chats cut longer ones

let mostCharacters = Infinity;
let running = null; // the controller of the request under way
let current = null; // the text that is shown, and the width it was drawn for

const number = (count) => count.toLocaleString("en");
const characters = (text) => [...text].length; // as the service counts

// --- Messages

function tell(words) {
  statusLine.textContent = words;
}

function complain(words, { again = false } = {}) {
  tell("");
  alertBox.querySelector("p").textContent = words;
  byId("again").hidden = !again;
  alertBox.hidden = false;
}

function refuse(error) {
  if (!(error instanceof Refusal)) throw error;
  byId("keys").hidden = error.status !== 401;
  if (error.status === 401) {
    if (hasKey()) complain(error.message);
    byId("key").focus();
  } else complain(error.message, error);
}

function setBusy(is) {
  document.body.classList.toggle("busy", is);
  byId("results").setAttribute("aria-busy", String(is));
  byId("extract").textContent = is ? "Reading…" : "Extract";
}

function count() {
  const length = characters(box.value);
  const bound = mostCharacters < Infinity ? ` of ${number(mostCharacters)}` : "";
  byId("count").textContent = `${number(length)}${bound} characters`;
  byId("count").classList.toggle("over", length > mostCharacters);
}

// --- Extraction

const room = () => Math.min(Math.max(Math.floor(byId("drawing").clientWidth), 200), 4000);

async function draw(text, signal) {
  byId("results").hidden = false; // what is hidden has no width
  const width = room();
  const waiting = (seconds) => tell(`The service is busy. Trying again in ${seconds} s…`);
  const { documents } = await ask("v1/extract", { body: { text, drawing: { width } }, signal, waiting });
  current = { text, width };
  return documents[0];
}

async function extract() {
  const text = box.value;
  running?.abort();
  running = null;
  alertBox.hidden = true;
  if (!text.trim()) {
    forget();
    complain("There is no text yet. Write or paste one, or try an example.");
    box.focus();
    return;
  }
  const length = characters(text);
  if (length > mostCharacters) {
    forget();
    complain(`The text has ${number(length)} characters, ${number(mostCharacters)} are read at once. Send it in parts.`);
    box.focus();
    return;
  }
  const controller = (running = new AbortController());
  setBusy(true);
  tell("Reading…");
  try {
    if (!current) clear();
    const document = await draw(text, controller.signal);
    show(document);
    byId("keys").hidden = true;
    tell(`${summary()}.`);
  } catch (error) {
    if (controller.signal.aborted) return;
    forget();
    refuse(error);
  } finally {
    if (running === controller) {
      running = null;
      setBusy(false);
    }
  }
}

function forget() {
  current = null;
  setBusy(false);
  clear();
}

// The lines of the drawing break where the window ends.
async function fit() {
  if (!current || running || room() === current.width) return;
  const controller = (running = new AbortController());
  try {
    redraw((await draw(current.text, controller.signal)).svg);
  } catch {
    // The drawing that stands is scaled by the browser until the next time.
  } finally {
    if (running === controller) running = null;
  }
}

// --- The slider

function slide() {
  const shown = (slider.value / 100).toFixed(2);
  byId("least-shown").textContent = shown;
  slider.setAttribute("aria-valuetext", shown);
  setLeast(Number(slider.value));
}

// --- The link: after the #, so that no server sees the text in an address

function link() {
  const view = new URLSearchParams({ text: current?.text ?? box.value });
  if (slider.value !== "0") view.set("score", (slider.value / 100).toFixed(2));
  return `${location.href.split("#")[0]}#${view}`;
}

function remember() {
  const address = link();
  history.replaceState(null, "", address.length <= LONGEST_LINK ? address : location.href.split("#")[0]);
}

function recall() {
  const view = new URLSearchParams(location.hash.slice(1));
  if (!view.has("text")) return false;
  const score = Math.round(Number(view.get("score")) * 100);
  box.value = view.get("text");
  slider.value = score >= 0 && score <= 100 ? score : 0;
  count();
  slide();
  extract();
  return true;
}

// --- Copies

async function copy(text, button) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else {
    // Without https there is no other way.
    document.addEventListener("copy", (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
    }, { once: true });
    document.execCommand("copy");
  }
  const name = (button.dataset.name ??= button.textContent);
  button.textContent = "Copied";
  tell("Copied.");
  setTimeout(() => { button.textContent = name; }, 1500);
}

// Pairs of numbers stay on one line. No string of JSON holds a line end, so none is changed.
const asJson = (data) => JSON.stringify(data, null, 2).replace(/\[\n\s+(\d+),\n\s+(\d+)\n\s+\]/g, "[$1, $2]");

// --- What the reader does

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  remember0();
});
