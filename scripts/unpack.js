// Starts a page that is one file (scripts/single-file.mjs). The files of the release are in it, gzipped; each gets an
// address in memory, and the tag of boot.js those addresses in the place of its own.

const addresses = {};
/** A text with the addresses that are known in the place of its own. */
const moved = (text) => text.replace(/\.\/[\w.-]+/g, (address) => addresses[address] ?? address);

/** The address of a file; what a script names has been unpacked before it. */
async function unpack({ dataset, textContent }) {
  const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
  const response = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  const content = dataset.type.startsWith("text/javascript") ? moved(await response.text()) : await response.arrayBuffer();
  return URL.createObjectURL(new Blob([content], { type: dataset.type }));
}

try {
  for (const packed of document.querySelectorAll("script[data-packed]")) {
    addresses[packed.dataset.packed] = await unpack(packed);
    packed.remove();
  }
  // There is no page beside it.
  document.documentElement.dataset.alone = "";
  const template = document.querySelector("template");
  const script = document.createElement("script");
  for (const { name, value } of template.content.firstElementChild.attributes) {
    script.setAttribute(name, moved(value));
  }
  template.replaceWith(script);
} catch (error) {
  document.body.prepend(`Normscope could not start: ${error}`);
}
