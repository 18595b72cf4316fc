// The neighbours of an entity as a graph that can be walked, with a mouse, a finger or the keyboard.

import cytoscape from "../cytoscape/cytoscape.esm.min.mjs";
import { byId, element, many, number } from "../elements.js";
import { refuse } from "../messages.js";
import { badge, entityLink, kindOf, sentenceOf } from "./pieces.js";

const MOST = 24; // neighbours of an entity that are drawn at once
const LONGEST = 22; // characters of a name on the canvas
const place = byId("graph");
const chosen = byId("chosen");
let graph = null;
let start = null; // the entity that it began with
let walked = [];
let hooks = null;

const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
const nodeId = (entity) => `e${entity}`;

// --- Colours: a canvas has no stylesheet, so the page's are read off

function style() {
  const read = getComputedStyle(document.body);
  const colour = (name) => read.getPropertyValue(`--${name}`).trim();
  const tones = [...Array(8).keys()].map((kind) => ({
    selector: `node[kind = ${kind}]`,
    style: { "background-color": colour(`fill-${kind}`), "border-color": colour(`line-${kind}`) },
  }));
  const soft = getComputedStyle(byId("graph-help")).color;
  const accent = getComputedStyle(byId("start")).color;
  const label = { color: colour("ink"), "text-background-color": getComputedStyle(place).backgroundColor, "text-background-opacity": 0.85, "text-background-padding": 2 };
  return [
    { selector: "node", style: { ...label, label: "data(label)", width: 22, height: 22, "border-width": 2, "font-size": 12, "text-valign": "bottom", "text-margin-y": 4, "font-family": "system-ui, sans-serif" } },
    ...tones,
    { selector: "node[?start]", style: { width: 34, height: 34, "font-size": 14, "font-weight": 600 } },
    { selector: "node[?walked]", style: { "border-width": 4 } },
    { selector: "edge", style: { ...label, color: soft, label: "data(label)", width: "mapData(score, 0, 1, 1, 4)", "line-color": colour("line-7"), "target-arrow-color": colour("line-7"), "target-arrow-shape": "triangle", "curve-style": "bezier", "font-size": 10, "min-zoomed-font-size": 6, "text-rotation": "autorotate" } },
    { selector: ":selected", style: { "line-color": accent, "target-arrow-color": accent, "border-color": accent, "border-width": 4 } },
  ];
}

// --- Drawing

export async function draw(entity, facts, given) {
  hooks = given;
  start = entity;
  walked = [];
  graph?.destroy();
  graph = cytoscape({
    container: place,
    style: style(),
    minZoom: 0.2,
    maxZoom: 3,
    userZoomingEnabled: false, // the wheel scrolls the page; there are buttons
    boxSelectionEnabled: false,
    selectionType: "single",
  });
  graph.on("tap", "node", ({ target }) => choose(target) && walk(target));
  graph.on("tap", "edge", ({ target }) => choose(target));
  graph.on("tap", (event) => event.target === graph && choose(null));
  addEntity(entity, { x: 0, y: 0 }).data("start", true);
  add(facts, entity.id);
  graph.fit(undefined, 24);
  choose(null);
  const drawn = Math.min(facts.length, MOST);
  byId("around-count").textContent = given.all > drawn ? `the best ${drawn} of ${number(given.all)} facts` : "";
  for (const id of given.walked) if (graph.$id(nodeId(id)).nonempty()) await walk(graph.$id(nodeId(id)), { recalled: true });
  byId("afresh").hidden = !walked.length;
}

function addEntity(entity, position) {
  const known = graph.$id(nodeId(entity.id));
  if (known.nonempty()) return known;
  return graph.add({ data: { id: nodeId(entity.id), label: short(entity.name), kind: kindOf(entity.type), entity }, position });
}

// Add facts around an entity: in a circle about the first, in a fan away from it about any other.
function add(facts, about) {
  const centre = graph.$id(nodeId(about)).position();
  const best = facts.slice(0, MOST);
  const newcomers = [...new Map(best.flatMap(({ head, tail }) => [head, tail]).map((one) => [one.id, one])).values()].filter(
    (one) => graph.$id(nodeId(one.id)).empty(),
  );
  const whole = about === start.id;
  const middle = Math.atan2(centre.y, centre.x);
  const spread = whole ? 2 * Math.PI : Math.min(Math.PI * 1.2, 0.5 * newcomers.length);
  newcomers.forEach((entity, index) => {
    const share = newcomers.length === 1 ? 0.5 : index / (whole ? newcomers.length : newcomers.length - 1);
    const angle = whole ? share * spread - 0.85 * Math.PI : middle - spread / 2 + share * spread;
    const radius = Math.max(190, 26 * newcomers.length) * (index % 2 ? 1 : 0.78);
    addEntity(entity, { x: centre.x + radius * 1.25 * Math.cos(angle), y: centre.y + radius * Math.sin(angle) });
  });
  for (const fact of best) {
    if (graph.$id(`f${fact.id}`).nonempty()) continue;
    graph.add({ data: { id: `f${fact.id}`, source: nodeId(fact.head.id), target: nodeId(fact.tail.id), label: fact.relation, score: fact.score ?? 0, fact } });
  }
  return newcomers.length;
}

