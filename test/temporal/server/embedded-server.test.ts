import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, expect, test } from "vitest";
import { acquireEmbeddedServer } from "../../../src/temporal/server/embedded-server.js";
import { neverReadyCli } from "../../helpers/temporal/never-ready-cli.js";
import { identify, serversOn } from "../../helpers/temporal/processes.js";
import { embeddedHome } from "./embedded-home.js";

const SECONDS = { timeout: 8_000 };
const embedded = embeddedHome();
const { acquire, command, ready, serverPid, servers } = embedded;
let home: string;
beforeEach(() => {
  home = embedded.home;
});

test("a second command uses the server of the first, and continues with its own once that ends", async () => {
  const first = command();
  const address = await first.address;
  const second = await acquire();
  expect(second.address).toBe(address);
  expect(servers()).toHaveLength(1);
  await first.finish();
  expect(servers()).toEqual([]);
  await second.ensureRunning();
  expect(await ready(address)).toBe(true);
  await second.release();
  await second.release();
  expect(servers()).toEqual([]);
});

test("a kill -9 of the owner ends its server within seconds, and a second command starts another", async () => {
  const owner = command();
  const address = await owner.address;
  const second = await acquire();
  const [killed] = servers();
  await owner.kill();
  await second.ensureRunning();
  // The server that was ending may have answered this once.
  await expect.poll(() => identify(killed?.pid ?? 0), SECONDS).toBeUndefined();
  await second.ensureRunning();
  expect(await ready(address)).toBe(true);
  expect(servers()).toHaveLength(1);
  await second.release();
  const only = command();
  await only.address;
  await only.kill();
  await expect.poll(servers, SECONDS).toEqual([]);
});

test("a command that comes while the server of a killed one ends gets a server that stays", async () => {
  for (const delayMs of [0, 5, 20, 80]) {
    const killed = command();
    await killed.address;
    const [dead] = servers();
    const dying = killed.kill();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const next = await acquire();
    await dying;
    await expect.poll(() => identify(dead?.pid ?? 0), SECONDS).toBeUndefined();
    await next.ensureRunning();
    expect(await ready(next.address)).toBe(true);
    expect(servers()).toHaveLength(1);
    await next.release();
  }
});

test("a command killed while it starts the server leaves neither the lock nor a second server behind", async () => {
  const killed = command();
  await expect.poll(servers, { interval: 5, timeout: 20_000 }).toHaveLength(1);
  await killed.kill();
  const next = await acquire();
  expect(servers()).toHaveLength(1);
  expect(await ready(next.address)).toBe(true);
  await next.release();
  expect(servers()).toEqual([]);
});

test("of many that find the owner killed, one starts the server", async () => {
  const owner = command();
  const address = await owner.address;
  const others = await Promise.all([acquire(), acquire(), acquire()]);
  const [killed] = servers();
  await owner.kill();
  await expect.poll(() => identify(killed?.pid ?? 0), SECONDS).toBeUndefined();
  await Promise.all(others.map((one) => one.ensureRunning()));
  expect(await ready(address)).toBe(true);
  expect(servers()).toHaveLength(1);
  for (const one of others) await one.release();
  expect(servers()).toEqual([]);
});

/** Whether every thread has stopped: until then one may still answer. Without /proc the answer is yes. */
function isStopped(pid: number): boolean {
  if (process.platform !== "linux") return true;
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")),
  );
}

test("a server that hangs is ended and started again on the same database", async () => {
  const server = await acquire();
  const hanging = await serverPid();
  process.kill(hanging, "SIGSTOP");
  await expect.poll(() => isStopped(hanging)).toBe(true);
  await server.ensureRunning();
  expect(identify(hanging)).toBeUndefined();
  expect(await ready(server.address)).toBe(true);
  await server.release();
});

test("ensureRunning brings a killed server back at the same address, and only one", async () => {
  const [first, second] = [await acquire(), await acquire()];
  process.kill(await serverPid(), "SIGKILL");
  await Promise.all([first.ensureRunning(), second.ensureRunning()]);
  expect(await ready(first.address)).toBe(true);
  expect(servers()).toHaveLength(1);
  await first.release();
  await second.release();
  expect(servers()).toEqual([]);
});

test("commands that start, end and are killed in any order never give two servers", async () => {
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, servers().length);
  }, 10);
  try {
    for (const round of [0, 1]) {
      const three = [command(), command(), command()];
      await three[round]?.address;
      const released = three[0]?.address.then(() => three[0]?.finish());
      const killed = three[1]?.address.then(() => three[1]?.kill());
      const fourth = command();
      await Promise.all([released, killed, three[2]?.address, fourth.address]);
      const address = (await fourth.address) ?? "";
      expect(await three[2]?.address).toBe(address);
      const fifth = command();
      await Promise.all([three[2]?.finish(), fourth.finish()]);
      await fifth.address;
      await fifth.finish();
      expect(servers()).toEqual([]);
    }
  } finally {
    clearInterval(watching);
  }
  expect(most).toBe(1);
});

