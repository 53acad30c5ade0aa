// Asks functions the same again, with nothing around that looks like a test. It follows the text of spelling.cjs.
//
// It is given ``load``, which imports a module, and ``line``, which has the questions and where the answers go.

const fs = require("node:fs");
const Module = require("node:module");
const { pathToFileURL } = require("node:url");
const vm = require("node:vm");
const { root, to, calls, path, patience } = JSON.parse(line);
const LONGEST_SEC = patience ?? 10;
const ENDS = patience === null ? Infinity : Date.now() + 60_000;

/** What compiles TypeScript here, where node doesn't read it by itself: a function from source and file to source. */
function compiler() {
  for (const place of path) {
    try {
      const found = require(place.replace("@root@", root));
      if (found.transformSync) {
        return (text, file) => found.transformSync(text, { loader: file.endsWith("x") ? "tsx" : "ts", format: "cjs" }).code;
      }
      const compilerOptions = { module: 1, target: 9, esModuleInterop: true, jsx: 4 };
      return (text, fileName) => found.transpileModule(text, { compilerOptions, fileName }).outputText;
    } catch {
      continue;
    }
  }
  return undefined;
}

const compile = process.features.typescript || !calls.some((one) => /\.[cm]?tsx?$/.test(one.file)) ? undefined : compiler();
if (compile !== undefined) {
  for (const ending of [".ts", ".tsx", ".mts", ".cts"]) {
    Module._extensions[ending] = (module, file) => module._compile(compile(fs.readFileSync(file, "utf8"), file), file);
  }
  const resolved = Module._resolveFilename;
  Module._resolveFilename = function (request, ...rest) {
    try {
      return resolved.call(this, request, ...rest);
    } catch (error) {
      const source = request.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
      if (source === request) throw error;
      return resolved.call(this, source, ...rest);
    }
  };
}

/** A module by itself; undefined if it can't be loaded here, which is no answer of the program. */
async function module_at(file) {
  try {
    return Module.createRequire(file)(file);
  } catch {
    return load(pathToFileURL(file).href).catch(() => undefined);
  }
}

/** Asks; a program that doesn't come back is stopped, where only so much time is given. */
function asked(ask) {
  if (patience === null) return ask();
  const name = `_${Math.random().toString(36).slice(2)}`;
  Object.defineProperty(globalThis, name, { value: ask, configurable: true });
  try {
    return vm.runInThisContext(`${name}()`, { timeout: LONGEST_SEC * 1000 });
  } finally {
    delete globalThis[name];
  }
}

async function answer(question) {
  const holder = Date.now() > ENDS ? undefined : await module_at(`${root}/${question.file}`);
  if (holder === undefined) return null;
  let told = null;
  const tell = (raised, text) => (told = [raised, text ?? "something that can't be written down"]);
  const late = new Promise((done) => setTimeout(done, LONGEST_SEC * 1000));
  try {
    await Promise.race([settled(asked(() => asking(holder, question)()), `${root}/`, tell), late]);
  } catch (error) {
    if (error?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    tell(true, fault(error, `${root}/`));
  }
  return told;
}

(async () => {
  const found = [];
  for (const call of calls) found.push(await answer(call));
  fs.writeFileSync(to, JSON.stringify(found));
  process.reallyExit(0);
})();
