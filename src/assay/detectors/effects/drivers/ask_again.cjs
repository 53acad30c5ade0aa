// Asks functions the same again, with nothing around that looks like a test. It follows the text of spelling.cjs.
//
// It is given ``load``, which imports a module, and ``line``, which has the questions and where the answers go.

const fs = require("node:fs");
const { createRequire } = require("node:module");
const { pathToFileURL } = require("node:url");
const { root, to, calls } = JSON.parse(line);
const LONGEST_SEC = 10;

/** A module by itself; undefined if it can't be loaded here, which is no answer of the program. */
async function module_at(file) {
  try {
    return createRequire(file)(file);
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
  const tell = (raised, text) => (told = text === undefined ? null : [raised, text]);
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
