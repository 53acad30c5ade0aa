// Asks functions the same again, with nothing around that looks like a test. It follows the text of spelling.cjs.
//
// It is given ``load``, which imports a module, and ``line``, which has the questions and where the answers go.

const fs = require("node:fs");
const Module = require("node:module");
const { pathToFileURL } = require("node:url");
const { root, to, calls, path } = JSON.parse(line);
const LONGEST_SEC = 10;

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

async function answer({ file, names, arguments: texts }) {
  const holder = await module_at(`${root}/${file}`);
  if (holder === undefined) return null;
  const all = names[0] === "default" && !("default" in holder) ? names.slice(1) : names;
  const over = all.slice(0, -1).reduce((found, name) => found?.[name], holder);
  const target = all.length > 0 ? over?.[all.at(-1)] : holder;
  const given = texts.map((text) => (0, eval)(`(${text})`));
  let told = null;
  const tell = (raised, text) => (told = [raised, text ?? "something that can't be written down"]);
  const late = new Promise((done) => setTimeout(done, LONGEST_SEC * 1000));
  try {
    await Promise.race([settled(Reflect.apply(target, over, given), `${root}/`, tell), late]);
  } catch (error) {
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
