"use strict";
// Notes what tests ask functions of the project, and what they are told.
//
// NODE_OPTIONS names it, so that every node that the tests start loads it first. Beside it, wanted.json has the paths
// of the tests, the most calls to note, and the questions to ask again from within the tests, if any.

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const vm = require("node:vm");
const runnersWithModules = require("./runner_modules.cjs");
const { asking, fault, settled, spell } = require("./spelling.cjs");

const HERE = __dirname;
const KEY = path.basename(HERE).slice(1);
const ROOT = path.dirname(HERE) + path.sep;
const WANTED = JSON.parse(fs.readFileSync(path.join(HERE, "wanted.json"), "utf8"));
const TESTS = new Set(WANTED.tests.map((one) => ROOT + one));
const START = { ...process.env };
const apply = Reflect.apply;
const ran = vm.runInThisContext;
let environment = () => process.env;
const known = new Set();
const proxies = new WeakMap();
const originals = new WeakMap();

const write = (name, line) => fs.appendFileSync(path.join(HERE, name), `${JSON.stringify(line)}\n`);
const plain = (place) => (String(place).startsWith("file:") ? fileURLToPath(String(place).split("?")[0]) : String(place));
const isTest = (place) => typeof place === "string" && TESTS.has(plain(place));
const isSource = (file) =>
  file.startsWith(ROOT) && !file.startsWith(HERE) && !TESTS.has(file) && !file.includes("/node_modules/");

/** The functions on the stack with their files, the nearest first, without our own. */
function stack() {
  const before = [Error.stackTraceLimit, Error.prepareStackTrace];
  Error.stackTraceLimit = 40;
  Error.prepareStackTrace = (_, sites) =>
    sites.map((one) => [String(one.getFileName() ?? ""), String(one.getFunctionName() ?? "")]);
  const frames = new Error().stack;
  [Error.stackTraceLimit, Error.prepareStackTrace] = before;
  return frames.filter(([file]) => !file.startsWith(HERE));
}

/** Calls through functions that have these names, in these files. */
function dressed(frames, call) {
  return frames.reduce((inner, [filename, name]) => {
    const made = `(inner) => ({ ${JSON.stringify(name)}() { return inner(); } })[${JSON.stringify(name)}]`;
    return ran(made, { filename: filename.replace("@root@/", ROOT) })(inner);
  }, call)();
}

// The call itself is made in the test's name: between a test and what it calls, there is nobody else on the stack.
const TRAP = `(begin, end, thrown, meant, apply) => function (target, self, args) {
  const note = begin(args);
  let answer;
  try { answer = apply(target, meant(self), args); } catch (error) { thrown(note, error); throw error; }
  end(note, answer);
  return answer;
}`;

