// The presets with small live pictures: those of the page, or of a file that the address names.

import { fetchPresets } from "./presets.js";

const PARTS = "bar,depth,placements,second,options,readings,more,compare,theory,status,settings,whole";
const gallery = document.querySelector("[data-gallery]");
const file = new URLSearchParams(location.search).get("presets");

/** A card: title, sentence, link, and the page itself, loaded when it comes near. */
function card({ title, query, sentence }) {
  const article = document.createElement("article");
  const heading = document.createElement("h2");
  heading.append(Object.assign(document.createElement("a"), { href: `.?${query}`, textContent: title }));
  const frame = Object.assign(document.createElement("iframe"), { title, loading: "lazy", src: `.?${query}&embed=1&hide=${PARTS}` });
  article.append(heading, frame);
  if (sentence) article.append(Object.assign(document.createElement("p"), { textContent: sentence }));
  return article;
}

/** The page's own presets, as a page in a frame tells them. */
function ownPresets() {
  const frame = Object.assign(document.createElement("iframe"), { hidden: true, src: ".?depth=1&width=16&tokens=2" });
  document.body.append(frame);
  return new Promise((done) => {
    const asking = setInterval(() => frame.contentWindow.postMessage({ normscope: 1, ask: "keys" }, location.origin), 200);
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow || data?.answer !== "keys" || !data.presets) return;
      clearInterval(asking);
      frame.remove();
      done(data.presets);
    });
  });
}

try {
  gallery.append(...(await (file ? fetchPresets(file) : ownPresets())).map(card));
} catch (error) {
  document.querySelector("[data-trouble]").textContent = error.message;
}
