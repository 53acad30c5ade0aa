"use strict";
// Notes which files each file of tests loads, and has node, jest and vitest run only chosen files of tests.
//
// Every node that the tests start loads it first. ASSAY_TO names the file that notes are added to, a line each;
// ASSAY_ONLY one with the files of tests to run and those to leave out. A session is what belongs to a file of
// tests: a process of node's own runner, a context of jest, a worker of vitest. Processes that tests start inherit it.

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const vm = require("node:vm");
const { isMainThread, threadId } = require("node:worker_threads");

const apply = Reflect.apply;
const append = fs.appendFileSync;
const root = path.dirname(__dirname) + path.sep;
const { ASSAY_TO: to, ASSAY_ONLY: only, ASSAY_SESSION: inherited, NODE_TEST_CONTEXT: ofNode } = process.env;
const program = path.basename(process.argv[1] ?? "");

if (to !== undefined) takeNotes();
if (only !== undefined && isMainThread) choose(JSON.parse(fs.readFileSync(only, "utf8")));

function choose({ files, others }) {
  const below = (file) => root + file;
  if (process.execArgv.includes("--test") && ofNode === undefined) {
    process.argv.splice(1, Infinity, ...files.map(below));
  } else if (/^jest(?:\.js)?$/.test(program)) {
    process.argv.splice(2, 0, `--filter=${path.join(__dirname, "only_files.cjs")}`);
  } else if (/^vitest(?:\.mjs)?$/.test(program)) {
    const plain = (file) => file.replace(/[\\*?[\]{}()!+@]/g, "\\$&");
    process.argv.splice(2, 0, ...others.map((file) => `--exclude=${plain(file)}`));
  }
}

function takeNotes() {
  let session = inherited;
  let sessions = 0;
  const noted = new Set();

  const note = (...told) => append(to, `${JSON.stringify(told)}\n`);
  const began = () => {
    session = process.env.ASSAY_SESSION = `${process.pid}-${threadId}-${(sessions += 1)}`;
    noted.clear();
  };
  const loaded = (file) => {
    if (typeof file !== "string") return;
    const plain = file.replace(/^file:\/\//, "").replace(/[?#].*$/, "");
    if (!plain.startsWith(root) || plain.includes("/node_modules/") || noted.has(plain)) return;
    if (session === undefined) began();
    noted.add(plain);
    note("load", session, plain.slice(root.length));
  };

  if (sessions === 0 && inherited === undefined) note("root", "", root);
  if (inherited !== undefined) note("process", session, process.pid);
  else if (ofNode !== undefined) noteTestsOfNode();

  function noteTestsOfNode() {
    began();
    const file = path.resolve(process.argv[1] ?? "");
    note("process", session, process.pid);
    note("file", session, file.slice(root.length));
    note("test", session, process.argv[1] ?? "");
    require("node:test").afterEach((context) => note("test", session, String(context?.name)));
  }

  const inContext = vm.createContext;
  vm.createContext = function createContext(...args) {
    if (inherited === undefined && ofNode === undefined) began();
    return apply(inContext, this, args);
  };
  const compiled = vm.compileFunction;
  vm.compileFunction = function compileFunction(code, names, options) {
    loaded(options?.filename);
    return apply(compiled, this, [code, names, options]);
  };
  const ran = vm.runInThisContext;
  vm.runInThisContext = function runInThisContext(code, options) {
    loaded(options?.filename ?? options);
    return apply(ran, this, [code, options]);
  };
  const Original = vm.Script;
  vm.Script = class Script extends Original {
    constructor(code, options) {
      super(code, options);
      loaded(options?.filename);
    }
  };
  Module.syncBuiltinESMExports();
}
