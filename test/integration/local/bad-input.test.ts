import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { runHere } from "../../helpers/command/command-here.js";
import { startCommand } from "../../helpers/command/command-process.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";

const OTHER_KEY = `other:${Buffer.alloc(32, 9).toString("base64")}`;
const NOBODY = 65_534;

let sandbox: Sandbox;
let folder: JobFolder;

beforeAll(async () => {
  sandbox = await startSandbox({ population: { kind: "synthetic", users: 1, linksPerUser: 1, rows: 10 } });
});
afterAll(() => sandbox.close());
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

const ROSTERS: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ["an empty roster", "", /bad\.csv.*empty/],
  ["a roster with a header only", "fp_id\n", /bad\.csv.*no user/],
  ["a roster that is not UTF-8", Buffer.from("fp_id\nfp_\xff\n", "latin1"), /bad\.csv.*line 2, byte 4/],
  ["a UTF-16 roster", Buffer.from("\ufefffp_id\nfp_1\n", "utf16le"), /bad\.csv.*UTF-16/],
  ["a user named twice", "fp_id\nfp_1\nfp_2\nfp_1\n", /bad\.csv.*line 4.*fp_id.*line 2/s],
  ["a roster without fp_id", "user\nfp_1\n", /bad\.csv.*line 1.*fp_id/s],
  ["a blank fp_id", 'fp_id,external_id\nfp_1,a\n"",b\n', /bad\.csv.*line 3.*fp_id/s],
  ["a row with a field too many", "fp_id\nfp_1\nfp_2,x,y\n", /bad\.csv.*line 3/s],
  ["a quote that never ends", 'fp_id\n"fp_1\n', /bad\.csv.*line [23]/s],
];

test.each(ROSTERS)("%s exits 2 and names file and line", async (_, content, said) => {
  await writeFile(join(folder.directory, "bad.csv"), content);
  expect(await badInput(["--roster", "bad.csv"])).toMatch(said);
});

test("malformed JSONL exits 2 and names file and line", async () => {
  await writeFile(join(folder.directory, "bad.jsonl"), '{"fp_id":"fp_1"}\n{"fp_id":"fp_2",}\n');
  expect(await badInput(["--roster", "bad.jsonl"])).toMatch(/bad\.jsonl.*line 2/s);
});

test("a roster that is not there, or a directory, exits 2 and is named", async () => {
  expect(await badInput(["--roster", "none.csv"])).toMatch(/none\.csv.*not there/);
  await mkdir(join(folder.directory, "folder.csv"));
  expect(await badInput(["--roster", "folder.csv"])).toMatch(/folder\.csv.*directory/);
});

test("an unknown stream, a bad size or an unknown option exits 2 and is named", async () => {
  const roster = ["--roster", "users.csv"];
  expect(await badInput([...roster, "--streams", "transactions,balances"])).toMatch(/balances.*accepted/s);
  expect(await badInput([...roster, "--page-size", "many"])).toMatch(/--page-size/);
  expect(await badInput([...roster, "--colour"])).toMatch(/--colour/);
  expect(await badInput([])).toMatch(/--roster/);
});

test("a variable that is missing or wrong exits 2 and is named", async () => {
  const roster = ["--roster", "users.csv"];
  expect(await badInput(roster, { NIGHTLEDGER_API_KEY: "" })).toMatch(/NIGHTLEDGER_API_KEY/);
  expect(await badInput(roster, { NIGHTLEDGER_API_URL: "not an address" })).toMatch(/NIGHTLEDGER_API_URL/);
  expect(await badInput(roster, { NIGHTLEDGER_API_CONCURRENCY: "0" })).toMatch(/NIGHTLEDGER_API_CONCURRENCY/);
  expect(await badInput(roster, { NIGHTLEDGER_ENCRYPTION_KEYS: "short:abc" })).toMatch(
    /NIGHTLEDGER_ENCRYPTION_KEYS.*key 1/,
  );
});

test("the roster is looked at before the lake", async () => {
  await mkdir(join(folder.lake, "_nightledger"), { recursive: true });
  await writeFile(join(folder.lake, "_nightledger/canary.json"), "{}");
  const keys = { NIGHTLEDGER_ENCRYPTION_KEYS: OTHER_KEY };
  expect(await badInput(["--roster", "none.csv"], keys)).toMatch(/none\.csv/);
  expect(await badInput(["--roster", "users.csv"], keys)).toMatch(/not a key check/);
});

test("a lake or HOME below a file exits 2 and names variable and path", async () => {
  await writeFile(join(folder.directory, "file"), "");
  const below = join(folder.directory, "file", "lake");
  const roster = ["--roster", "users.csv"];
  expect(await badInput(roster, { NIGHTLEDGER_LAKE: below })).toMatch(/NIGHTLEDGER_LAKE.*file.*directory/);
  expect(await badInput(roster, { NIGHTLEDGER_HOME: below })).toMatch(/NIGHTLEDGER_HOME.*file.*directory/);
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

test("--detach without a cluster exits 2 and names the command to use", async () => {
  expect(await badInput(["--roster", "users.csv", "--detach"])).toMatch(/nightledger dev/);
});

test("a cluster without keys exits 2 and names the variable", async () => {
  expect(await badInput(["--roster", "users.csv"], { TEMPORAL_ADDRESS: "127.0.0.1:1" })).toMatch(
    /NIGHTLEDGER_ENCRYPTION_KEYS/,
  );
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
  expect(sandbox.calls().total).toBe(1);
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

test("of a lake that is in use: another key, no key and a newer protocol each exit 2 and change nothing", async () => {
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

  for (const [table, change] of [
    ["transaction_changes", { minReaderVersion: 3, readerFeatures: ["deletionVectors"] }],
    ["transactions", { minWriterVersion: 9 }],
  ] as const) {
    const first = join(folder.lake, table, "_delta_log", `${"0".repeat(20)}.json`);
    const text = await readFile(first, "utf8");
    await writeFile(first, newerProtocol(text, change));
    expect(await badInput(roster)).toMatch(new RegExp(`${table}.*newer`));
    await writeFile(first, text);
  }
  expect((await folder.sync().ended).code).toBe(0);
});

function newerProtocol(commit: string, change: object): string {
  return commit
    .split("\n")
    .map((line) => {
      const action = line === "" ? {} : JSON.parse(line);
      if (action.protocol === undefined) return line;
      return JSON.stringify({ protocol: { ...action.protocol, ...change } });
    })
    .join("\n");
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