test("the web UI answers where it is asked for, and no browser", async () => {
  const server = await acquire({ ui: true });
  expect(server.ui).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(fetch(server.ui ?? "")).rejects.toMatchObject({ cause: { message: "bad port" } });
  const [answer] = await once(get(`${server.ui}/api/v1/settings`), "response");
  expect(JSON.parse(await text(answer)).Codec.Endpoint).toBe("");
  await server.release();
});

test("a server that ends at once is an unreachable error with the tail of its log, and leaves nothing held", async () => {
  const broken = join(home, "broken");
  await writeFile(broken, "#!/bin/sh\necho 'disk I/O error' >&2\nexit 7\n", { mode: 0o755 });
  const message = expect.stringMatching(/ended with code 7.*disk I\/O error/s);
  const acquiring = acquireEmbeddedServer({ home, cliPath: broken, report: () => undefined });
  await expect(acquiring).rejects.toMatchObject({ name: "UnreachableError", message });
  const next = await acquire();
  await next.release();
});

/** A Temporal CLI that panics as a Go program does, and after `times` times is the real one. */
async function panickingCli(times: number): Promise<string> {
  const path = join(home, "panicking");
  const script = `#!/bin/sh
echo >> '${path}.starts'
[ $(wc -l < '${path}.starts') -gt ${times} ] && exec '${embedded.cliPath}' "$@"
echo 'panic: failed assigning ephemeral port: no port is free' >&2
printf '\\ngoroutine 1 [running]:\\n' >&2
for line in $(seq 40); do echo "main.main() $line" >&2; done
exit 2
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

test("a server that finds no port for its own use and panics is started again", async () => {
  const cliPath = await panickingCli(2);
  const server = await acquireEmbeddedServer({ home, cliPath, report: () => undefined });
  expect(await ready(server.address)).toBe(true);
  await server.release();
  expect(servers()).toEqual([]);
});

test("a server that panics at every start is an error with the reason, not with a stack", async () => {
  const cliPath = await panickingCli(9);
  const message = expect.stringMatching(/ends with:\npanic: failed assigning .* no port is free$/);
  const acquiring = acquireEmbeddedServer({ home, cliPath, report: () => undefined });
  await expect(acquiring).rejects.toMatchObject({ name: "UnreachableError", message });
});

test("an interrupt while the server starts ends it again", async () => {
  const abort = new AbortController();
  const starting = { home, cliPath: await neverReadyCli(home), report: () => undefined };
  const acquiring = acquireEmbeddedServer({ ...starting, signal: abort.signal });
  acquiring.catch(() => undefined);
  await expect.poll(servers, { interval: 5, timeout: 20_000 }).toHaveLength(1);
  abort.abort(new Error("interrupted"));
  await expect(acquiring).rejects.toThrow("interrupted");
  expect(servers()).toEqual([]);
});

test("a HOME that can't be made is an input error that names the variable", async () => {
  await writeFile(join(home, "file"), "");
  const options = { home: join(home, "file", "home"), cliPath: embedded.cliPath, report: () => undefined };
  const message = expect.stringMatching(/^NIGHTLEDGER_HOME: /);
  await expect(acquireEmbeddedServer(options)).rejects.toMatchObject({ name: "InputError", message });
});

test("the server's environment and command line hold nothing of ours", async () => {
  process.env.NIGHTLEDGER_API_KEY = "sk_live_planted";
  try {
    const server = await acquire({ ui: true });
    if (process.platform === "linux") {
      for (const name of ["environ", "cmdline"]) {
        expect(await readFile(`/proc/${await serverPid()}/${name}`, "utf8")).not.toContain("sk_live_planted");
      }
    }
    await server.release();
  } finally {
    delete process.env.NIGHTLEDGER_API_KEY;
  }
});

/** Ports on which a process listens. */
function portsOf(pid: number): number[] {
  const files = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  return readFileSync(`/proc/${pid}/net/tcp`, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === "0A" && files.includes(`socket:[${inode}]`))
    .map(([, own]) => Number.parseInt(own?.split(":")[1] ?? "", 16));
}

test.runIf(process.platform === "linux")(
  "no port of the server answers what a web page can ask",
  async () => {
    const server = await acquire();
    const ports = portsOf(await serverPid());
    expect(ports.length).toBeGreaterThan(3);
    const answers = ["127.0.0.1", "none.invalid", ""].flatMap((name) =>
      ports.map((port) =>
        once(
          get({ host: "127.0.0.1", port, path: "/api/v1/namespaces", headers: { host: name } }),
          "response",
        ).then(
          ([{ statusCode }]) => statusCode,
          () => "none",
        ),
      ),
    );
    const found = await Promise.all(answers);
    expect(found).toContain(403);
    expect(found).not.toContain(200);
    await server.release();
  },
);

test("a HOME may have any name: its database is in it, and found again", async () => {
  const strange = join(home, "a#b?c%41&d=e+f;g:h \"q\" 'q' ů 🏦");
  for (const _ of [1, 2]) {
    const server = await acquire({ home: strange });
    expect(serversOn(join(strange, "temporal.db"))).toHaveLength(1);
    await server.release();
  }
  expect(await readdir(home)).toEqual([basename(strange)]);
  expect(await readdir(strange)).toContain("temporal.db");
});
