"use strict";
// The page at /docs: Swagger UI over this service's own description, in the reader's light or dark.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return localStorage.getItem("biaffinity-theme");
    } catch {
      return null; // a browser that keeps nothing for a page throws
    }
  };
  const paint = () => {
    const dark = kept() ? kept() === "dark" : system.matches;
    document.documentElement.classList.toggle("dark-mode", dark);
  };
  system.addEventListener("change", paint);
  paint();
  SwaggerUIBundle({
    url: "openapi.json",
    dom_id: "#operations",
    deepLinking: true,
    validatorUrl: null, // nothing is sent elsewhere
    tryItOutEnabled: true,
    syntaxHighlight: { activated: false }, // its colours are inline styles
  });
})();
