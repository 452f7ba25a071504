// Runs before the first paint, so that the page never flashes in the wrong theme.
(() => {
  const kept = localStorage.getItem("theme");
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-bs-theme", dark ? "dark" : "light");
  document.documentElement.classList.toggle("dark-mode", dark); // what Swagger's page goes by
})();
