// The page of a store of facts: which view its address asks for, and what all views share.

import { byId, many } from "../elements.js";
import { hush, refuse, takeKeys, tell } from "../messages.js";
import { offerEntities } from "./combobox.js";
import { showDocument } from "./document.js";
import { showEntity } from "./entity.js";
import { entityItem, factItem, learnTypes } from "./pieces.js";
import { question } from "./question.js";

const AT_ONCE = 20; // entities of a search
const views = [...document.querySelectorAll(".view")];
const sought = byId("sought");
let learnt = false; // whether the types, and so their colours, are known
let shown = null; // the controller of what is being asked for the view

const view = () => new URLSearchParams(location.hash.slice(1));

function unveil(id, title) {
  for (const one of views) one.hidden = one.id !== id;
  document.title = `${title} · Biaffinity`;
}

async function showAll(signal) {
  const [summary, top] = await Promise.all([question("", {}, signal), question("top", { limit: 12 }, signal)]);
  byId("all-entities").replaceChildren(...top.entities.map((entity) => entityItem(entity)));
  byId("all-facts").replaceChildren(...top.facts.map((fact) => factItem(fact)));
  const note = byId("all-note");
  note.hidden = summary.facts > 0 && !summary.waiting;
  const waiting = many(summary.waiting, "document has", "documents have");
  note.textContent = `${summary.facts ? "" : "There are no facts yet. "}${
    summary.waiting ? `${waiting} changed since the facts were gathered; ` : ""
  }biaffinity facts update STORE gathers them.`;
  unveil("all", "Facts");
  const counts = [
    many(summary.facts, "fact", "facts"),
    many(summary.entities, "entity", "entities"),
    many(summary.documents, "document", "documents"),
  ];
  tell(`${counts[0]} about ${counts[1]} in ${counts[2]}.`);
}

async function showFound(text, signal) {
  const list = byId("found-entities");
  const more = byId("found-more");
  const ask = async (offset) => {
    const { found } = await question("search", { text, limit: AT_ONCE, offset }, signal);
    list.append(...found.map(({ entity, name }) => entityItem(entity, name)));
    more.hidden = found.length < AT_ONCE;
  };
  list.replaceChildren();
  await ask(0);
  more.onclick = () => ask(list.children.length).catch(refuse);
  sought.value = text;
  byId("found").querySelector("h2").textContent = list.children.length ? `“${text}”` : `Nothing is called “${text}”`;
  unveil("found", text);
  tell(list.children.length ? `${many(list.children.length, "entity", "entities")}${more.hidden ? "" : " and more"}.` : "");
}

async function show({ focus = true } = {}) {
  shown?.abort();
  const { signal } = (shown = new AbortController());
  const asked = view();
  hush();
  document.body.classList.add("busy");
  try {
    if (!learnt) learnTypes((await question("", {}, signal)).types);
    learnt = true;
    if (asked.has("entity")) {
      const name = await showEntity(asked, signal);
      unveil("entity", name);
    } else if (asked.has("document")) {
      await showDocument(asked, signal);
      unveil("document", asked.get("document"));
    } else if (asked.get("search")) await showFound(asked.get("search"), signal);
    else await showAll(signal);
    byId("keys").hidden = true;
    dispatchEvent(new Event("facts-shown"));
    if (focus) views.find((one) => !one.hidden).querySelector("h2").focus({ preventScroll: true });
  } catch (error) {
    if (signal.aborted) return; // by the next view
    unveil("", "Facts");
    refuse(error);
  } finally {
    if (shown?.signal === signal) document.body.classList.remove("busy");
  }
}

offerEntities(sought, (entity) => { location.hash = `entity=${entity.id}`; });
byId("seek").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = sought.value.trim();
  if (text) location.hash = new URLSearchParams({ search: text });
  else sought.focus();
});
byId("start").addEventListener("click", () => { sought.value = ""; });
byId("again").addEventListener("click", () => show());
takeKeys(show);
addEventListener("hashchange", () => {
  scrollTo(0, 0);
  show();
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  sought.focus();
});

show({ focus: false });
