// Normscope's own page through its module, as any script may use it.

import { query, seriesOfRun } from "/bench/model.mjs";

/** Takes the module that the page has started. */
export async function open(_backend, model) {
  const tag = document.querySelector("script[data-js]");
  const { measure } = await import(new URL(tag.dataset.js, document.baseURI));
  return {
    pass: async (depth) => JSON.parse(await measure(query({ ...model, depth }))),
    series: seriesOfRun,
  };
}
