// What was found: the drawing, the tables, what they show at a score, and how they point at each other.

import { byId, element, many, number, scored } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";
const drawing = byId("drawing");
const results = byId("results");
const tables = { relation: byId("relations").tBodies[0], entity: byId("entities").tBodies[0] };
const counters = { relation: byId("relations-count"), entity: byId("entities-count") };
const groups = [drawing, tables.relation, tables.entity]; // each is one stop of the tab key

let found = { entities: [], relations: [] };
// For every entity and relation its parts: a row, and a group of the drawing.
let parts = { entity: [], relation: [] };
let least = 0;
let pointed = null; // what the mouse is at
let lit = []; // the parts that stand out

const hundredths = (score) => Math.round(score * 100);
const list = (kind) => (kind === "entity" ? found.entities : found.relations);

// A score counts as it is read, with two decimals. A relation needs both its entities.
function isShown(kind, index) {
  const item = list(kind)[index];
  if (hundredths(item.score) < least) return false;
  return kind === "entity" || (isShown("entity", item.head) && isShown("entity", item.tail));
}

const mention = (index) => element("td", found.entities[index].text, { dir: "auto", class: "mention" });

function typed(kind, index) {
  const cell = element("td");
  cell.append(element("span", list(kind)[index].type, { class: `type ${kind}-type ${colourOf(kind, index)}` }));
  return cell;
}

// The drawing has given every type its colour; the tables follow it.
function colourOf(kind, index) {
  const group = parts[kind][index]?.find((part) => part.namespaceURI === SVG);
  return [...(group?.classList ?? [])].find((name) => name.startsWith("kind-")) ?? "kind-7";
}

function place(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (parsed.namespaceURI !== SVG || parsed.localName !== "svg") throw new Error("not a drawing");
  const drawn = document.importNode(parsed, true);
  for (const group of drawn.querySelectorAll(".entity, .relation")) {
    group.setAttribute("tabindex", "-1");
    group.setAttribute("role", "img");
    const { entity, relation } = group.dataset;
    parts[entity === undefined ? "relation" : "entity"][Number(entity ?? relation)].push(group);
  }
  for (const arc of drawn.querySelectorAll(".arc")) {
    const wide = arc.cloneNode(); // unseen; a thin line is hard to point at
    wide.setAttribute("class", "reach");
    arc.before(wide);
  }
  drawing.replaceChildren(drawn);
}

function fill() {
  for (const [kind, body] of Object.entries(tables)) {
    const rows = list(kind).map((item, index) => {
      const row = element("tr", "", { tabindex: "-1", [`data-${kind}`]: index });
      row.append(mention(kind === "entity" ? index : item.head), typed(kind, index));
      if (kind === "relation") row.append(mention(item.tail));
      row.append(scored("td", item.score));
      parts[kind][index].unshift(row);
      return row;
    });
    body.replaceChildren(...rows);
  }
}

// Show a document of the service's answer.
export function show(answered) {
  found = answered;
  parts = { entity: found.entities.map(() => []), relation: found.relations.map(() => []) };
  lit = [];
  pointed = null;
  setHidden(false);
  place(found.svg);
  fill();
  apply();
}

export function clear() {
  setHidden(true);
}

function setHidden(is) {
  results.hidden = is;
  byId("tools").hidden = is;
}

// Hide what scores less than so many hundredths.
export function setLeast(value) {
  least = value;
  apply();
}

function apply() {
  for (const kind of ["entity", "relation"]) {
    parts[kind].forEach((both, index) => {
      const below = !isShown(kind, index);
      for (const part of both) part.classList.toggle("below", below);
    });
    const shown = countShown(kind);
    const all = number(parts[kind].length);
    counters[kind].textContent = number(shown) === all ? all : `${number(shown)} of ${all}`;
    tables[kind].parentElement.classList.toggle("none", !shown);
  }
  for (const group of groups) settle(group);
  light();
}

const countShown = (kind) => parts[kind].filter((_, index) => isShown(kind, index)).length;

