// Tells which lines of a workspace's own JavaScript any process of a test run ran, by what V8 counted.
//
// It runs inside the sandbox after the tests: node node_lines.cjs COUNTS ROOT ANSWER.
"use strict";
const fs = require("fs");
const path = require("path");
const url = require("url");

const LONGEST = 400000;
const [counts, root, answer] = process.argv.slice(2);
const reached = {};

function note(file, functions) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  if (text.length > LONGEST) return;
  // An inner function or block comes after the one around it.
  const ran = new Uint8Array(text.length);
  for (const one of functions) {
    for (const range of one.ranges) ran.fill(range.count > 0 ? 1 : 0, range.startOffset, range.endOffset);
  }
  const lines = (reached[file] = reached[file] || new Set());
  let line = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\n") line += 1;
    else if (ran[at] && text[at].trim()) lines.add(line);
  }
}

for (const name of fs.readdirSync(counts)) {
  try {
    for (const script of JSON.parse(fs.readFileSync(path.join(counts, name), "utf8")).result) {
      if (!script.url.startsWith("file://")) continue;
      const file = path.relative(root, url.fileURLToPath(script.url));
      if (/\.[cm]?js$/.test(file) && !/^\.\.|node_modules/.test(file)) note(file, script.functions);
    }
  } catch (error) {
    // A process that was killed leaves half a file; the others tell what they ran.
  }
}
const told = Object.fromEntries(Object.entries(reached).map(([file, lines]) => [file, [...lines]]));
fs.writeFileSync(answer, JSON.stringify(told));
