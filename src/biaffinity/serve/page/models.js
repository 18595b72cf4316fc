// The models of the service, the reader's choice among them, and what the chosen one knows.

import { byId, element, many } from "./elements.js";

const MOST_NAMED = 8; // relations that are named in the line; more are counted

let models = [];
let chosen = null;

export const model = () => chosen;
export const examples = () => Object.entries(chosen.examples);

// The address of this page without a text; where there are several models it names the one chosen.
export function bareAddress() {
  const address = new URL(location.href);
  address.hash = "";
  if (models.length > 1) address.searchParams.set("model", chosen.name);
  else address.searchParams.delete("model");
  return address.href;
}

// Offer the models of the service, and begin with the one that the address names. `changed` is told which one
// was left for another. The answer is a name in the address that no model has, if there is such.
export function offerModels(listed, changed) {
  models = listed;
  const named = new URLSearchParams(location.search).get("model");
  const found = models.find(({ name }) => name === named);
  chosen = found ?? models[0];
  const label = element("label", "Model", { for: "model" });
  byId("models").replaceChildren(...(models.length > 1 ? [label, selector(changed)] : [`Model: ${chosen.name}`]));
  introduce();
  return found ? null : named;
}

function selector(changed) {
  const select = element("select", "", { id: "model", autocomplete: "off", "aria-describedby": "knows" });
  select.append(...models.map(({ name, summary }) => element("option", name, { value: name, title: summary })));
  select.value = chosen.name;
  select.addEventListener("change", () => {
    const former = chosen;
    chosen = models.find(({ name }) => name === select.value);
    history.replaceState(null, "", bareAddress());
    introduce();
    changed(former);
  });
  return select;
}

// What the model is called, what it finds, and what that means where somebody has said so.
function introduce() {
  document.title = `${chosen.name} · Biaffinity`;
  const [entities, relations] = [chosen.entity_types, chosen.relation_types];
  const names = Object.keys(relations);
  const between = names.length > MOST_NAMED ? many(names.length, "relation", "relations") : names.join(", ");
  const found = `Finds ${Object.keys(entities).join(", ")}`;
  byId("knows").textContent = `${found}${names.length ? ` and, between them, ${between}` : ""}.`;
  const all = { ...entities, ...relations };
  const told = names.length > MOST_NAMED || Object.values(all).some(({ meaning }) => meaning);
  byId("meanings").hidden = !told;
  byId("entity-meanings").replaceChildren(...Object.entries(entities).flatMap(meaning));
  byId("relation-meanings").replaceChildren(...Object.entries(relations).flatMap(meaning));
}

function meaning([name, said]) {
  const words = element("dd", ` ${said.meaning ?? ""}`);
  if (said.id) {
    const address = `https://www.wikidata.org/entity/${encodeURIComponent(said.id)}`;
    words.append(" ", element("a", said.id, { href: address, title: `${name} in Wikidata` }));
  }
  const entry = element("div");
  entry.append(element("dt", name), words);
  return entry;
}
