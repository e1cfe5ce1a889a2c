// The presets with small live pictures: those of the page, or of a file that the address names.

import { inLanguage, present, readTable } from "./beside.js";
import { fetchPresets } from "./presets.js";

const PARTS = "bar,depth,placements,second,options,readings,more,compare,theory,status,settings,whole";
const file = new URLSearchParams(location.search).get("presets");

/** A card: title, sentence, link, and the page itself, loaded when it comes near. */
function card({ title, query, sentence }) {
  const article = document.createElement("article");
  const heading = document.createElement("h2");
  const address = `.?${inLanguage(query)}`;
  heading.append(Object.assign(document.createElement("a"), { href: address, textContent: title }));
  const frame = Object.assign(document.createElement("iframe"), { title, loading: "lazy", src: `${address}&embed=1&hide=${PARTS}` });
  article.append(heading, frame);
  if (sentence) article.append(Object.assign(document.createElement("p"), { textContent: sentence }));
  return article;
}

/** The page's own presets. Those that are a model of the literature have its name for a title. */
async function ownPresets(say) {
  const { presets } = await readTable();
  const said = (key, what) => say(`presets.${key}.${what}`);
  return presets.map(({ key, name, query }) => ({ title: name ?? said(key, "title"), query, sentence: said(key, "sentence") }));
}

/** Fills the page; `say` says a text by its name (boot.js). */
export async function serve(say) {
  present(say);
  try {
    const presets = await (file ? fetchPresets(file, say) : ownPresets(say));
    document.querySelector("[data-gallery]").append(...presets.map(card));
  } catch (error) {
    document.querySelector("[data-trouble]").textContent = error.message;
  }
}
