// Pieces of a page that are made in more than one place.

export const byId = (id) => document.getElementById(id);
export const number = (count) => count.toLocaleString("en");
export const many = (count, one, more) => `${number(count)} ${count === 1 ? one : more}`;

export function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A score as a bar and a number, in the element that they are to stand in.
export function scored(name, score) {
  const place = element(name, "", { class: "score" });
  const bar = element("span", "", { class: "score-bar" });
  bar.style.setProperty("--score", score); // by script: the content policy allows no style attribute
  place.append(bar, element("span", score.toFixed(2)));
  return place;
}
