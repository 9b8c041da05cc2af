import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporalCliPath } from "./temporal-environment.js";

/** Makes a Temporal CLI in a folder whose server starts and never gets ready; gives its path. */
export async function neverReadyCli(directory: string): Promise<string> {
  const path = join(directory, "never-ready-temporal");
  const script = `#!/bin/sh
case "$1" in
  server) while :; do sleep 0.1; done ;;
  *) exec '${await temporalCliPath()}' "$@" ;;
esac
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}
