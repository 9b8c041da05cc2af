import { readConfig } from "../../config.js";
import { checkPlace, placeAddress } from "../../temporal/listen.js";
import { type Metrics, sdkMetrics } from "../../temporal/metrics.js";
import { installRuntime } from "../../temporal/runtime.js";
import type { Terminal } from "../terminal/terminal.js";

const NO_METRICS =
  "nothing was started. Each process that shows metrics needs a port of its own in NIGHTLEDGER_METRICS";

/** Until a worker brings its log. */
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** Exports what this process counts, where `NIGHTLEDGER_METRICS` is set. @throws InputError where the port can't be used */
export async function exportMetrics(terminal: Terminal): Promise<Metrics | undefined> {
  const { place } = readConfig(terminal, ["metrics"]).metrics;
  if (place === undefined) return undefined;
  if (place.otlp === undefined) await checkPlace(place, NO_METRICS);
  installRuntime(NO_LOG, place);
  const where = place.otlp === undefined ? `${placeAddress(place)}/metrics` : place.otlp;
  terminal.say(`metrics   ${where}`);
  return sdkMetrics();
}
