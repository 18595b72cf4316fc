// An entity: its names, its facts by relation with the sentences behind them, filters, its neighbours.

import { byId, element, many, number } from "../elements.js";
import { copy, refuse, tell } from "../messages.js";
import { showNaming } from "./naming.js";
import { badge, factItem } from "./pieces.js";
import { question } from "./question.js";

const AT_ONCE = 10; // facts of a relation
const NEIGHBOURS = 24; // facts of an entity that the graph was walked to
const SHOWN_NAMES = 12;
const SLIDING = 150; // milliseconds that the slider rests before the service is asked
const filters = byId("filters");
const relations = byId("relation");
const slider = byId("least");
let about = null; // what is shown
let asking = null;

// --- The address: the entity, the filters, and how far the graph was walked

function remember(changes) {
  const view = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of Object.entries(changes)) {
    if (value) view.set(name, value);
    else view.delete(name);
  }
  history.replaceState(null, "", `#${view}`);
}

const recall = () => new URLSearchParams(location.hash.slice(1));

const asFilter = (asked) => ({
  min_score: asked.get("score"),
  since: asked.get("since"),
  until: asked.get("until"),
});

// --- The view

export async function showEntity(asked, signal) {
  const answer = await ask(asked, signal);
  if (asked.get("entity") !== String(answer.entity.id)) remember({ entity: answer.entity.id }); // merged, or by name
  title();
  setFilters(asked);
  fill();
  showNaming(about.entity);
  return about.entity.name;
}

async function ask(asked, signal) {
  about = await question("about", { entity: asked.get("entity"), limit: AT_ONCE, ...asFilter(asked) }, signal);
  return about;
}

function title() {
  const { entity, names } = about;
  byId("entity-name").textContent = entity.name;
  byId("entity-type").replaceChildren(badge(entity.type));
  byId("entity-counts").textContent = `${many(entity.facts, "fact", "facts")}, ${many(entity.mentions, "mention", "mentions")} in ${many(entity.documents, "document", "documents")}`;
  const others = names.filter((name) => name !== entity.name);
  const line = byId("entity-names");
  line.hidden = !others.length;
  const more = others.length > SHOWN_NAMES ? ` and ${number(others.length - SHOWN_NAMES)} more` : "";
  line.replaceChildren("Also ", ...others.slice(0, SHOWN_NAMES).flatMap((name, index) => [
    index ? ", " : "", element("span", name, { class: "mention", dir: "auto" }),
  ]), more);
}

// --- Facts

const wanted = () => about.groups.filter(({ relation }) => !relations.value || relation === relations.value);

function fill() {
  const groups = wanted();
  byId("groups").replaceChildren(...groups.map(groupSection));
  if (!groups.length) {
    const filtered = recall().size > 1;
    byId("groups").append(element("p", filtered ? "No fact passes the filters." : "Nothing is said of it but its name.", { class: "card note" }));
  }
  const facts = groups.reduce((sum, { total }) => sum + total, 0);
  tell(`${many(facts, "fact", "facts")}.`);
  drawLater();
}

function groupSection({ relation, role, total, facts }) {
  const section = element("section", "", { class: "card group" });
  const heading = element("h3");
  const own = element("span", about.entity.name, { class: "own", dir: "auto" });
  const name = element("span", relation, { class: "type relation-type" });
  const other = element("span", "…", { class: "own" });
  heading.append(...(role === "head" ? [own, name, "→", other] : [other, name, "→", own]), element("span", number(total), { class: "count" }));
  const list = element("ol", "", { class: "facts" });
  list.append(...facts.map((fact) => factItem(fact, role)));
  section.append(heading, list);
  if (total > facts.length) section.append(moreFacts(list, { relation, role, total }));
  return section;
}

function moreFacts(list, { relation, role, total }) {
  const words = () => `${number(total - list.children.length)} more`;
  const button = element("button", words(), { type: "button", class: "more" });
  button.addEventListener("click", async () => {
    const asked = { [role]: about.entity.id, relation, limit: AT_ONCE, offset: list.children.length, ...asFilter(recall()) };
    try {
      const { facts } = await question("find", asked);
      list.append(...facts.map((fact) => factItem(fact, role)));
      if (facts.length && list.children.length < total) button.textContent = words();
      else button.remove();
    } catch (error) {
      refuse(error);
    }
  });
  return button;
}

// --- Filters: a relation is chosen among what is there; for score and time the store is asked again

function setFilters(asked) {
  const names = [...new Set(about.groups.map(({ relation }) => relation))].sort();
  const kept = asked.get("relation") ?? "";
  if (kept && !names.includes(kept)) names.push(kept);
  relations.replaceChildren(element("option", "all", { value: "" }), ...names.map((name) => element("option", name, { value: name })));
  relations.value = kept;
  slider.value = Math.round(Number(asked.get("score") ?? 0) * 100) || 0; // the browser keeps it in bounds
  byId("since").value = asked.get("since") ?? "";
  byId("until").value = asked.get("until") ?? "";
  slide();
}

function slide() {
  const score = (slider.value / 100).toFixed(2);
  byId("least-shown").textContent = score;
  slider.setAttribute("aria-valuetext", score);
}

async function filter() {
  remember({
    relation: relations.value,
    score: slider.value === "0" ? "" : (slider.value / 100).toFixed(2),
    since: byId("since").value,
    until: byId("until").value,
  });
  asking?.abort();
  const { signal } = (asking = new AbortController());
  try {
    await ask(recall(), signal);
    fill();
  } catch (error) {
    if (!signal.aborted) refuse(error);
  }
}

let resting;
slider.addEventListener("input", () => {
  slide();
  clearTimeout(resting);
  resting = setTimeout(filter, SLIDING);
});
for (const id of ["since", "until"]) byId(id).addEventListener("change", filter);
relations.addEventListener("change", () => {
  remember({ relation: relations.value });
  fill();
});
filters.addEventListener("reset", () => setTimeout(() => {
  slide();
  filter();
}, 0));
filters.addEventListener("submit", (event) => event.preventDefault());
byId("entity-link").addEventListener("click", (event) => copy(location.href, event.currentTarget));

// --- The graph, after the facts are painted: its library is large

function drawLater() {
  const shown = about;
  const facts = wanted().flatMap((group) => group.facts);
  requestAnimationFrame(() => setTimeout(async () => {
    try {
      const { draw } = await import("./graph.js");
      if (about !== shown || byId("entity").hidden) return;
      const walked = (recall().get("walk") ?? "").split(",").filter(Boolean).map(Number);
      const all = wanted().reduce((sum, { total }) => sum + total, 0);
      await draw(about.entity, facts, {
        all,
        walked,
        neighbours: (id) => question("find", { entity: id, limit: NEIGHBOURS, sentences: 1, ...asFilter(recall()) }),
        onWalk: (ids) => remember({ walk: ids.join(",") }),
      });
    } catch (error) {
      refuse(error);
    }
  }, 0));
}
