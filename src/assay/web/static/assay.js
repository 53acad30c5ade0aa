// What pages do beyond links and forms. Everything can be read without it.
"use strict";

// Light or dark, as somebody chose it here; else as the system has it. This runs before the page is drawn.
const themes = ["system", "light", "dark"];
const theme = () => {
  try {
    return themes.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "system";
  } catch {
    return "system"; // Some browsers refuse to keep anything.
  }
};
const showTheme = () => {
  if (theme() === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme();
  for (const one of document.querySelectorAll("[data-theme-switch]")) {
    one.textContent = { system: "◐", light: "○", dark: "●" }[theme()];
    one.setAttribute("aria-label", `Colours: ${theme()}`);
    one.title = `Colours: ${theme()}`;
  }
};
showTheme();
document.addEventListener("DOMContentLoaded", () => {
  showButtons();
  showTheme();
  showFitting();
  markOutline();
  const here = document.querySelector(".top nav [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.clientWidth / 2;
});
document.addEventListener("click", (event) => {
  const at = event.target instanceof Element ? event.target : null;
  if (at?.closest("[data-keys]")) document.getElementById("keys").showModal();
  const error = at?.closest("[data-error]");
  if (error) goToError(Number(error.dataset.error));
  if (!at?.closest("[data-theme-switch]")) return;
  try {
    localStorage.setItem("theme", themes[(themes.indexOf(theme()) + 1) % themes.length]);
  } catch {
    // Then it stays as the system has it.
  }
  showTheme();
});

// Buttons that do nothing without a script.
const showButtons = () => {
  for (const one of document.querySelectorAll("[data-theme-switch], [data-keys], [data-error]")) one.hidden = false;
};
document.addEventListener("htmx:afterSettle", showButtons);

// The error before or after the step that has the focus, or that the address names.
const goToError = (by) => {
  const here = document.activeElement?.closest(".step") ?? document.getElementById(location.hash.slice(1));
  const numberOf = (id) => Number(/step-(\d+)$/.exec(id ?? "")?.[1] ?? 0);
  const now = numberOf(here?.id);
  const errors = [...document.querySelectorAll(".outline li.is-failed a")];
  const beyond = errors.filter((one) => by * (numberOf(one.hash) - now) > 0);
  document.activeElement?.blur();
  (by > 0 ? beyond[0] : beyond.at(-1))?.click();
};

// j and k go through a list or the steps of a trace, e and E through its errors, Enter opens what has the focus, Escape lets go of it and then
// leads back to the list; the arrow keys go to the previous and the next run; "/" goes to the search; a letter
// presses the button that names it; "?" shows the keys.
const entries = () => [...document.querySelectorAll("td.name > a, .worth li > a, .step > details > summary")];
const move = (by) => {
  const all = entries().filter((one) => one.checkVisibility());
  const next = all[Math.max(0, all.indexOf(document.activeElement) + by)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
};
const press = (selector) => {
  const found = document.querySelector(selector);
  found?.click();
  return Boolean(found);
};
const keys = {
  ArrowLeft: () => press('a[rel~="prev"]'),
  ArrowRight: () => press('a[rel~="next"]'),
  "?": () => press("[data-keys]"),
  "/": () => document.querySelector("[data-search]")?.focus() ?? true,
  Escape: () => (entries().includes(document.activeElement) ? document.activeElement.blur() : press('a[rel~="up"]')),
  j: () => move(1),
  k: () => move(-1),
  e: () => goToError(1),
  E: () => goToError(-1),
};
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (document.querySelector("dialog[open]")) return;
  if (at instanceof Element && at.closest("input, select, textarea, [contenteditable]")) {
    if (event.key === "Escape") at.blur();
    return;
  }
  const button = /^[a-z]$/.test(event.key) && document.querySelector(`[data-key="${event.key}"]`);
  const act = button ? () => button.click() : keys[event.key];
  if (act && act() !== false) event.preventDefault();
});

// A form whose session is over is sent as a whole page, which asks for the key and keeps what was entered.
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 401) event.detail.elt.closest("form")?.submit();
});

// The outline of a trace shows where its page is.
const markOutline = () => {
  const step = document.getElementById(location.hash.slice(1))?.id ?? document.querySelector(".trace .step")?.id;
  for (const link of document.querySelectorAll(".outline li a")) {
    if (step && link.hash === `#${step}`) {
      link.setAttribute("aria-current", "step");
      const list = link.closest("ol");
      list.scrollTop = link.offsetTop - list.offsetTop - list.clientHeight / 3;
    } else link.removeAttribute("aria-current");
  }
};
window.addEventListener("hashchange", markOutline);
document.addEventListener("htmx:afterSettle", markOutline);

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

// Empty fields of a search don't belong in an address. Enter changes a field and sends its form: once is enough.
let entered = 0;
document.addEventListener("keydown", (event) => (entered = event.key === "Enter" ? Date.now() : 0), true);
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb !== "get") return;
  if (event.detail.triggeringEvent?.type === "change" && Date.now() - entered < 100) event.preventDefault();
  const parameters = event.detail.parameters;
  for (const [name, value] of [...parameters.entries()]) if (value === "") parameters.delete(name);
  // Nor do columns that nobody chose: other runs have others.
  const ticked = event.detail.triggeringEvent?.target?.name === "columns";
  const chosen = ticked || new URLSearchParams(location.search).has("columns");
  if (!chosen && event.detail.elt.closest("form")?.querySelector("#columns")) parameters.delete("columns");
});

// What can come next in an expression: a field, how to compare it, its values as the form offers them, and or or.
const nextWords = (field, form, written) => {
  const [, of, value] = /([\w.]+)\s*!?=\s*("[^"]*|[^\s"()]*)$/.exec(written) ?? [];
  if (of !== undefined) {
    const known = form.querySelector(`select[name="${CSS.escape(of)}"]`)?.options ?? [];
    const values = [...known].map((one) => one.value).filter(Boolean);
    return [value, values.map((one) => (one === "(none)" ? "none" : /^[\w.-]+$/.test(one) ? one : `"${one}"`))];
  }
  const word = /[\w.]*$/.exec(written)[0];
  const before = written.slice(0, written.length - word.length).trimEnd();
  if (/(^|\(|\b(and|or|not))$/i.test(before)) return [word, field.dataset.fields.split(" ")];
  const last = /[\w.]+$/.exec(before)?.[0];
  return [word, field.dataset.fields.split(" ").includes(last) ? ["=", "!=", ">", "<", "in ("] : ["and", "or"]];
};
document.addEventListener("input", (event) => {
  const field = event.target instanceof Element && event.target.closest("input[data-fields]");
  if (!field || field.selectionEnd !== field.value.length) return;
  const [part, words] = nextWords(field, field.form, field.value);
  const start = field.value.slice(0, field.value.length - part.length);
  const fitting = words.filter((one) => one.toLowerCase().includes(part.replace('"', "").toLowerCase()));
  field.list.replaceChildren(...fitting.slice(0, 50).map((one) => new Option(one, start + one)));
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
