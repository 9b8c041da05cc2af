import { sdkMetrics } from "../../../src/temporal/metrics.js";
import { installRuntime } from "../../../src/temporal/runtime.js";
import { freePort } from "../command/free-port.js";

// Counts everything once and prints what Prometheus would read: a process has one runtime of Temporal for its life.
const port = await freePort();
installRuntime({ debug() {}, info() {}, warn() {}, error() {} }, { host: "127.0.0.1", port });
// A worker within `dev` and the command around it count side by side.
for (const metrics of [sdkMetrics(), sdkMetrics()]) {
  metrics.called({
    operation: "get_user",
    status: "200",
    seconds: 1,
    waitedSeconds: 1,
    newFields: [],
    bytes: 10,
  });
  metrics.runEnded({
    kind: "sync",
    status: "completed_with_failures",
    schedule: "nightly",
    seconds: 1,
    counts: {},
  });
  metrics.conflicted("runs");
  metrics.openRows(3);
  metrics.received("taken");
}
process.stdout.write(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
process.exit(0);
