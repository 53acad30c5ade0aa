"use strict";
// Notes calls in runners that load modules in a way of their own, where node's hooks see nothing: jest compiles each
// file into a function that is given ``require``, vitest into one that is given an import.

const Module = require("node:module");
const vm = require("node:vm");

const apply = Reflect.apply;

module.exports = ({ exported, isSource, isTest, plain, replay, useEnvironment }) => {
  const real = new WeakSet();
  const places = new WeakMap();

  const compiled = vm.compileFunction;
  vm.compileFunction = function compileFunction(code, names, options) {
    const made = apply(compiled, this, [code, names, options]);
    return Array.isArray(names) ? moduleOfJest(made, names) : made;
  };

  const script = vm.Script.prototype.runInContext;
  vm.Script.prototype.runInContext = function runInContext(...args) {
    const found = apply(script, this, args);
    const made = found?.["Object.<anonymous>"];
    if (typeof made !== "function") return found;
    const names = /^function\s*\(([^)]*)\)/.exec(Function.prototype.toString.call(made))?.[1].split(",") ?? [];
    return { ...found, "Object.<anonymous>": moduleOfJest(made, names) };
  };

  function moduleOfJest(made, names) {
    const [module, load, name] = ["module", "require", "__filename"].map((one) => names.indexOf(one));
    if (module < 0 || load < 0 || name < 0) return made;
    return function (...args) {
      const [original, filename] = [args[load], args[name]];
      if (typeof filename !== "string" || (!isTest(filename) && !isSource(filename))) return apply(made, this, args);
      // Tests of jest have a process of their own, as an object.
      useEnvironment(made.constructor("return () => process.env")());
      if (isTest(filename)) args[load] = Object.assign((id) => requiredBy(filename, original, id), original);
      const answer = apply(made, this, args);
      if (isTest(filename)) void replay(filename, original);
      else remember(args[module].exports);
      return answer;
    };
  }

  function requiredBy(by, load, id) {
    const found = load(id);
    const file = load.resolve(id);
    return real.has(found) && isSource(file) ? exported(by, file, [], found) : found;
  }

  /** What a module of the project made itself. Anything else under its name is a mock. */
  function remember(made) {
    if ((typeof made === "object" && made !== null) || typeof made === "function") real.add(made);
  }

  const ran = vm.runInThisContext;
  vm.runInThisContext = function runInThisContext(code, options) {
    const made = apply(ran, this, [code, options]);
    const names = typeof made === "function" && /^'use strict';async \(([\w$, ]+)\)=>\{/.exec(code)?.[1].split(/\s*,\s*/);
    return names ? moduleOfVitest(made, names, options?.filename) : made;
  };

  function moduleOfVitest(made, names, filename) {
    if (typeof filename !== "string" || (!isTest(filename) && !isSource(plain(filename)))) return made;
    const loads = names.flatMap((name, at) => (/^__(?:vi|vite_ssr)_?(?:ssr_)?(?:dynamic_)?import__$/.test(name) ? [at] : []));
    const exportsAt = names.findIndex((name) => /exports__$/.test(name));
    return async function (...args) {
      if (!isTest(filename)) {
        const answer = await apply(made, this, args);
        if (exportsAt >= 0) places.set(args[exportsAt], plain(filename));
        return answer;
      }
      const load = args[loads[0]];
      for (const at of loads) {
        const original = args[at];
        args[at] = async (...asked) => {
          const found = await original(...asked);
          const file = places.get(found);
          return file === undefined ? found : exported(filename, file, [], found);
        };
      }
      const answer = await apply(made, this, args);
      if (load !== undefined) await replay(filename, load);
      return answer;
    };
  }

  Module.syncBuiltinESMExports();
};
