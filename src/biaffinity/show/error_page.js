"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const search = document.getElementById("search");
  const only = document.getElementById("only");
  const status = document.getElementById("status");
  const kinds = all("button[data-kind]");
  const labels = all("button[data-label]");
  const cells = all("button.cell");
  const sentences = all("article").map((article) => ({
    article,
    items: all(".verdicts li", article).map((line) => ({ line, ...line.dataset })),
  }));

  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  const press = (button, down) => button.setAttribute("aria-pressed", String(down));
  const chosen = (buttons, task, field) =>
    new Set(buttons.filter((b) => pressed(b) && b.dataset.task === task).map((b) => b.dataset[field]));

  // What is asked of the items of a task; nothing asked of either task means both are looked at.
  function asked(task) {
    const cell = cells.find((b) => pressed(b) && b.dataset.task === task);
    const wanted = { cell, kinds: chosen(kinds, task, "kind"), labels: chosen(labels, task, "label") };
    wanted.active = Boolean(cell || wanted.kinds.size || wanted.labels.size);
    return wanted;
  }

  const fits = {
    // A chosen cell or kind says what is wanted, correct items included; otherwise the checkbox does.
    kind: (item, wanted) =>
      wanted.kinds.size ? wanted.kinds.has(item.kind) : wanted.cell || !only.checked || item.kind !== "correct",
    label: (item, wanted) =>
      !wanted.labels.size || wanted.labels.has(item.gold) || wanted.labels.has(item.predicted),
    cell: (item, wanted) =>
      !wanted.cell ||
      (wanted.cell.dataset.gold === item.gold && wanted.cell.dataset.predicted === item.predicted),
  };

  // The parts of the two drawings that a verdict is about.
  function drawn(article, item) {
    const places = [["gold", item.g], ["predicted", item.p]].filter(([, place]) => place !== undefined);
    return places.flatMap(([side, place]) =>
      all(`figure[data-side="${side}"] [data-${item.task}="${place}"]`, article));
  }

  function apply() {
    const wanted = { entity: asked("entity"), relation: asked("relation") };
    const active = wanted.entity.active || wanted.relation.active;
    const words = search.value.trim().toLowerCase();
    const counts = new Map();
    const add = (...key) => counts.set(key.join("\n"), (counts.get(key.join("\n")) || 0) + 1);
    let shown = 0;
    let found = 0;
    for (const { article, items } of sentences) {
      const { id, text } = article.dataset;
      const named = !words || text.includes(words) || id.toLowerCase() === words;
      let matches = 0;
      for (const item of items) {
        const of = wanted[item.task];
        const [kind, label, cell] = [fits.kind(item, of), fits.label(item, of), fits.cell(item, of)];
        if (named && label && cell) add(item.task, "kind", item.kind);
        if (named && kind && cell) {
          for (const name of new Set([item.gold, item.predicted])) add(item.task, "label", name);
        }
        item.match = kind && label && cell && (of.active || !active);
        matches += item.match;
      }
      const show = named && (matches > 0 || !(active || only.checked));
      article.hidden = !show;
      if (!show) continue;
      shown += 1;
      found += matches;
      for (const item of items) {
        item.line.classList.toggle("match", active && item.match);
        item.parts ||= active ? drawn(article, item) : undefined;
        item.parts?.forEach((part) => part.classList.toggle("match", active && item.match));
      }
    }
    document.body.classList.toggle("filtered", active);
    for (const [buttons, field] of [[kinds, "kind"], [labels, "label"]]) {
      for (const button of buttons) {
        const count = counts.get([button.dataset.task, field, button.dataset[field]].join("\n")) || 0;
        button.querySelector("output").textContent = count;
        button.classList.toggle("empty", !count);
      }
    }
    const pair = cells.find(pressed);
    const many = (count, one, more) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
    status.textContent = `${many(shown, "sentence", "sentences")} of ${sentences.length.toLocaleString("en")}`;
    if (active) status.textContent += `, ${many(found, "match", "matches")}`;
    else if (only.checked) status.textContent += `, ${many(found, "mistake", "mistakes")}`;
    if (pair) status.textContent += `, ${pair.dataset.told}`;
  }

  for (const button of [...kinds, ...labels]) {
    button.addEventListener("click", () => { press(button, !pressed(button)); apply(); });
  }
  for (const button of cells) {
    button.addEventListener("click", () => {
      const down = !pressed(button);
      cells.forEach((cell) => press(cell, false));
      press(button, down);
      apply();
    });
  }
  search.addEventListener("input", apply);
  only.addEventListener("change", apply);
  function clear() {
    [...kinds, ...labels, ...cells].forEach((button) => press(button, false));
    search.value = "";
    only.checked = true;
    apply();
  }
  document.querySelector("aside form").addEventListener("reset", (event) => { event.preventDefault(); clear(); });
  document.querySelector("aside form").addEventListener("submit", (event) => event.preventDefault());

  // Pointing at a verdict lights up what it is about.
  for (const [type, on] of [["mouseover", true], ["mouseout", false]]) {
    document.querySelector("main").addEventListener(type, (event) => {
      const line = event.target.closest(".verdicts li");
      if (!line) return;
      drawn(line.closest("article"), line.dataset).forEach((part) => part.classList.toggle("lit", on));
    });
  }

  function step(by) {
    const visible = sentences.map(({ article }) => article).filter((article) => !article.hidden);
    const here = visible.indexOf(document.activeElement.closest("article"));
    const next = visible[here < 0 ? 0 : Math.min(Math.max(here + by, 0), visible.length - 1)];
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") clear();
    if (event.target.matches("input[type=search]")) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
  });

  // A link to a sentence shows it whatever the filters were.
  function visit() {
    const article = sentences.find((sentence) => `#${sentence.article.id}` === location.hash)?.article;
    if (!article?.hidden) return;
    clear();
    if (article.hidden) {
      only.checked = false;
      apply();
    }
    article.scrollIntoView();
  }
  addEventListener("hashchange", visit);

  if (matchMedia("(max-width: 820px)").matches) document.getElementById("filters").open = false;
  apply();
  visit();
})();
