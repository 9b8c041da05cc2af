import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { runHere } from "../../helpers/command/command-here.js";
import { startCommand } from "../../helpers/command/command-process.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachFile } from "../../helpers/each-test.js";

const OTHER_KEY = `other:${Buffer.alloc(32, 9).toString("base64")}`;
const NOBODY = 65_534;

const sandbox = eachFile(() =>
  startSandbox({ population: { kind: "synthetic", users: 1, linksPerUser: 1, rows: 10 } }),
);
let folder: JobFolder;

beforeEach(async () => {
  sandbox.clearRequests();
  folder = await openJobFolder(sandbox);
});
afterEach(() => folder.release());

interface Refusal {
  readonly code: number;
  readonly class: string;
  readonly message: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs a sync that must be refused; checks that it printed one JSON value and left everything as it was. */
async function refused(args: readonly string[], env: Env = {}): Promise<Refusal> {
  const before = await everyName();
  const { code, stdout, stderr } = await runHere(folder, ["sync", "--json", ...args], env);
  const lines = stdout.split("\n");
  expect(lines.pop(), "standard output ends with a line feed").toBe("");
  expect(lines, stderr).toHaveLength(1);
  const value = JSON.parse(stdout);
  expect(Object.keys(value)).toEqual(["error"]);
  expect(Object.keys(value.error).sort()).toEqual(["class", "message"]);
  expect(await everyName(), "nothing was written").toEqual(before);
  expect(folder.servers(), "nothing was started").toEqual([]);
  return { code, ...value.error };
}

async function everyName(): Promise<string[]> {
  return (await readdir(folder.directory, { recursive: true })).sort();
}

/** An input error (exit 2) found before the service was asked anything. */
async function badInput(args: readonly string[], env: Env = {}): Promise<string> {
  const { code, message, ...error } = await refused(args, env);
  expect({ code, class: error.class }, message).toEqual({ code: 2, class: "InputError" });
  expect(sandbox.calls().total, "the service was asked nothing").toBe(0);
  return message;
}

const ROSTER = ["--roster", "users.csv"];

test.each<[string, readonly string[], Env, RegExp]>([
  ["a roster with a header only", ["--roster", "bad.csv"], {}, /bad\.csv.*no user/],
  [
    "a roster that is not there, whatever the lake is",
    ["--roster", "none.csv"],
    { NIGHTLEDGER_ENCRYPTION_KEYS: OTHER_KEY },
    /none\.csv.*not there/,
  ],
  ["no roster", [], {}, /--roster/],
  ["an unknown stream", [...ROSTER, "--streams", "transactions,balances"], {}, /balances.*accepted/s],
  ["an unknown option", [...ROSTER, "--colour"], {}, /--colour/],
  ["a key check that is none", ROSTER, { NIGHTLEDGER_ENCRYPTION_KEYS: OTHER_KEY }, /not a key check/],
  ["no key of the service", ROSTER, { NIGHTLEDGER_API_KEY: "" }, /NIGHTLEDGER_API_KEY/],
  ["a cluster without keys", ROSTER, { TEMPORAL_ADDRESS: "127.0.0.1:1" }, /NIGHTLEDGER_ENCRYPTION_KEYS/],
  ["--detach without a cluster", [...ROSTER, "--detach"], {}, /nightledger dev/],
  [
    "a lake below a file",
    ROSTER,
    { NIGHTLEDGER_LAKE: "bad.csv/lake" },
    /NIGHTLEDGER_LAKE.*bad\.csv.*directory/,
  ],
  [
    "a HOME below a file",
    ROSTER,
    { NIGHTLEDGER_HOME: "bad.csv/home" },
    /NIGHTLEDGER_HOME.*bad\.csv.*directory/,
  ],
])("%s exits 2 and is named", async (_, args, env, words) => {
  await writeFile(join(folder.directory, "bad.csv"), "fp_id\n");
  await mkdir(join(folder.lake, "_nightledger"), { recursive: true });
  await writeFile(join(folder.lake, "_nightledger/canary.json"), "{}");
  expect(await badInput(args, env)).toMatch(words);
});

test("a lake that this user may not write exits 2 and names variable and path", async () => {
  const lake = join(folder.directory, "locked");
  await mkdir(lake, { mode: 0o555 });
  const asOther = process.getuid?.() === 0 ? { uid: NOBODY } : {};
  await chmod(folder.directory, 0o777);
  const { code, stdout } = await startCommand(["sync", "--roster", "users.csv", "--json"], {
    cwd: folder.directory,
    env: { ...folder.env, NIGHTLEDGER_LAKE: lake },
    ...asOther,
  }).ended;
  expect(code).toBe(2);
  expect(JSON.parse(stdout).error.message).toMatch(/NIGHTLEDGER_LAKE.*locked.*writable/);
  expect(await readdir(lake)).toEqual([]);
  expect(await folder.names()).toEqual(["locked", "users.csv"]);
  expect(sandbox.calls().total).toBe(0);
});

test("a service that does not answer exits 3 at once", async () => {
  const closed = await closedPort();
  const { code, ...error } = await refused(["--roster", "users.csv"], {
    NIGHTLEDGER_API_URL: `http://127.0.0.1:${closed}`,
  });
  expect({ code, class: error.class }).toEqual({ code: 3, class: "UnreachableError" });
  expect(error.message).toMatch(/NIGHTLEDGER_API_URL/);
});

test("refused credentials exit 4 at once, and the key is not shown", async () => {
  const { code, ...error } = await refused(["--roster", "users.csv"], {
    NIGHTLEDGER_API_KEY: "sk_wrong_secret",
  });
  expect({ code, class: error.class }).toEqual({ code: 4, class: "AuthError" });
  expect(error.message).not.toContain("sk_wrong_secret");
  // The roster's first user may be refused to a good key: so one more call asks for nobody.
  expect(sandbox.calls().total).toBe(2);
});

test("a Temporal cluster that does not answer exits 3 and names the variable", async () => {
  const closed = await closedPort();
  const { code, ...error } = await refused(["--roster", "users.csv"], {
    TEMPORAL_ADDRESS: `127.0.0.1:${closed}`,
    NIGHTLEDGER_ENCRYPTION_KEYS: OTHER_KEY,
  });
  expect({ code, class: error.class }).toEqual({ code: 3, class: "UnreachableError" });
  expect(error.message).toMatch(/TEMPORAL_ADDRESS/);
});

test("of a lake that is in use: another key and no key exit 2 and change nothing", async () => {
  expect((await folder.sync().ended).code).toBe(0);
  sandbox.clearRequests();
  const roster = ["--roster", "users.csv"];
  const keys = (await readFile(join(folder.home, "keys"), "utf8")).trim();
  const id = keys.slice(0, keys.indexOf(":"));

  expect(await badInput(roster, { NIGHTLEDGER_ENCRYPTION_KEYS: OTHER_KEY })).toMatch(
    new RegExp(`NIGHTLEDGER_ENCRYPTION_KEYS.*${id}.*only "other"`, "s"),
  );
  const sameId = `${id}:${Buffer.alloc(32, 9).toString("base64")}`;
  expect(await badInput(roster, { NIGHTLEDGER_ENCRYPTION_KEYS: sameId })).toMatch(/is another one/);
  const elsewhere = await mkdtemp(join(tmpdir(), "nightledger-elsewhere-"));
  try {
    expect(await badInput(roster, { NIGHTLEDGER_HOME: elsewhere })).toMatch(
      /NIGHTLEDGER_ENCRYPTION_KEYS.*not set/,
    );
    expect(await readdir(elsewhere)).toEqual([]);
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
  expect((await folder.sync().ended).code).toBe(0);
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
