// A title as it stands in an address: "Hello, World!" is "hello-world".
export function slug(title) {
  return title.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).join("-");
}
