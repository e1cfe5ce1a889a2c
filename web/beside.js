// What the builder and the gallery share: words, the table of keys, and the language that their links keep.

const asked = new URLSearchParams(location.search).get("lang");

/** The table of keys, presets and statistics. */
export async function readTable() {
  return (await fetch(new URL("./keys.json", import.meta.url))).json();
}

/** A query in the language that the address of this page asks for, if it does and the query asks for none. */
export function inLanguage(query) {
  if (!asked || new URLSearchParams(query).has("lang")) return query;
  return `${query && `${query}&`}lang=${encodeURIComponent(asked)}`;
}

/** Shows the page, with the words that its markup names. Until then it is hidden, so that nobody sees words come or move. */
export function present(say) {
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
  for (const link of document.querySelectorAll("[data-beside], [data-page]")) link.search = inLanguage("");
  document.title = `${document.querySelector("h1").textContent} – Normscope`;
  document.querySelector("main").hidden = false;
}
