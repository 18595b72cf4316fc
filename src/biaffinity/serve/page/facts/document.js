// A document as it was read: every mention leads to its entity.

import { byId, element, many } from "../elements.js";
import { tell } from "../messages.js";
import { day, kindOf } from "./pieces.js";
import { question } from "./question.js";

export async function showDocument(asked, signal) {
  const document = await question("text", { document: asked.get("document") }, signal);
  byId("document").querySelector("h2").textContent = document.name;
  byId("document-about").textContent = `Read on ${day(document.time)} by ${document.model}.`;
  const [start, end] = (asked.get("sentence") ?? "").split("-").map(Number);
  byId("document-text").replaceChildren(...pieces(document, { start, end }));
  tell(`${many(document.mentions.length, "mention", "mentions")}.`);
  requestAnimationFrame(() => byId("document-text").querySelector(".stated")?.scrollIntoView({ block: "center" }));
}

// The text cut where a mention or the sentence begins or ends.
function pieces({ text, mentions }, sentence) {
  const letters = [...text];
  const cuts = [];
  let place = 0;
  for (const mention of [...mentions].sort((a, b) => a.start - b.start)) {
    if (mention.start < place) continue; // within another
    cuts.push([place, mention.start, null], [mention.start, mention.end, mention]);
    place = mention.end;
  }
  cuts.push([place, letters.length, null]);
  const within = (from) => from >= sentence.start && from < sentence.end;
  const borders = [sentence.start, sentence.end].filter(Number.isInteger);
  return cuts
    .flatMap(([from, to, mention]) => {
      if (mention) return [[from, to, mention]];
      const inner = [from, ...borders.filter((border) => border > from && border < to), to];
      return inner.slice(1).map((end, index) => [inner[index], end, null]);
    })
    .filter(([from, to]) => from < to)
    .map(([from, to, mention]) => {
      const words = letters.slice(from, to).join("");
      const piece = mention
        ? element("a", words, { href: `#entity=${mention.entity}`, class: `entity-link kind-${kindOf(mention.type)}`, title: mention.type })
        : element("span", words);
      if (within(from)) piece.classList.add("stated");
      return piece;
    });
}
