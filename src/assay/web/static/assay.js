// What pages do beyond links and forms. Everything can be read without it.
"use strict";

// The arrow keys go to the previous and the next run; "/" goes to the search, Escape leaves it; a letter presses
// the button that names it.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  const typing = at instanceof Element && at.closest("input, select, textarea, [contenteditable]");
  if (typing) {
    if (event.key === "Escape") at.blur();
    return;
  }
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = rel && document.querySelector(`a[rel~="${rel}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  } else if (/^[a-z]$/.test(event.key) && document.querySelector(`[data-key="${event.key}"]`)) {
    event.preventDefault();
    document.querySelector(`[data-key="${event.key}"]`).click();
  } else if (event.key === "/") {
    const search = document.querySelector("[data-search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});

// A button that opens or closes all details of a section.
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-open-all]");
  if (!button) return;
  const open = button.getAttribute("aria-pressed") !== "true";
  for (const one of document.querySelectorAll(`${button.dataset.openAll} details`)) one.open = open;
  button.setAttribute("aria-pressed", String(open));
});

// Forms that ask before they do something that can't be taken back.
document.addEventListener("submit", (event) => {
  const asks = event.target instanceof Element && event.target.dataset.confirm;
  if (asks && !window.confirm(asks)) event.preventDefault();
});

// Empty fields of a search don't belong in an address.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb !== "get") return;
  const parameters = event.detail.parameters;
  for (const [name, value] of [...parameters.entries()]) if (value === "") parameters.delete(name);
});

// Fields that count only for some kind of what is around them are shown only then.
const showFitting = () => {
  for (const one of document.querySelectorAll("[data-only-for]")) {
    const [name, value] = one.dataset.onlyFor.split("=");
    const chosen = document.querySelector(`[name="${CSS.escape(name)}"]`);
    one.hidden = Boolean(chosen) && chosen.value !== value;
  }
};
document.addEventListener("change", showFitting);
document.addEventListener("htmx:afterSettle", showFitting);
showFitting();

// A form that names where it is checked shows what is wrong with it while somebody types. What comes back replaces
// the parts of the page with the same id, unless something newer was asked meanwhile.
let lastCheck = 0;
let waiting = 0;
const check = async (form) => {
  const mine = ++lastCheck;
  const asked = { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "HX-Request": "true" } };
  const answer = await fetch(form.dataset.check, asked).catch(() => null);
  const text = answer && answer.ok ? await answer.text() : null;
  if (text === null || mine !== lastCheck || !form.isConnected) return;
  const found = new DOMParser().parseFromString(text, "text/html");
  for (const one of found.querySelectorAll("[id]")) document.getElementById(one.id)?.replaceWith(one);
};
document.addEventListener("input", (event) => {
  const form = event.target instanceof Element && event.target.closest("form[data-check]");
  if (!form) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => form.isConnected && check(form), 350);
});
