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
  for (const toggle of document.querySelectorAll("[data-toggle][aria-expanded='true']")) {
    toggle.click();
    toggle.focus();
  }
});

// A dangerous button stays disabled until the name is typed exactly.
document.addEventListener("input", (event) => {
  const expected = event.target.dataset.mustEqual;
  if (expected === undefined) return;
  const button = event.target.form.querySelector("[data-needs-name]");
  button.disabled = event.target.value !== expected;
});

// A form that was sent is not sent twice; one that the Back key brings back may be.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  if (form.hasAttribute("data-once")) form.dataset.sent = "true";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// <div data-shown-when="#id_capacity=spot">: only while that field has that value.
const showWhatApplies = () => {
  for (const element of document.querySelectorAll("[data-shown-when]")) {
    const [selector, value] = element.dataset.shownWhen.split("=");
    element.classList.toggle("is-hidden", document.querySelector(selector).value !== value);
  }
};
document.addEventListener("change", showWhatApplies);
document.addEventListener("htmx:after:swap", showWhatApplies);
showWhatApplies();

// Ages go on by themselves, so that a page where nothing happens does not look fresh.
const spoken = (seconds) => {
  const whole = Math.max(0, Math.round(seconds));
  const parts = (size, unit, smaller, name) => {
    const rest = Math.floor((whole % size) / smaller);
    return `${Math.floor(whole / size)} ${unit}${rest ? ` ${rest} ${name}` : ""}`;
  };
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return parts(60, "min", 1, "s");
  return whole < 86400 ? parts(3600, "h", 60, "min") : parts(86400, "d", 3600, "h");
};
// The server's clock counts; `data-now` is its time when the page was made.
const ahead = Date.now() - Date.parse(document.body.dataset.now || new Date().toISOString());
setInterval(() => {
  if (document.hidden) return;
  for (const time of document.querySelectorAll("time[data-age]")) {
    const text = `${spoken((Date.now() - ahead - Date.parse(time.dateTime)) / 1000)} ago`;
    if (time.textContent !== text) time.textContent = text;
  }
}, 1000);
