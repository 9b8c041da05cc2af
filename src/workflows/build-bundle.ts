import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode } from "@temporalio/worker";
import { failureConverterPath } from "../temporal/encryption/payload-codec.js";

// A script of `npm run build`: a worker starts from the finished bundle, never from sources.
const workflowsPath = fileURLToPath(new URL("./index.js", import.meta.url));
const sealedPath = fileURLToPath(new URL("./sealed-only.js", import.meta.url));
const isolatePath = fileURLToPath(new URL("./isolate.js", import.meta.url));
const target = fileURLToPath(new URL("../../workflow-bundle.js", import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath,
  failureConverterPath,
  workflowInterceptorModules: [sealedPath],
  // Evaluates them once and freezes them, not once per workflow: no module of a workflow may hold state.
  preloadModules: [isolatePath, workflowsPath],
  logger: { log() {}, trace() {}, debug() {}, info() {}, warn: report, error: report },
});
await writeFile(target, code);

function report(message: string): void {
  process.stderr.write(`${message}\n`);
}
