// The page: its text box, its slider, its messages, and the link that brings them back.

import { byId, number } from "./elements.js";
import { complain, copy, hush, refuse, takeKeys, tell } from "./messages.js";
import { bareAddress, examples, model, offerModels } from "./models.js";
import { clear, setLeast, show, shownDocument, summary } from "./results.js";
import { Refusal, ask } from "./service.js";

const box = byId("text");
const slider = byId("least");
const unlikely = byId("unlikely");
const UNLIKELY = { relations: 0.05 }; // the least score of what the model does not decide for
const LONGEST_LINK = 16_000; // characters; mail and chat programs cut longer ones

let bounds = null; // what the service says of itself
let running = null; // the controller of the request under way
let current = null; // the text that is shown, and the width that it was drawn for

const characters = (text) => [...text].length; // as the service counts them

function setBusy(is) {
  document.body.classList.toggle("busy", is);
  byId("results").setAttribute("aria-busy", String(is));
  byId("extract").textContent = is ? "Reading…" : "Extract";
}

function count() {
  const length = characters(box.value);
  const bound = bounds ? ` of ${number(bounds.max_chars)}` : "";
  byId("count").textContent = `${number(length)}${bound} characters`;
  byId("count").classList.toggle("over", Boolean(bounds) && length > bounds.max_chars);
}

// --- Extraction

// What is wrong with a text before it is sent, in words.
function fault(text) {
  if (!text.trim()) return "There is no text yet. Write or paste one.";
  const length = characters(text);
  if (!bounds || length <= bounds.max_chars) return "";
  return `The text has ${number(length)} characters; ${number(bounds.max_chars)} are read at once. Send it in parts.`;
}

async function draw(text, signal) {
  const width = Math.min(Math.max(box.offsetWidth, 200), 4000); // the text box is as wide as the drawing
  const waiting = (seconds) => tell(`The service is busy. Trying again in ${seconds} s…`);
  const body = { text, model: model().name, drawing: { width }, ...(unlikely.checked && { min_score: UNLIKELY }) };
  const { documents } = await ask("v1/extract", { body, signal, waiting });
  current = { text, width };
  return documents[0];
}

function forget() {
  current = null;
  clear();
}

async function extract() {
  const text = box.value;
  running?.abort();
  const controller = (running = new AbortController());
  hush();
  try {
    const words = fault(text);
    if (words) throw new Refusal(words);
    setBusy(true);
    tell("Reading…");
    show(await draw(text, controller.signal));
    tell(`${summary()}.`);
    byId("keys").hidden = true;
  } catch (error) {
    if (controller.signal.aborted) return; // by the next one, which goes on from here
    forget();
    refuse(error);
  } finally {
    if (running === controller) {
      running = null;
      setBusy(false);
      fit();
    }
  }
}

// The lines of the drawing break where the window ends.
async function fit() {
  if (!current || running || box.offsetWidth === current.width) return;
  const controller = (running = new AbortController());
  try {
    show(await draw(current.text, controller.signal));
  } catch {
    // The drawing that stands is scaled by the browser.
  } finally {
    if (running === controller) running = null;
  }
}

// --- The slider

function slide() {
  const score = (slider.value / 100).toFixed(2);
  byId("least-shown").textContent = score;
  slider.setAttribute("aria-valuetext", score);
  setLeast(Number(slider.value));
}

// --- The link: after its #, so that no server sees the text in an address

function link() {
  const view = new URLSearchParams({ text: current.text });
  if (slider.value !== "0") view.set("score", (slider.value / 100).toFixed(2));
  if (unlikely.checked) view.set("unlikely", "yes");
  return `${bareAddress()}#${view}`;
}

function remember() {
  if (!current) return;
  const address = link();
  history.replaceState(null, "", address.length <= LONGEST_LINK ? address : bareAddress());
}

// The view of the address, if it holds one.
function recall() {
  const view = new URLSearchParams(location.hash.slice(1));
  if (!view.has("text")) return false;
  box.value = view.get("text");
  slider.value = Math.round(Number(view.get("score") ?? 0) * 100) || 0; // the browser keeps it in bounds
  unlikely.checked = view.has("unlikely");
  slide();
  return true;
}

// --- Copies

// Pairs of numbers stay on one line. No string in JSON holds a line end, so none is changed.
const asJson = (data) => JSON.stringify(data, null, 2).replace(/\[\n\s+(\d+),\n\s+(\d+)\n\s+\]/g, "[$1, $2]");

// --- From the start, and what the reader does

async function open() {
  hush();
  let listed;
  try {
    [bounds, listed] = await Promise.all([ask("v1/model"), ask("v1/models")]);
  } catch (error) {
    refuse(error);
    return;
  }
  byId("keys").hidden = true;
  byId("facts").hidden = !bounds.facts;
  const missing = offerModels(listed.models, change);
  offerExamples();
  if (!box.value && !recall()) box.value = firstExample();
  count();
  if (box.value) await extract();
  else box.focus();
  if (missing) complain(`This service has no model “${missing}”. You see what ${model().name} finds.`);
}

const firstExample = () => examples()[0]?.[1] ?? "";

// Another model reads the reader's text, too; an example of the former one gives way to its own.
function change(former) {
  const isOwn = box.value.trim() && !Object.values(former.examples).includes(box.value);
  if (!isOwn) box.value = firstExample() || box.value;
  offerExamples();
  count();
  extractAndRemember();
}

function offerExamples() {
  const buttons = examples().map(([name, text]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      box.value = text;
      count();
      extractAndRemember();
    });
    return button;
  });
  const label = document.createElement("span");
  label.textContent = "Try";
  byId("examples").replaceChildren(...(buttons.length ? [label, ...buttons] : []));
}

async function extractAndRemember() {
  await extract();
  remember();
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  extractAndRemember();
});
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("ask").requestSubmit();
});
box.addEventListener("input", count);
slider.addEventListener("input", () => {
  slide();
  tell(`${summary()}.`);
});
slider.addEventListener("change", remember);
unlikely.addEventListener("change", extractAndRemember);
takeKeys(open);
byId("again").addEventListener("click", () => (bounds ? extractAndRemember() : open()));
byId("copy-json").addEventListener("click", (event) => copy(asJson(shownDocument()), event.currentTarget));
byId("copy-link").addEventListener("click", (event) => {
  if (link().length <= LONGEST_LINK) copy(link(), event.currentTarget);
  else complain("The text is too long for a link. Send it as a file, or copy the result as JSON.");
});
addEventListener("hashchange", () => {
  if (!recall()) return;
  count();
  extract();
});

let resting;
new ResizeObserver(() => {
  clearTimeout(resting);
  resting = setTimeout(fit, 150);
}).observe(box);
if (/Mac|iPhone|iPad/.test(navigator.platform)) {
  document.querySelectorAll(".command").forEach((key) => { key.textContent = "⌘"; });
}

slide();
open();
