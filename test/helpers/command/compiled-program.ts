import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The script of a program that a test runs as a process of its own; `source` is its path in the checkout. */
export function compiledProgram(source: `test/${string}.ts`): string {
  return join(ROOT, "dist", source.replace(/\.ts$/, ".js"));
}
