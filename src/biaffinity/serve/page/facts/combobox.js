// A text box that offers the entities whose names are like what is typed; arrows choose, Enter takes.

import { element, many } from "../elements.js";
import { badge } from "./pieces.js";
import { question } from "./question.js";

const OFFERS = 8;
const PAUSE = 120; // milliseconds after a key before the service is asked
let made = 0;

export function offerEntities(input, take) {
  const list = element("ul", "", { role: "listbox", id: `offers-${(made += 1)}`, class: "offers", "aria-label": "Entities" });
  list.hidden = true;
  input.after(list);
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  })) input.setAttribute(name, value);
  let offered = [];
  let at = -1;
  let resting;
  let asking = null;

  function close() {
    clearTimeout(resting);
    asking?.abort();
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    at = -1;
  }

  function point(index) {
    at = index;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function choose(index) {
    const { entity } = offered[index];
    close();
    input.value = entity.name;
    take(entity);
  }

  function offer(found) {
    offered = found;
    const options = found.map(({ entity, name }, index) => {
      const option = element("li", "", { role: "option", id: `${list.id}-${index}`, "aria-selected": "false" });
      option.append(element("span", entity.name, { class: "mention", dir: "auto" }), badge(entity.type));
      if (name !== entity.name) option.append(element("span", `as ${name}`, { class: "support", dir: "auto" }));
      option.append(element("span", many(entity.documents, "document", "documents"), { class: "support" }));
      return option;
    });
    list.replaceChildren(...options);
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(found.length > 0));
    point(-1);
  }

  async function look() {
    const text = input.value.trim();
    if (!text) return close();
    asking?.abort();
    const { signal } = (asking = new AbortController());
    try {
      const { found } = await question("search", { text, limit: OFFERS }, signal);
      if (!signal.aborted && document.activeElement === input) offer(found);
    } catch {
      // Offers are a help and no more: what is wrong is told when the form is sent.
    }
    return undefined;
  }

  input.addEventListener("input", () => {
    clearTimeout(resting);
    resting = setTimeout(look, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const last = offered.length - 1;
    if (event.key === "Escape" && !list.hidden) close();
    else if (event.key === "Enter" && !list.hidden && at >= 0) choose(at);
    else if (event.key === "ArrowDown" && list.hidden) return void look();
    else if (event.key === "ArrowDown") point(at >= last ? 0 : at + 1);
    else if (event.key === "ArrowUp" && !list.hidden) point(at <= 0 ? last : at - 1);
    else return undefined;
    event.preventDefault();
    return undefined;
  });
  input.form.addEventListener("submit", close);
  input.addEventListener("blur", () => setTimeout(close, 0));
  list.addEventListener("pointerdown", (event) => {
    const option = event.target.closest("[role=option]");
    event.preventDefault(); // the box keeps the focus
    if (option) choose([...list.children].indexOf(option));
  });
}