// How many entities and relations are shown, in words.
export function summary() {
  const entities = many(countShown("entity"), "entity", "entities");
  return `${entities} and ${many(countShown("relation"), "relation", "relations")}`;
}

// What is shown, as the service would answer.
export function shownDocument() {
  const { svg, ...rest } = found;
  const places = new Map();
  const entities = found.entities.filter((_, index) => isShown("entity", index) && places.set(index, places.size));
  const relations = found.relations
    .filter((_, index) => isShown("relation", index))
    .map((relation) => ({ ...relation, head: places.get(relation.head), tail: places.get(relation.tail) }));
  return { ...rest, entities, relations };
}

// --- Pointing: a row lights up its arc, an arc its row, and both the entities that they join.

function targetOf(node) {
  const at = node && node.closest?.("[data-relation], [data-entity], [data-mention]");
  if (!at) return null;
  const { relation, entity, mention } = at.dataset;
  if (relation !== undefined) return { kind: "relation", index: Number(relation) };
  if (entity !== undefined) return { kind: "entity", index: Number(entity) };
  const index = mention.split(" ").map(Number).find((inner) => isShown("entity", inner));
  return index === undefined ? null : { kind: "entity", index };
}

function neighbours({ kind, index }) {
  if (kind === "relation") {
    const { head, tail } = found.relations[index];
    return [["entity", head], ["entity", tail]];
  }
  return found.relations.flatMap(({ head, tail }, relation) => {
    const joined = (head === index || tail === index) && isShown("relation", relation);
    return joined ? [["relation", relation], ["entity", head === index ? tail : head]] : [];
  });
}

function light() {
  for (const part of lit) part.classList.remove("lit", "near");
  const at = pointed ?? targetOf(results.contains(document.activeElement) && document.activeElement);
  const is = at && isShown(at.kind, at.index) ? at : null;
  drawing.classList.toggle("pointed", Boolean(is));
  lit = [];
  if (!is) return;
  for (const [kind, index] of neighbours(is)) lit.push(...parts[kind][index]);
  for (const part of lit) part.classList.add("near");
  for (const part of parts[is.kind][is.index]) {
    part.classList.add("lit");
    lit.push(part);
  }
}

const same = (a, b) => a?.kind === b?.kind && a?.index === b?.index;

function point(target) {
  if (same(target, pointed)) return;
  pointed = target;
  light();
}

results.addEventListener("pointerover", (event) => point(targetOf(event.target)));
results.addEventListener("pointerleave", () => point(null));
results.addEventListener("click", (event) => {
  const at = event.target.closest("tr") && targetOf(event.target);
  if (at) parts[at.kind][at.index][1]?.scrollIntoView({ block: "nearest" });
});
results.addEventListener("focusin", (event) => {
  pointed = null;
  const group = groups.find((one) => one.contains(event.target));
  if (group) settle(group, event.target);
  light();
});
results.addEventListener("focusout", () => queueMicrotask(light));

// --- Keys: within a drawing or a table the arrows move.

const itemsOf = (group) => [...group.querySelectorAll("[tabindex]:not(.below)")];

function settle(group, wanted = group.querySelector("[tabindex='0']:not(.below)")) {
  for (const item of group.querySelectorAll("[tabindex='0']")) item.setAttribute("tabindex", "-1");
  (wanted ?? group.querySelector("[tabindex]:not(.below)"))?.setAttribute("tabindex", "0");
}

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

results.addEventListener("keydown", (event) => {
  const group = groups.find((one) => one.contains(event.target));
  if (!group || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in STEPS) {
    const items = itemsOf(group);
    const here = items.indexOf(event.target.closest("[tabindex]"));
    items[Math.min(Math.max(here + STEPS[event.key], 0), items.length - 1)]?.focus();
  } else if (event.key === "Enter") {
    const at = targetOf(event.target);
    parts[at.kind][at.index].find((part) => part !== event.target)?.focus();
  } else if (event.key === "Escape") {
    event.target.blur();
  } else return;
  event.preventDefault();
});
