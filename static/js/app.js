// Small behaviours shared by all pages; everything works without them but the theme switch and copying.
document.addEventListener("click", (event) => {
  const theme = event.target.closest("[data-theme-toggle]");
  if (theme) {
    const next = document.documentElement.getAttribute("data-bs-theme") === "dark" ? "light" : "dark";
    document.documentElement.setAttribute("data-bs-theme", next);
    localStorage.setItem("theme", next);
    return;
  }
  const toggle = event.target.closest("[data-toggle]");
  if (toggle) {
    const target = document.querySelector(toggle.dataset.toggle);
    const open = target.classList.toggle("show");
    toggle.setAttribute("aria-expanded", String(open));
    return;
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const source = document.querySelector(copy.dataset.copy);
    navigator.clipboard.writeText(source.textContent.trim()).then(() => {
      copy.dataset.copied = "true";
      setTimeout(() => delete copy.dataset.copied, 2000);
    });
    return;
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A dangerous button stays disabled until the name is typed exactly.
document.addEventListener("input", (event) => {
  const expected = event.target.dataset.mustEqual;
  if (expected === undefined) return;
  const button = event.target.form.querySelector("[data-needs-name]");
  button.disabled = event.target.value !== expected;
});

// A form that was sent is not sent twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  if (form.hasAttribute("data-once")) form.dataset.sent = "true";
});
