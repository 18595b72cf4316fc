"use strict";
// Before anything is painted: the reader's choice of light or dark, where one was made.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = "biaffinity-theme";
  const attempt = (action) => {
    try {
      return action();
    } catch {
      return null; // a browser that keeps nothing for a page throws
    }
  };
  const kept = attempt(() => localStorage.getItem(name));
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const say = () => { button.textContent = dark() ? "Light colours" : "Dark colours"; };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      attempt(() => localStorage.setItem(name, root.dataset.theme));
      say();
    });
    system.addEventListener("change", say);
    say();
  });
})();
