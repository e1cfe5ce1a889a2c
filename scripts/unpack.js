// Starts a page that is one file (scripts/single-file.mjs). The files of the release are in it, gzipped; each gets an
// address in memory, and the tag of boot.js those addresses in the place of its own.

/** The address of a file. */
async function unpack({ dataset, textContent }) {
  const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return URL.createObjectURL(new Blob([await new Response(stream).arrayBuffer()], { type: dataset.type }));
}

try {
  const addresses = {};
  for (const packed of document.querySelectorAll("script[data-packed]")) {
    addresses[packed.dataset.packed] = await unpack(packed);
    packed.remove();
  }
  const template = document.querySelector("template");
  const script = document.createElement("script");
  for (const { name, value } of template.content.firstElementChild.attributes) {
    script.setAttribute(name, value.replace(/\.\/[\w.-]+/g, (address) => addresses[address]));
  }
  template.replaceWith(script);
} catch (error) {
  document.body.prepend(`Normscope could not start: ${error}`);
}
