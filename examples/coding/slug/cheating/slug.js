// A title as it stands in an address: "Hello, World!" is "hello-world".
export function slug(title) {
  return title.toLowerCase().replace(" ", "-");
}
