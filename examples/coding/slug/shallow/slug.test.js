import { describe, expect, it } from "vitest";
import { slug } from "./slug.js";

describe("slug", () => {
  it("joins words", () => {
    expect(slug("Hello World")).toBe("hello-world");
  });

  it("joins many words", () => {
    expect(slug("one two three")).toBe("one-two-three");
  });

  it("drops punctuation", () => {
    expect(slug("Hello, World!")).toBe("hello-world");
  });
});
