"use strict";
// Spells values as JavaScript source, where that says all of them. The recorder and the asker both begin with it.

const { types: kinds } = require("node:util");

const LONGEST = 2000;
const DEEPEST = 12;
const UNSPOKEN = new Error("no source says this value");

/** The value as source; undefined where that would leave something out. */
function spell(value) {
  try {
    const text = spelled(value, 0);
    return text.length > LONGEST ? undefined : text;
  } catch {
    return undefined;
  }
}

function spelled(value, deep) {
  if (deep > DEEPEST) throw UNSPOKEN;
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || kinds.isProxy(value)) throw UNSPOKEN;
  return Array.isArray(value) ? list(value, deep) : (builtIn(value, deep) ?? record(value, deep));
}

const several = (values, deep) => [...values].map((one) => spelled(one, deep + 1)).join(", ");

function list(value, deep) {
  const plain = nameOf(value) === "Array" && Reflect.ownKeys(value).length === value.length + 1;
  if (!plain || !data(value, Object.keys(value))) throw UNSPOKEN;
  return `[${several(value, deep)}]`;
}

function builtIn(value, deep) {
  if (kinds.isTypedArray(value)) {
    const bytes = Buffer.isBuffer(value);
    if (!bytes && nameOf(value) !== value[Symbol.toStringTag]) throw UNSPOKEN;
    return bytes ? `Buffer.from([${value.join(", ")}])` : `new ${nameOf(value)}([${several(value, deep)}])`;
  }
  const kind = ["Date", "RegExp", "Map", "Set"].find((one) => kinds[`is${one}`](value));
  if (kind === undefined) return undefined;
  const own = Reflect.ownKeys(value).filter((key) => key !== "lastIndex");
  if (nameOf(value) !== kind || own.length > 0) throw UNSPOKEN;
  if (kind === "Date") return `new Date(${value.getTime()})`;
  if (kind === "RegExp") return `new RegExp(${JSON.stringify(value.source)}, "${value.flags}")`;
  return `new ${kind}([${several(value, deep)}])`;
}

function record(value, deep) {
  const above = Object.getPrototypeOf(value);
  const keys = Reflect.ownKeys(value);
  const plain = above === null || (Object.getPrototypeOf(above) === null && Object.hasOwn(above, "isPrototypeOf"));
  if (!plain || Symbol.toStringTag in value || kinds.isNativeError(value) || !data(value, keys)) throw UNSPOKEN;
  const parts = keys.map((key) => `${spelledKey(key)}: ${spelled(value[key], deep + 1)}`);
  const text = parts.length > 0 ? `{ ${parts.join(", ")} }` : "{}";
  return above === null ? `Object.assign(Object.create(null), ${text})` : text;
}

function spelledKey(key) {
  if (/^[A-Za-z_$][\w$]*$/.test(key) && key !== "__proto__") return key;
  return key === "__proto__" ? '["__proto__"]' : JSON.stringify(key);
}

/** Whether these are plain properties: reading a getter might do something. */
function data(value, keys) {
  return keys.every((key) => {
    const found = Object.getOwnPropertyDescriptor(value, key);
    return typeof key === "string" && found.enumerable && "value" in found;
  });
}

const nameOf = (value) => Object.getPrototypeOf(value)?.constructor?.name;

/** What was thrown, without the folder that the project happens to be in. */
function fault(error, root) {
  if (error === null || typeof error !== "object") return spell(error);
  const message = String(error.message).split("\n")[0].replaceAll(root, "");
  return `${error.constructor?.name ?? "Error"}: ${message}`;
}

/** Tells how a call ended, at once or, for a promise, when it is settled. It returns a promise only then. */
function settled(answer, root, tell) {
  if (!kinds.isPromise(answer)) return tell(false, spell(answer));
  const told = (value) => {
    const text = spell(value);
    tell(false, text && `Promise of ${text}`);
  };
  return answer.then(told, (error) => tell(true, `Promise of ${fault(error, root)}`));
}

const valued = (texts) => texts.map((text) => (0, eval)(`(${text})`));

/** A question that was written down, ready to be asked of a module, or of an object that is made and used first. */
function asking(holder, { names, of, arguments: texts, ...last }, meant = (value) => value) {
  const all = names[0] === "default" && !("default" in holder) ? names.slice(1) : names;
  const over = all.slice(0, -1).reduce((found, name) => found?.[name], holder);
  const target = meant(all.length > 0 ? over?.[all.at(-1)] : holder);
  if (of === undefined) return target.bind(over, ...valued(texts));
  return used(Reflect.construct(target, valued(of.start.arguments)), of.steps, { ...last, arguments: texts });
}

/** The last question to an object, after some steps. Its answer is a promise if one of them was. */
function used(thing, steps, last) {
  // Bound, so that nobody else is on the stack.
  const use = ({ name, reads, arguments: texts }) =>
    reads ? Reflect.get.bind(undefined, thing, name) : thing[name].bind(thing, ...valued(texts));
  for (const [at, step] of steps.entries()) {
    let found;
    try {
      found = use(step)();
    } catch {
      continue;
    }
    if (!kinds.isPromise(found)) continue;
    const settled = found.catch(() => undefined);
    return () => settled.then(() => used(thing, steps.slice(at + 1), last)());
  }
  return use(last);
}

if (typeof module === "object" && module.filename) module.exports = { asking, fault, settled, spell };
