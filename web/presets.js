// A file of presets: `{"presets": [{"title": "…", "query": "placement=post&depth=48", "sentence": "…"}]}`.

const MOST = 100;
const LONGEST_TITLE = 80;
const LONGEST_SENTENCE = 300;

/** Fetches it; throws with what is wrong, in a sentence. */
export async function fetchPresets(address, say) {
  const fail = (name, values) => {
    throw new Error(say("host.presets_refused", { file: address, why: say(name, values) }));
  };
  let response;
  try {
    response = await fetch(new URL(address, location.href));
  } catch {
    // A browser does not say whether the file, the network or a policy stands in the way.
    fail("host.not_fetched");
  }
  if (!response.ok) fail("host.not_answered", { status: response.status });
  let given;
  try {
    given = await response.json();
  } catch {
    fail("host.no_json");
  }
  if (!Array.isArray(given?.presets)) fail("host.no_presets");
  if (given.presets.length > MOST) fail("host.many_presets", { count: given.presets.length, most: MOST });
  return given.presets.map(({ title, query, sentence = "" } = {}, index) => {
    const isText = (text, most) => typeof text === "string" && text.length <= most;
    const number = index + 1;
    if (!isText(title, LONGEST_TITLE) || title === "") fail("host.preset_title", { number, most: LONGEST_TITLE });
    if (!isText(query, 2000) || /[#\s]/.test(query)) fail("host.preset_query", { number });
    if (!isText(sentence, LONGEST_SENTENCE)) fail("host.preset_sentence", { number, most: LONGEST_SENTENCE });
    return { title, query: query.replace(/^\?/, ""), sentence };
  });
}
