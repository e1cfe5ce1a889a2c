// The sections by name, in the order in which they run. A section has a `title`; `run(say)`, which measures and
// resolves to JSON; `show(result)`, its table; and, but for the first, `summary(result)`: rows for the README.

import { fileURLToPath } from "node:url";
import * as atlas from "./atlas.mjs";
import * as counters from "./counters.mjs";
import * as growth from "./growth.mjs";
import * as latency from "./latency.mjs";
import * as memory from "./memory.mjs";
import * as native from "./native.mjs";
import * as peers from "./peers.mjs";
import * as startup from "./startup.mjs";

export const SECTIONS = { peers, latency, counters, atlas, startup, native, memory, growth };

/** The folder of what was measured. */
export const RESULTS = fileURLToPath(new URL("../results", import.meta.url));
