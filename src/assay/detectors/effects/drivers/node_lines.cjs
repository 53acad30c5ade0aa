// Adds to the notes of choose_files.cjs which lines of a workspace's own JavaScript were run, by what V8 counted.
//
// It runs inside the sandbox after the tests: node node_lines.cjs COUNTS ROOT NOTES. Each process counts for the
// session that it is noted for. One that was killed leaves no counts, so anything may have been run there.
"use strict";
const fs = require("fs");
const path = require("path");
const url = require("url");

const LONGEST = 400000;
const [counts, root, notes] = process.argv.slice(2);
const sessions = new Map();

for (const line of fs.readFileSync(notes, "utf8").split("\n")) {
  const [kind, session, told] = line ? JSON.parse(line) : [];
  if (kind === "process") sessions.set(String(told), session);
}

function linesOf(file, functions) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  if (text.length > LONGEST) return null;
  // An inner function or block comes after the one around it.
  const ran = new Uint8Array(text.length);
  for (const one of functions) {
    for (const range of one.ranges) ran.fill(range.count > 0 ? 1 : 0, range.startOffset, range.endOffset);
  }
  const lines = new Set();
  let line = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\n") line += 1;
    else if (ran[at] && text[at].trim()) lines.add(line);
  }
  return [...lines];
}

const told = [];
for (const name of fs.readdirSync(counts)) {
  const process = /^coverage-(\d+)-/.exec(name)?.[1];
  const session = sessions.get(process);
  if (session === undefined) continue;
  try {
    for (const script of JSON.parse(fs.readFileSync(path.join(counts, name), "utf8")).result) {
      if (!script.url.startsWith("file://")) continue;
      const file = path.relative(root, url.fileURLToPath(script.url));
      if (!/\.[cm]?js$/.test(file) || /^\.\.|node_modules/.test(file)) continue;
      const lines = linesOf(file, script.functions);
      told.push(lines === null ? ["load", session, file] : ["lines", session, file, lines]);
    }
    told.push(["counted", session, Number(process)]);
  } catch (error) {
    // A process that was killed leaves half a file.
  }
}
fs.appendFileSync(notes, told.map((one) => `${JSON.stringify(one)}\n`).join(""));
