// A file of presets: `{"presets": [{"title": "…", "query": "placement=post&depth=48", "sentence": "…"}]}`.

const MOST = 100;

/** Fetches it; throws with what is wrong, in a sentence. */
export async function fetchPresets(address) {
  const fail = (why) => {
    throw new Error(`The presets of ${address} could not be used: ${why}.`);
  };
  let response;
  try {
    response = await fetch(new URL(address, location.href));
  } catch {
    // A browser does not say whether the file, the network or a policy stands in the way.
    fail("the browser could not fetch the file, or a policy of this site does not let it");
  }
  if (!response.ok) fail(`the server answered ${response.status}`);
  let given;
  try {
    given = await response.json();
  } catch {
    fail("it is no JSON");
  }
  if (!Array.isArray(given?.presets)) fail("it has no list “presets”");
  if (given.presets.length > MOST) fail(`it has ${given.presets.length} presets, more than ${MOST}`);
  return given.presets.map(({ title, query, sentence = "" } = {}, index) => {
    const isText = (text, most) => typeof text === "string" && text.length <= most;
    if (!isText(title, 80) || title === "") fail(`preset ${index + 1} has no title of up to 80 characters`);
    if (!isText(query, 2000) || /[#\s]/.test(query)) fail(`preset ${index + 1} has no query`);
    if (!isText(sentence, 300)) fail(`the sentence of preset ${index + 1} has more than 300 characters`);
    return { title, query: query.replace(/^\?/, ""), sentence };
  });
}
