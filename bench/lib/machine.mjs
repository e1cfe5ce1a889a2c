// On what and when a section was run.

import { execFileSync } from "node:child_process";
import os from "node:os";

const GIB = 2 ** 30;

/** The commit of the checkout, marked where files differ from it; nothing outside a repository. */
function commit() {
  const quietly = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  try {
    return execFileSync("git", ["describe", "--always", "--dirty", "--abbrev=10"], quietly).trim();
  } catch {
    return undefined;
  }
}

/** Processor, memory, system, date, and how busy the machine is with other work now. */
export function machine() {
  return {
    date: new Date().toISOString(),
    commit: commit(),
    processor: os.cpus()[0]?.model.trim(),
    cores: os.availableParallelism(),
    memory_gib: Math.round(os.totalmem() / GIB),
    system: `${os.type()} ${os.release().split("-")[0]} ${os.arch()}`,
    node: process.version,
    load_before: Number(os.loadavg()[0].toFixed(2)),
  };
}