// --- Walking: an entity's own neighbours join the graph

async function walk(node, { recalled = false } = {}) {
  const { id } = node.data("entity");
  if (id === start.id || walked.includes(id)) return;
  const drawn = graph;
  try {
    const { facts } = await hooks.neighbours(id);
    if (graph !== drawn) return; // another entity is shown by now
    walked.push(id);
    node.data("walked", true);
    if (add(facts, id)) settle();
    if (!recalled) hooks.onWalk(walked);
    byId("afresh").hidden = false;
    if (node.selected()) tellOf(node);
  } catch (error) {
    refuse(error);
  }
}

// Let nodes find room from where they are, then show all of them.
function settle() {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  graph.layout({ name: "cose", randomize: false, animate: still ? false : "end", animationDuration: 250, numIter: 600, idealEdgeLength: () => 90, edgeElasticity: () => 200, nodeRepulsion: () => 250_000, gravity: 0.3, nodeOverlap: 40, fit: true, padding: 24 }).run();
}

// --- What is chosen, in words below the graph

function choose(target) {
  graph.elements().unselect();
  target?.select();
  if (target) tellOf(target);
  else chosen.replaceChildren();
  return target;
}

function tellOf(target) {
  if (target.isEdge()) {
    const { fact } = target.data();
    const line = element("p");
    line.append(entityLink(fact.head), " ", element("span", fact.relation, { class: "type relation-type" }), " ", entityLink(fact.tail));
    chosen.replaceChildren(line, ...fact.evidence.map(sentenceOf));
    return;
  }
  const { entity } = target.data();
  const line = element("p");
  line.append(entityLink(entity), " ", badge(entity.type), " ", element("span", `${many(entity.facts, "fact", "facts")}, ${many(target.degree(false), "of them", "of them")} here`, { class: "support" }));
  chosen.replaceChildren(line);
}

// --- The keyboard

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

// The nearest node in a direction; what lies aside counts as farther away.
function nearest(from, [x, y]) {
  const here = from.position();
  const cost = (node) => {
    const there = node.position();
    const along = (there.x - here.x) * x + (there.y - here.y) * y;
    const aside = Math.abs((there.x - here.x) * y) + Math.abs((there.y - here.y) * x);
    return along > 0 ? along + 2 * aside : Infinity;
  };
  const best = graph.nodes().min(cost);
  return best.value === Infinity ? null : best.ele;
}

place.addEventListener("keydown", (event) => {
  if (!graph || event.ctrlKey || event.metaKey || event.altKey) return;
  const now = graph.nodes(":selected").first();
  if (event.key in ARROWS) {
    const next = now.nonempty() ? nearest(now, ARROWS[event.key]) : graph.$id(nodeId(start.id));
    if (next) choose(next);
  } else if (event.key === "Enter" && now.nonempty()) walk(now);
  else if (event.key === "Escape") choose(null);
  else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.3 : 1 / 1.3);
  else return;
  event.preventDefault();
});

function zoom(times) {
  graph?.zoom({ level: graph.zoom() * times, renderedPosition: { x: graph.width() / 2, y: graph.height() / 2 } });
}

byId("closer").addEventListener("click", () => zoom(1.3));
byId("farther").addEventListener("click", () => zoom(1 / 1.3));
byId("whole").addEventListener("click", () => graph?.fit(undefined, 24));
byId("afresh").addEventListener("click", () => {
  hooks.onWalk([]);
  const own = graph.edges().filter((edge) => [edge.data("fact").head.id, edge.data("fact").tail.id].includes(start.id));
  draw(start, own.map((edge) => edge.data("fact")), { ...hooks, walked: [] });
});

// --- Light and dark, and another width

const repaint = () => graph?.style(style());
new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
new ResizeObserver(() => {
  graph?.resize();
  graph?.fit(undefined, 24);
}).observe(place);
