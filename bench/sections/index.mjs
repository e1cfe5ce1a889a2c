// The sections by name, in the order in which they run. A section has a `title`; `run(say)`, which measures and
// resolves to JSON; `show(result)`, its table; and, but for the first, `summary(result)`: rows for the README.

import { fileURLToPath } from "node:url";
import * as counters from "./counters.mjs";
import * as growth from "./growth.mjs";
import * as latency from "./latency.mjs";
import * as memory from "./memory.mjs";
import * as native from "./native.mjs";
import * as peers from "./peers.mjs";

export const SECTIONS = { peers, latency, counters, native, memory, growth };

/** The folder of what was measured. */
export const RESULTS = fileURLToPath(new URL("../results", import.meta.url));
