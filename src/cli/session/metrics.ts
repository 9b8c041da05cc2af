import { readConfig } from "../../config.js";
import { checkPlace } from "../../temporal/listen.js";
import { installRuntime } from "../../temporal/runtime.js";
import type { Terminal } from "../terminal/terminal.js";

/** Until the worker of this process brings its log. */
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** Exports what a worker of this process counts, where `NIGHTLEDGER_METRICS` says so. @throws InputError where the port can't be used */
export async function exportMetrics(terminal: Terminal): Promise<void> {
  const { place } = readConfig(terminal, ["metrics"]).metrics;
  if (place === undefined) return;
  if (place.otlp === undefined) await checkPlace(place, "nothing was started");
  installRuntime(NO_LOG, place);
  const where = place.otlp === undefined ? `http://${place.host}:${place.port}/metrics` : place.otlp;
  terminal.say(`metrics   ${where}`);
}
