const test = require("node:test");
const assert = require("node:assert");
const { clamp } = require("../clamp");

test("leaves what is inside", () => assert.strictEqual(clamp(5, 0, 10), 5));
test("raises what is too low", () => assert.strictEqual(clamp(-1, 0, 10), 0));
test("lowers what is too high", () => assert.strictEqual(clamp(11, 0, 10), 10));
