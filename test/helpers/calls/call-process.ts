import { readFileSync } from "node:fs";
import { type CallWorkerSettings, startCallWorker } from "./call-worker.js";

// A worker of the calls in a process of its own, to be killed. Its one argument is a JSON file of its settings.
await startCallWorker(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as CallWorkerSettings);
process.stdout.write("working\n");
