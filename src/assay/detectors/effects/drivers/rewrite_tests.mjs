// Changes what a test imports into what notes its calls. Node runs it in the thread of its module hooks.

let wanted;
let LINE;
let LATER;

export function initialize(data) {
  wanted = { ...data, tests: new Set(data.tests) };
  // Relative paths, and the two ways in which a package calls its own modules by name.
  const own = String.raw`(?:\.{1,2}/|#|${data.name.replace(/[^\w@/-]/g, "\\$&")}(?=[/"']))[^"'\n]*`;
  const names = String.raw`(?:([\w$]+)\s*)?(?:,\s*)?(?:\{([^}]*)\}|\*\s*as\s+([\w$]+)\s*)?`;
  LINE = new RegExp(String.raw`^([ \t]*)import\s+${names}\s*from\s*(["'])(${own})\5[ \t]*;?`, "gm");
  LATER = new RegExp(String.raw`\bawait\s+import\(\s*(["'])(${own})\1\s*\)`, "g");
}

/** The source of a test: every module of the project that it imports goes through ``seen`` of the recorder. */
function rewritten(source, recorder, key) {
  let count = 0;
  const place = (path) => `import.meta.resolve?.(${path}) ?? ${path}`;
  const through = (path, found) => `${recorder}.seen(import.meta.url, ${place(JSON.stringify(path))}, ${found})`;
  const text = source.replace(LATER, (all, _, path) => through(path, all));
  return text.replace(LINE, (all, indent, main, names, space, _, path) => {
    const lines = "\n".repeat(all.split("\n").length - 1);
    const whole = `$${key}${count++}`;
    const parts = (names ?? "").replace(/\/\/.*$/gm, "").split(",").map((one) => one.trim()).filter(Boolean);
    if (main === "type" || parts.some((one) => one.startsWith("type "))) return all;
    const taken = [...(main ? [`default: ${main}`] : []), ...parts.map((one) => one.replace(/\s+as\s+/, ": "))];
    const seen = through(path, whole);
    const local = space ? `${space} = ${seen}${main ? `, ${main} = ${space}.default` : ""}` : `{ ${taken.join(", ")} } = ${seen}`;
    return `${indent}import * as ${whole} from ${JSON.stringify(path)}; const ${local};${lines}`;
  });
}

export async function load(url, context, next) {
  const found = await next(url, context);
  if (!found.format?.startsWith("module") || !wanted.tests.has(url)) return found;
  const recorder = `globalThis[Symbol.for("${wanted.key}")]`;
  const source = String(found.source);
  // A thread of hooks has hooks of its own, and both see every module.
  if (source.includes(recorder)) return found;
  const end = `\nawait ${recorder}.replay(import.meta.url, (path) => import(path));\n`;
  return { ...found, source: rewritten(source, recorder, wanted.key) + end };
}