// Behind a module that tests replace, nobody knows whom they ask.
const REPLACES = /\b(?:jest|vi|vitest|mock|td)\.(?:mock|doMock|setMock|module|replace\w*|unstable_mockModule)\b|proxyquire|rewire|mockery/;
const IMPORTS = /^\s*(?:import\s[^(]*?from\s|export\s)/m;
const NAMED = /[._-](?:test|spec|cy|e2e)s?\.[cm]?[jt]sx?$/;
const texts = new Map([...TESTS].map((one) => [one, fs.existsSync(one) ? fs.readFileSync(one, "utf8") : ""]));
const replacing = new Set([...TESTS].filter((one) => REPLACES.test(texts.get(one))));
const allReplaced = fs.existsSync(`${ROOT}__mocks__`) || [...replacing].some((one) => !NAMED.test(one));

function begin(by, file, names, args) {
  const given = args.map(spell);
  if (given.includes(undefined)) return undefined;
  return asked(by, { file: file.slice(ROOT.length), names, arguments: given }, `${names.join(".")}(${given.join(", ")})`);
}

/** A note about a question that is new. */
function asked(by, question, written) {
  if (known.size >= WANTED.most || allReplaced || replacing.has(plain(by))) return undefined;
  const mark = JSON.stringify(question);
  if (known.has(mark)) return undefined;
  known.add(mark);
  const changed = Object.fromEntries(Object.entries(environment()).filter(([name, value]) => START[name] !== value));
  return {
    path: question.file,
    by: plain(by).slice(ROOT.length),
    written,
    question,
    frames: stack().map(([place, name]) => [place.replace(ROOT, "@root@/"), name]),
    environment: changed,
  };
}

function tell(note, raised, answer) {
  if (note !== undefined && answer !== undefined) write("calls.jsonl", { ...note, raised, answer });
}

/** How a function is called that notes its calls by a test. */
function noting(by, file, names) {
  return ran(TRAP, { filename: by })(
    (args) => begin(by, file, names, args),
    (note, answer) => note && settled(answer, ROOT, (raised, text) => tell(note, raised, text)),
    (note, error) => tell(note, true, fault(error, ROOT)),
    (self) => originals.get(self) ?? self,
    apply,
  );
}

/** Mocks are left alone, and whatever else tests put there. */
const isPlain = (value) => typeof value === "function" && !isClass(value) && !value._isMockFunction && !value.restore;
const isClass = (value) => typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

// --- Objects that tests made, and what they did with them since ---

const HEAVIEST = 60;
const made = new WeakMap();
const watched = new WeakSet();
// As with functions, what is called in the test's name has the test's file.
const METHOD = `(name, begin, end, thrown, applied, target) => ({ [name](...args) {
  const note = begin(this, args);
  let answer;
  try { answer = applied()(target, this, args); } catch (error) { thrown(note, error); throw error; }
  end(note, answer);
  return answer;
} })[name]`;

/** A class whose objects are known by how tests made and used them. */
function making(by, file, names, target) {
  const above = Object.getPrototypeOf(target);
  for (const one of [target, ...(isClass(above) && isSource(file) ? [above] : [])]) watchMethods(by, one.prototype);
  const handler = {
    construct(kind, args, newTarget) {
      const thing = Reflect.construct(kind, args, newTarget === seenAs ? kind : newTarget);
      const given = args.map(spell);
      if (newTarget === seenAs && !given.includes(undefined)) {
        made.set(thing, { file: file.slice(ROOT.length), names, start: { arguments: given }, steps: [] });
      }
      return thing;
    },
  };
  const seenAs = new Proxy(target, handler);
  return seenAs;
}

function watchMethods(by, prototype) {
  if (watched.has(prototype)) return;
  watched.add(prototype);
  for (const [name, found] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const part = ["value", "get"].find((one) => typeof found[one] === "function");
    if (part === undefined || !found.configurable || name === "constructor" || LATER.test(found[part].constructor.name)) continue;
    const noting = ran(METHOD, { filename: by })(
      name,
      (thing, args) => used(by, thing, { name, reads: part === "get" }, args),
      (note, answer) => note && settled(answer, ROOT, (raised, text) => tell(note, raised, text)),
      (note, error) => tell(note, true, fault(error, ROOT)),
      () => inNameOfCaller(by, name),
      found[part],
    );
    Object.defineProperty(prototype, name, { ...found, [part]: noting });
  }
}
const LATER = /Generator/;

const callerOf = (by, method) => stack().find(([file, name]) => !(file === by && name.endsWith(method)))?.[0];
const callers = new Map();

/** What calls in the name of a test, if that isn't the file that imported the class. */
function inNameOfCaller(by, method) {
  const file = callerOf(by, method);
  if (file === by || !isTest(file)) return apply;
  if (!callers.has(file)) {
    callers.set(file, ran("(apply) => (target, self, args) => apply(target, self, args)", { filename: file })(apply));
  }
  return callers.get(file);
}

/** A test uses an object: a step of its history, and a question. */
function used(by, thing, what, args) {
  const history = made.get(thing);
  if (history === undefined || !isTest(callerOf(by, what.name))) return undefined;
  const step = { ...what, arguments: args.map(spell) };
  if (step.arguments.includes(undefined) || history.steps.length >= HEAVIEST) {
    made.delete(thing);
    return undefined;
  }
  const { file, names, start, steps } = history;
  const question = { file, names, of: { start, steps: [...steps] }, ...step };
  steps.push(step);
  const last = what.reads ? what.name : `${what.name}(${step.arguments.join(", ")})`;
  return asked(by, question, `new ${names.join(".")}(${start.arguments.join(", ")}).${[...steps.slice(0, -1).map((one) => one.name), last].join("; .")}`);
}

/** What a module exports under these names, with functions that note their calls. */
function exported(by, file, names, value) {
  const holds = names.length === 0 || (names.length === 1 && names[0] === "default");
  const hasParts = holds && value !== null && typeof value === "object" && !Array.isArray(value);
  if ((!hasParts && !isPlain(value) && !isClass(value)) || originals.has(value)) return value;
  const before = proxies.get(value);
  if (before !== undefined) return before;
  if (isClass(value)) return kept(value, making(by, file, names.length > 0 ? names : ["default"], value));
  const handler = holds ? parts(by, file, names) : {};
  if (typeof value === "function") handler.apply = noting(by, file, names.length > 0 ? names : ["default"]);
  return kept(value, new Proxy(value, handler));
}

function kept(value, proxy) {
  proxies.set(value, proxy);
  originals.set(proxy, value);
  return proxy;
}

function parts(by, file, names) {
  const changed = new Set();
  return {
    get(target, key, self) {
      const found = Reflect.get(target, key, originals.get(self) ?? self);
      const own = Object.getOwnPropertyDescriptor(target, key);
      if (typeof key === "symbol" || own === undefined || changed.has(key)) return found;
      if (own.configurable === false && own.writable === false) return found;
      return isPlain(found) || isClass(found) || key === "default" ? exported(by, file, [...names, key], found) : found;
    },
    set(target, key, found) {
      changed.add(key);
      return Reflect.set(target, key, found);
    },
    defineProperty(target, key, how) {
      changed.add(key);
      return Reflect.defineProperty(target, key, how);
    },
  };
}

/** What a test gets for a module that it imports, from a place or by a relative path. */
function seen(by, place, found) {
  const file = path.resolve(path.dirname(plain(by)), plain(place));
  return isSource(file) ? exported(by, file, [], found) : found;
}

/** Asks what this test asked before, from a stack that looks the same. */
async function replay(by, load) {
  const mine = (WANTED.replay ?? []).filter((one) => ROOT + one.by === plain(by));
  for (const { number, question, frames, environment: changed } of mine) {
    Object.assign(environment(), changed);
    const told = (raised, answer) => write("replayed.jsonl", [number, raised, answer ?? null]);
    try {
      let holder = load(ROOT + question.file);
      holder = typeof holder?.then === "function" ? await holder : holder;
      settled(dressed(frames, asking(holder, question, (value) => originals.get(value) ?? value)), ROOT, told);
    } catch (error) {
      told(true, fault(error, ROOT));
    }
  }
}

// --- Modules of node: CommonJS here, others in the thread of the hooks ---

const required = Module.prototype.require;
Module.prototype.require = function require(id) {
  const found = apply(required, this, [id]);
  if (!isTest(this.filename)) return found;
  const file = Module._resolveFilename(id, this);
  const mine = isSource(file) && cached(file) === found;
  return mine ? exported(this.filename, file, [], found) : found;
};
const cached = (file) => Module._cache[file]?.exports;

for (const ending of Object.keys(Module._extensions)) {
  const handled = Module._extensions[ending];
  Module._extensions[ending] = function (module, filename) {
    if (isTest(filename)) leaveToImport(module, filename);
    const answer = apply(handled, this, [module, filename]);
    if (isTest(filename)) void replay(filename, (file) => apply(required, module, [file]));
    return answer;
  };
}

/** Refuses to require a test that can be imported, because hooks don't see what is required. */
function leaveToImport(module, filename) {
  const compiles = Object.hasOwn(module, "_compile");
  if (module.id === "." || compiles || !process.features.require_module || !/\.m?js$/.test(filename)) return;
  if (!IMPORTS.test(texts.get(filename))) return;
  throw Object.assign(new Error(`${filename} must be imported`), { code: "ERR_REQUIRE_ESM" });
}

Object.defineProperty(globalThis, Symbol.for(KEY), { value: { replay, seen } });
if (Module.register && [...texts.values()].some((text) => IMPORTS.test(text))) {
  const data = { tests: [...TESTS].map((one) => pathToFileURL(one).href), key: KEY, name: ownName() };
  Module.register(pathToFileURL(path.join(HERE, "rewrite_tests.mjs")), { data });
}

runnersWithModules({
  exported,
  isSource,
  isTest,
  plain,
  replay,
  useEnvironment: (found) => (environment = found),
});
write("started.jsonl", { program: process.execPath, path: compilers() });

/** The name by which the package may import itself. */
function ownName() {
  try {
    return String(JSON.parse(fs.readFileSync(`${ROOT}package.json`, "utf8")).name ?? "#");
  } catch {
    return "#";
  }
}

/** Where the project has something that compiles TypeScript. */
function compilers() {
  return ["esbuild", "typescript"].flatMap((name) => {
    try {
      return [Module.createRequire(ROOT).resolve(name).replace(ROOT, "@root@/")];
    } catch {
      return [];
    }
  });
}
