import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMPILED = fileURLToPath(new URL("../../../dist/src", import.meta.url));
const BUNDLE = join(COMPILED, "../workflow-bundle.js");

/** Before tests that run workflows: builds their bundle again where a source was compiled after it. */
export default function setup(): void {
  const builtAt = statSync(BUNDLE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const names = readdirSync(COMPILED, { recursive: true, encoding: "utf8" });
  if (names.every((name) => statSync(join(COMPILED, name)).mtimeMs <= builtAt)) return;
  execFileSync(process.execPath, [join(COMPILED, "workflows/build-bundle.js")], { stdio: "inherit" });
}
