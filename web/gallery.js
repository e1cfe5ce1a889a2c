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

/** The page's own presets. */
const ownPresets = async () => (await (await fetch(new URL("./keys.json", import.meta.url))).json()).presets;

try {
  gallery.append(...(await (file ? fetchPresets(file) : ownPresets())).map(card));
} catch (error) {
  document.querySelector("[data-trouble]").textContent = error.message;
}
