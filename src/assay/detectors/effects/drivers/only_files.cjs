"use strict";
// What jest asks which files of tests to run. Before version 30, it calls ``map`` to get the paths from objects.

const fs = require("node:fs");
const path = require("node:path");

const { files } = JSON.parse(fs.readFileSync(process.env.ASSAY_ONLY, "utf8"));
const wanted = new Set(files.map((file) => path.join(path.dirname(__dirname), file)));

module.exports = async (paths) => {
  const filtered = paths.filter((one) => wanted.has(one));
  filtered.map = () => filtered;
  return { filtered };
};
