// Why an entity has its names; those who have a key can take one away, or make two entities one.

import { byId, element, many } from "../elements.js";
import { refuse, tell } from "../messages.js";
import { hasKey } from "../service.js";
import { offerEntities } from "./combobox.js";
import { documentLink } from "./pieces.js";
import { decide, question } from "./question.js";

const naming = byId("naming");
const merging = byId("merging");
let entity = null;
let other = null; // what it is to be merged with

const RULES = {
  acronym: ({ name, other: long }) => `${name} is introduced as ${long}`,
  "short name": ({ name, other: long }) => `${name} stands for ${long}`,
  alias: ({ name, other: one }) => `the list of aliases says that ${name} is ${one}`,
  similar: ({ name, other: one, similarity }) => `${name} and ${one} are alike (${similarity?.toFixed(2)})`,
  merged: ({ name, other: one }) => `a person said that ${name} is ${one}`,
  split: ({ name, other: one }) => `a person said that ${name} is not ${one}`,
};

export function showNaming(shown) {
  entity = shown;
  naming.open = false;
  byId("names").replaceChildren();
  forgetOther();
}

function forgetOther() {
  other = null;
  byId("other").value = "";
  byId("merge").disabled = true;
}

naming.addEventListener("toggle", async () => {
  if (!naming.open || !entity) return;
  try {
    fill(await question("why", { entity: entity.id }));
  } catch (error) {
    refuse(error);
  }
});

function fill({ names, reasons }) {
  byId("names").replaceChildren(...names.map((name) => nameItem(name, names.length > 1)));
  byId("reasons").replaceChildren(...reasons.map(reasonItem));
  merging.hidden = !hasKey();
}

function nameItem(name, splittable) {
  const item = element("li");
  item.append(element("span", name.name, { class: "mention", dir: "auto" }), element("span", many(name.mentions, "mention", "mentions"), { class: "support" }));
  const others = name.written.filter((written) => written !== name.name);
  if (others.length) item.append(element("span", `also written ${others.join(", ")}`, { class: "support", dir: "auto" }));
  if (splittable) item.append(...splitButton(name.name, name.id));
  return item;
}

function reasonItem(reason) {
  const item = element("li");
  const words = element("span", RULES[reason.rule]?.(reason) ?? `${reason.name}: ${reason.rule} of ${reason.other}`);
  item.append(words);
  if (!reason.together && reason.rule !== "split") words.append(", but they were kept apart");
  if (!reason.document) return item;
  words.append(` in ${many(reason.documents, "document", "documents")}, such as `, documentLink({ document: reason.document }));
  item.append(...splitButton(reason.name, reason.name)); // a short name is no name of its own, and has no id here
  return item;
}

function splitButton(name, key) {
  if (!hasKey()) return [];
  const button = element("button", "Split off", { type: "button", "aria-label": `Split off ${name}` });
  button.addEventListener("click", () => split(name, key));
  return [button];
}

// --- What a person decides

async function change(name, body, words) {
  try {
    const answer = await decide(name, body);
    dispatchEvent(new HashChangeEvent("hashchange")); // the view as it is now
    tellLater(words(answer));
  } catch (error) {
    refuse(error);
  }
}

const tellLater = (words) => addEventListener("facts-shown", () => tell(words), { once: true });

const split = (name, key) =>
  change("split", { entity: entity.id, name: key }, (answer) => `${name} is an entity of its own now, with ${many(answer.split.mentions, "mention", "mentions")}.`);

merging.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!other) return;
  const one = other;
  change("merge", { one: entity.id, other: one.id }, (answer) => `${one.name} and ${entity.name} are one now: ${answer.entity.name}.`);
});

offerEntities(byId("other"), (found) => {
  other = found;
  byId("merge").disabled = found.id === entity.id;
});
byId("other").addEventListener("input", () => {
  other = null;
  byId("merge").disabled = true;
});
