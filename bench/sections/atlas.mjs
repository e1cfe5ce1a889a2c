// All depths of a model at once against a pass for each, natively on the best Vulkan adapter.

import * as native from "../lib/native.mjs";
import { digits, table } from "../lib/table.mjs";
import { model } from "../model.mjs";

const NAME = "200x64x32x4";
const [FROM, TO] = [6, 200];

export const title = `All depths from ${FROM} to ${TO} at once`;

export async function run(say) {
  say(`sweeps, then ${TO - FROM + 1} passes`);
  return { name: NAME, from: FROM, to: TO, ...(await native.atlas(FROM, TO, model(NAME))) };
}

const rows = ({ sweep, single }) => [
  ["dispatches", sweep.dispatches, single.dispatches, single.dispatches / sweep.dispatches],
  ["seconds", sweep.ms / 1e3, single.ms / 1e3, single.ms / sweep.ms],
];

export function show(result) {
  const lines = rows(result).map(([what, ...values]) => [what, ...values.map(digits)]);
  return `${result.adapter}\n\n${table(["", "by sweeps", "a pass each", "times"], lines)}`;
}

export function summary(result) {
  const [dispatches, seconds] = rows(result).map((row) => digits(row[3]));
  const depths = result.to - result.from + 1;
  return [[`${depths} depths by ${result.sweeps} sweeps against a pass each`, `${dispatches} times fewer dispatches, ${seconds} times as fast`]];
}
