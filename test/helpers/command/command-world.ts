import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import { sharedTemporal } from "../temporal/shared-temporal.js";
import { openClusterFolder } from "./cluster-folder.js";
import { runHere, sayHere } from "./command-here.js";
import type { JobFolder } from "./job-folder.js";

/** Opens a stand-in, and a folder whose commands use a cluster, before each test of a file; releases both after it. */
export function commandWorld(options: SandboxOptions = {}) {
  let sandbox: Sandbox;
  let folder: JobFolder;
  beforeEach(async () => {
    sandbox = await startSandbox(options);
    folder = await openClusterFolder(sandbox, sharedTemporal());
  });
  afterEach(async () => {
    await folder?.release();
    await sandbox?.close();
  });
  return {
    get sandbox() {
      return sandbox;
    },
    get folder() {
      return folder;
    },
    write: (name: string, data: string | Buffer) => writeFile(join(folder.directory, name), data),
    run: (...args: string[]) => runHere(folder, args),
    say: (...args: string[]) => sayHere(folder, ...args),
  };
}
