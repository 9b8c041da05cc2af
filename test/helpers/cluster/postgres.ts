import { execFile } from "node:child_process";
import { appendFile, chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findOnPath, isExecutable } from "../../../src/temporal/cli/cli-cache.js";
import { startProgram } from "../command/command-process.js";
import { KeptProgram } from "./kept-program.js";

const run = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";
/** `nobody`: PostgreSQL refuses to be run by root. */
const UID = 65_534;
const DAY_MS = 86_400_000;

/** The folder of PostgreSQL's programs: on the PATH, or the newest of Debian's. */
export async function findPostgres(): Promise<string | undefined> {
  const onPath = await findOnPath("initdb", process.env.PATH);
  if (onPath !== undefined) return join(onPath, "..");
  const versions = await readdir(DEBIAN).catch(() => []);
  for (const version of versions.sort((a, b) => Number(b) - Number(a))) {
    const bin = join(DEBIAN, version, "bin");
    if (await isExecutable(join(bin, "initdb"))) return bin;
  }
  return undefined;
}

/** Makes a PostgreSQL with a user `temporal`, on its usual port. */
export async function openPostgres(bin: string, host: string) {
  const directory = await mkdtemp(join(tmpdir(), "nightledger-postgres-"));
  const uid = process.getuid?.() === 0 ? UID : undefined;
  if (uid !== undefined) await chown(directory, uid, uid);
  const data = join(directory, "data");
  const initdb = ["-D", data, "-U", "temporal", "-E", "UTF8", "--locale", "C", "--auth", "trust"];
  await run(join(bin, "initdb"), initdb, { cwd: directory, ...(uid !== undefined && { uid, gid: uid }) });
  await appendFile(join(data, "pg_hba.conf"), `host all all ${host}/32 trust\n`);
  const settings = [`listen_addresses=${host}`, "unix_socket_directories="];
  const part = new KeptProgram({
    name: "PostgreSQL",
    launch: () =>
      startProgram([join(bin, "postgres"), "-D", data, ...settings.flatMap((one) => ["-c", one])], {
        cwd: directory,
        limitMs: DAY_MS,
        ...(uid !== undefined && { uid }),
      }),
    works: (child) => child.says(/database system is ready to accept connections/),
    // Processes of the one that was killed hold its memory for a moment.
    mayEndWith: [1],
  });
  return {
    part,
    async release() {
      await part.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
