import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { InputError, UnreachableError } from "../../../src/domain/failures.js";
import { type CliSearch, findTemporalCli } from "../../../src/temporal/cli/cli-binary.js";
import { cliCacheDirectory, TEMPORAL_CLI_VERSION } from "../../../src/temporal/cli/cli-cache.js";
import { goModuleDirectory } from "../../../src/temporal/cli/cli-install.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { identify } from "../../helpers/temporal/processes.js";

const FAKE_CLI = '#!/bin/sh\necho "temporal version 9.9.9 (fake)"\n';
const temp = eachTest(tempDirectory);
let search: CliSearch & { env: Record<string, string> };
let reports: string[];

async function script(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

// A `go` that does what the real one does with these arguments, and counts how often.
const fakeGo = (body: string) =>
  script(
    join(temp.path, "bin", "go"),
    `#!/bin/sh\necho "$@" >>'${temp.path}/go-calls'\nenv >>'${temp.path}/go-env'\n` +
      `while [ "$1" != -o ]; do shift; done\nout=$2\n${body}`,
  );
const goBuilds = `sleep 0.2\nprintf '#!/bin/sh\\necho temporal version 1.5.1\\n' >"$out"\nchmod 755 "$out"\n`;

/** Everything below the cache but the lock's own bookkeeping. */
async function cached(): Promise<string[]> {
  const names = await readdir(cliCacheDirectory(search.env)).catch(() => []);
  return names.filter((name) => name !== "lock");
}

beforeEach(async () => {
  reports = [];
  await mkdir(join(temp.path, "module"));
  const noDownload = await script(join(temp.path, "offline"), "#!/bin/sh\necho no route >&2\nexit 1\n");
  search = {
    env: {
      PATH: `${join(temp.path, "bin")}:/usr/bin:/bin`,
      XDG_CACHE_HOME: join(temp.path, "cache"),
      HOME: temp.path,
    },
    report: (message) => reports.push(message),
    download: { command: noDownload, args: [], stallMs: 1_500, timeoutMs: 10_000 },
    moduleDirectory: join(temp.path, "module"),
  };
});

describe("the order of the search", () => {
  const places = {
    TEMPORAL_CLI_PATH: async () => {
      search.env.TEMPORAL_CLI_PATH = await script(join(temp.path, "given"), FAKE_CLI);
    },
    PATH: () => script(join(temp.path, "bin", "temporal"), FAKE_CLI),
    cache: () => script(join(cliCacheDirectory(search.env), "temporal"), FAKE_CLI),
    download: async () => {
      const command = await script(
        join(temp.path, "download"),
        `#!/bin/sh\nprintf '%s' '${FAKE_CLI}' >"$1/temporal-sdk"\n`,
      );
      search = { ...search, download: { command, args: [], stallMs: 5_000, timeoutMs: 10_000 } };
    },
    build: () => fakeGo(goBuilds),
  };
  const order = Object.keys(places) as (keyof typeof places)[];

  test.each(order.map((origin, index) => [origin, order.slice(index)] as const))(
    "%s comes before all that follow it",
    async (origin, there) => {
      for (const place of there) await places[place]();
      const found = await findTemporalCli(search);
      expect(found.origin).toBe(origin);
      expect(await readFile(found.path, "utf8")).toContain("temporal version");
    },
  );

  test("what was downloaded or built is found in the cache the next time, and nothing else stays", async () => {
    await places.build();
    await findTemporalCli(search);
    expect(await cached()).toEqual(["temporal"]);
    expect((await findTemporalCli(search)).origin).toBe("cache");
  });
});

test("a TEMPORAL_CLI_PATH that is not a Temporal CLI is an input error, not a reason to look elsewhere", async () => {
  await script(join(temp.path, "bin", "temporal"), FAKE_CLI);
  search.env.TEMPORAL_CLI_PATH = join(temp.path, "nothing");
  await expect(findTemporalCli(search)).rejects.toThrow(InputError);
  search.env.TEMPORAL_CLI_PATH = "/bin/true";
  await expect(findTemporalCli(search)).rejects.toThrow(/TEMPORAL_CLI_PATH: \/bin\/true does not say/);
});

test("something else called temporal on the PATH is passed over", async () => {
  await script(join(temp.path, "bin", "temporal"), "#!/bin/sh\nexit 3\n");
  await fakeGo(goBuilds);
  expect((await findTemporalCli(search)).origin).toBe("build");
});

test("when nothing works the error names each thing tried and what to do, and no file is left", async () => {
  await fakeGo('echo "go: no network" >&2\nprintf half >"$out"\nexit 1\n');
  const error = await findTemporalCli(search).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(UnreachableError);
  const { message } = error as Error;
  for (const part of ["TEMPORAL_CLI_PATH: not set", "PATH: no `temporal`", "cache: no ", "no route"]) {
    expect(message).toContain(part);
  }
  expect(message).toContain("build: ended with code 1 (go: no network)");
  expect(message).toMatch(/Install .* or install Go .* or set TEMPORAL_ADDRESS/s);
  expect(await cached()).toEqual([]);
});

test("a download that stalls half-way is ended with all it started, leaves no file, and the build continues", async () => {
  const command = await script(
    join(temp.path, "stall"),
    `#!/bin/sh\nprintf half >"$1/temporal-sdk"\nsleep 600 & echo $! >'${temp.path}/grandchild'\nwait\n`,
  );
  await fakeGo(goBuilds);
  const download = { command, args: [], stallMs: 1_000, timeoutMs: 60_000 };
  const found = await findTemporalCli({ ...search, download });
  expect(found.origin).toBe("build");
  expect(await cached()).toEqual(["temporal"]);
  const grandchild = Number(await readFile(join(temp.path, "grandchild"), "utf8"));
  await expect.poll(() => identify(grandchild)).toBeUndefined();
});

test("what a killed installation left half-done is cleared by the next one", async () => {
  await script(join(cliCacheDirectory(search.env), "partial", "temporal"), "half");
  await fakeGo(goBuilds);
  expect((await findTemporalCli(search)).origin).toBe("build");
  expect(await cached()).toEqual(["temporal"]);
});

test("a build that does not run is not used", async () => {
  await fakeGo(`printf 'not a program' >"$out"\n`);
  await expect(findTemporalCli(search)).rejects.toThrow(
    /build: the result --version could not be run|build: the result --version ended/,
  );
  expect(await cached()).toEqual([]);
});

test("searches at once build once", async () => {
  await fakeGo(goBuilds);
  const found = await Promise.all(Array.from({ length: 4 }, () => findTemporalCli(search)));
  expect(reports).toContain("Building the Temporal CLI, once: 2 to 4 minutes on two cores.");
  expect(found.map((one) => one.origin).sort()).toEqual(["build", "cache", "cache", "cache"]);
  expect((await readFile(join(temp.path, "go-calls"), "utf8")).trim().split("\n")).toHaveLength(1);
});

test("the build is reproducible and small, and never sees a secret", async () => {
  search.env.NIGHTLEDGER_API_KEY = "sk_live_1";
  search.env.TEMPORAL_API_KEY = "tk_live_1";
  await fakeGo(goBuilds);
  await findTemporalCli(search);
  expect(await readFile(join(temp.path, "go-calls"), "utf8")).toMatch(
    /^build -trimpath -ldflags -s -w -o \S+ github\.com\/temporalio\/cli\/cmd\/temporal\n$/,
  );
  expect(await readFile(join(temp.path, "go-env"), "utf8")).not.toMatch(/_live_1/);
});

test("an interrupt ends the build at once", async () => {
  await fakeGo(`echo $$ >'${temp.path}/go-pid'\nsleep 600\n`);
  const abort = new AbortController();
  const searching = findTemporalCli({ ...search, signal: abort.signal });
  searching.catch(() => undefined);
  const pid = await expect
    .poll(() => readFile(join(temp.path, "go-pid"), "utf8").catch(() => ""), { timeout: 10_000 })
    .toMatch(/\d/)
    .then(() => readFile(join(temp.path, "go-pid"), "utf8"));
  abort.abort(new Error("interrupted"));
  await expect(searching).rejects.toThrow("interrupted");
  await expect.poll(() => identify(Number(pid))).toBeUndefined();
});

test("the version in the cache's name is the one that tools/temporal/go.mod pins", async () => {
  const module = await readFile(join(goModuleDirectory() ?? "", "go.mod"), "utf8");
  expect(module).toContain(`github.com/temporalio/cli v${TEMPORAL_CLI_VERSION}`);
});
