// Entities, facts and sentences as they stand on every view.

import { element, many, scored } from "../elements.js";
import { refuse } from "../messages.js";
import { question } from "./question.js";

const MORE_SENTENCES = 20;

// --- Types and their colours: given out as for drawings (show/colours.py), so that a type has one colour

const KINDS = 8;
const PREFERRED = 6;
const START = 17971;
const kinds = new Map();

function checksum(bytes) {
  let sum = ~START;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

export function learnTypes(types) {
  const names = types.map(({ name }) => name).sort();
  kinds.clear();
  const taken = () => [...kinds.values()];
  for (const name of names) {
    const kind = checksum(new TextEncoder().encode(name)) % PREFERRED;
    if (!taken().includes(kind)) kinds.set(name, kind);
  }
  const free = [...Array(KINDS).keys()].filter((kind) => !taken().includes(kind));
  for (const name of names) if (!kinds.has(name)) kinds.set(name, free.shift() ?? kinds.size % KINDS);
}

export const kindOf = (type) => kinds.get(type) ?? KINDS - 1;

export const badge = (type) => element("span", type, { class: `type entity-type kind-${kindOf(type)}` });

// --- Links

export const entityLink = (entity) =>
  element("a", entity.name, { href: `#entity=${entity.id}`, class: `entity-link kind-${kindOf(entity.type)}`, dir: "auto", title: entity.type });

export function documentLink({ document: name, start, sentence }) {
  const view = new URLSearchParams({ document: name });
  if (sentence !== undefined) view.set("sentence", `${start}-${start + [...sentence].length}`);
  return element("a", shortName(name), { href: `#${view}`, class: "source", title: name, dir: "auto" });
}

// The end of a path says more than its beginning.
function shortName(name) {
  const last = name.split("/").filter(Boolean).at(-1) ?? name;
  return last.length > 60 ? `…${last.slice(-60)}` : last;
}

export const day = (time) => time.slice(0, 10);

// --- Lists

export function entityItem(entity, foundBy = entity.name) {
  const item = element("li");
  item.append(entityLink(entity), badge(entity.type));
  const said = many(entity.documents, "document", "documents");
  item.append(element("span", foundBy === entity.name ? said : `as ${foundBy}; ${said}`, { class: "support" }));
  return item;
}

// A fact with its best sentences; the entity whose page it stands on, as head or as tail, is not named again.
export function factItem(fact, role = null) {
  const item = element("li", "", { class: "fact" });
  const line = element("div", "", { class: "line" });
  const words = element("span", "", { class: "words" });
  if (role !== "head") words.append(entityLink(fact.head));
  if (role === null) words.append(" ", element("span", fact.relation, { class: "type relation-type" }), " ");
  if (role !== "tail") words.append(entityLink(fact.tail));
  line.append(words, element("span", many(fact.documents, "document", "documents"), { class: "support" }));
  if (fact.score !== null) line.append(scored("span", fact.score));
  item.append(line, ...fact.evidence.map(sentenceOf));
  const left = fact.mentions - fact.evidence.length;
  if (left > 0) item.append(moreSentences(item, fact, left));
  return item;
}

function moreSentences(item, fact, left) {
  const button = element("button", `${many(left, "more sentence", "more sentences")}`, { type: "button", class: "plain more" });
  let offset = fact.evidence.length;
  button.addEventListener("click", async () => {
    try {
      const { evidence } = await question("evidence", { fact: fact.id, limit: MORE_SENTENCES, offset });
      offset += evidence.length;
      button.before(...evidence.map(sentenceOf));
      const rest = fact.mentions - offset;
      if (rest > 0 && evidence.length) button.textContent = many(rest, "more sentence", "more sentences");
      else button.remove();
    } catch (error) {
      refuse(error);
    }
  });
  return button;
}

// A sentence with the two names that the fact is about marked in it.
export function sentenceOf(evidence) {
  const quoted = element("blockquote", "", { dir: "auto" });
  const letters = [...evidence.sentence]; // offsets count characters, strings of this language do not
  const text = (from, to) => letters.slice(from, to).join("");
  const marks = [["head", evidence.head], ["tail", evidence.tail]].sort(([, a], [, b]) => a.start - b.start);
  let place = 0;
  for (const [role, { start, end }] of marks) {
    if (start < place) continue; // one name within the other
    quoted.append(text(place, start), element("mark", text(start, end), { class: role }));
    place = end;
  }
  quoted.append(text(place), " ");
  const source = element("span", "", { class: "cited" });
  source.append(documentLink(evidence), ` ${day(evidence.time)}`);
  if (evidence.score !== null) source.append(`, ${evidence.score.toFixed(2)}`);
  quoted.append(source);
  return quoted;
}
