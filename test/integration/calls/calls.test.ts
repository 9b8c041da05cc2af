import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import type { KeptAnswer } from "../../../src/lake/calls/staged-call.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import type { CallServiceInput, CallServiceResult } from "../../../src/workflows/calls/call-service.js";
import { type CallWorkerSettings, startCallWorker } from "../../helpers/calls/call-worker.js";
import {
  endedOnboarding,
  fillForCalls,
  type ProxyTarget,
  type RequestParts,
  stageParts,
  startProxyTarget,
  validRequests,
} from "../../helpers/calls/call-world.js";
import { type ChildCommand, startNode } from "../../helpers/command/command-process.js";
import { compiledProgram } from "../../helpers/command/compiled-program.js";
import type { StoreFault } from "../../helpers/kill/fault-store.js";
import {
  startTestTemporal,
  TEST_KEYS,
  type TestTemporal,
} from "../../helpers/temporal/temporal-environment.js";

const MARK = "PLANTED-PERSON";
const KEY = "sk_live_PLANTEDKEY0123456789";
const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

let temporal: TestTemporal;
let script: string;
beforeAll(async () => {
  temporal = await startTestTemporal({ file: true });
  script = compiledProgram("test/helpers/calls/call-process.ts");
});
afterAll(() => temporal.stop());

let base: string;
let target: ProxyTarget;
let sandbox: Sandbox;
let sealed: SealedStore;
let requests: Readonly<Record<string, RequestParts>>;
let stop: (() => Promise<void>) | undefined;
let child: ChildCommand | undefined;
let worlds = 0;

beforeEach(async () => {
  worlds += 1;
  base = await mkdtemp(join(tmpdir(), "nightledger-calls-"));
  target = await startProxyTarget();
  sandbox = await startSandbox({ apiKeys: [KEY], ...target.options });
  fillForCalls(sandbox, MARK);
  const user = await endedOnboarding(sandbox, "fp_1", "pb_earlier");
  const business = await endedOnboarding(sandbox, "fb_1", "pb_business");
  requests = validRequests(sandbox, { user, business }, MARK);
  sealed = new SealedStore(createLocalStore(join(base, "lake")), createSealer(TEST_KEYS));
});
afterEach(async () => {
  if (child?.running()) await child.end("SIGKILL");
  await stop?.();
  stop = undefined;
  await sandbox.close();
  await target.close();
  await rm(base, { recursive: true, force: true });
});

const settings = (faults: readonly StoreFault[] = []): CallWorkerSettings => ({
  url: sandbox.url,
  apiKey: KEY,
  lake: join(base, "lake"),
  address: temporal.address,
  taskQueue: `calls-${worlds}`,
  keys: KEYS,
  logFile: join(base, "worker.log"),
  faults,
});

async function startChild(faults?: readonly StoreFault[]): Promise<ChildCommand> {
  const file = join(base, "worker.json");
  await writeFile(file, JSON.stringify(settings(faults)));
  child = startNode(script, [file], { cwd: base });
  await child.says(/working/);
  return child;
}

/** Starts a workflow for each call. */
async function start(names: readonly string[], run = "run") {
  const { client } = await temporal.client();
  return Promise.all(
    names.map(async (name) => {
      const prefix = `_staging/${run}/calls/${name}/`;
      await stageParts(sealed, prefix, name, requests[name] as RequestParts);
      const input: CallServiceInput = { operation: name, prefix };
      const { taskQueue } = settings();
      return client.workflow.start("callService", {
        taskQueue,
        workflowId: `${taskQueue}-${run}-${name}`,
        args: [input],
      });
    }),
  );
}

const resultsOf = (handles: Awaited<ReturnType<typeof start>>) =>
  Promise.all(handles.map((handle) => handle.result() as Promise<CallServiceResult>));
const kept = (name: string) => sealed.get<KeptAnswer<unknown>>(`_staging/run/calls/${name}/answer`);

test("every operation is answered through a real worker, and nothing personal or secret is in history or log", async () => {
  stop = await startCallWorker(settings());
  const names = OPERATIONS.map(({ name }) => name);
  const handles = await start(names);
  const ends = await resultsOf(handles);
  expect(Object.fromEntries(names.map((name, at) => [name, ends[at]]))).toEqual(
    Object.fromEntries(names.map((name) => [name, { repeated: "no" }])),
  );
  for (const name of names) expect(await kept(name), name).toMatchObject({ operation: name });
  // A refusal quotes what it was sent; what the request did not hold, nobody here can know to be personal.
  const refusal = { kind: "status", status: 422 } as const;
  for (const operation of names.filter((name) => JSON.stringify(requests[name]).includes(MARK)))
    sandbox.addFault({ ...refusal, operation, body: `{"error":"${MARK}"}` });
  sandbox.addFault(refusal);
  const refused = await resultsOf(await start(names, "refused"));
  expect(refused).toEqual(
    names.map(() => ({ failure: expect.objectContaining({ class: "RejectedError", status: 422 }) })),
  );
  await stop();
  stop = undefined;

  const { client } = await temporal.client();
  const histories = await Promise.all(
    handles.map(async ({ workflowId }) => {
      const { history } = await client.workflowService.getWorkflowExecutionHistory({
        namespace: "default",
        execution: { workflowId },
      });
      return history?.events ?? [];
    }),
  );
  for (const events of histories) expect(events.length).toBeGreaterThan(3);
  const haystacks = new Map<string, Buffer>();
  for (const file of await readdir(temporal.directory)) {
    haystacks.set(file, await readFile(join(temporal.directory, file)));
  }
  expect([...haystacks.values()].some((bytes) => bytes.includes(handles[0]?.workflowId ?? ""))).toBe(true);
  haystacks.set("worker log", await readFile(settings().logFile));
  haystacks.set("results", Buffer.from(JSON.stringify([ends, refused])));
  haystacks.set("history", Buffer.from(JSON.stringify(histories)));
  const lake = await readdir(join(base, "lake"), { recursive: true, withFileTypes: true });
  for (const file of lake.filter((one) => one.isFile())) {
    haystacks.set(file.name, await readFile(join(file.parentPath, file.name)));
  }
  const needles = [MARK, KEY, Buffer.from(`${KEY}:`).toString("base64"), "fptok_", "vtok_", "obtok_"];
  const found = [...haystacks].flatMap(([name, bytes]) =>
    needles.filter((needle) => bytes.includes(needle)).map((needle) => `${needle} in ${name}`),
  );
  expect(found).toEqual([]);
});

/** How often each write took effect at the stand-in. */
const effects = () => ({
  onboardings: sandbox.onboardings.list().length - 2,
  reports: sandbox.cip.made().length,
  businesses: sandbox.businesses.list().length - 1,
  imported: [...sandbox.truthRows("link_1")].length,
  forwarded: sandbox.proxies.forwarded().length,
});

describe("a worker that is killed after the effect and before the answer", () => {
  test("leaves one effect of each write, found or said to be unknown", async () => {
    const killed = [
      "create_onboarding",
      "create_cip_report",
      "create_business",
      "import_transactions",
      "call_vault_proxy",
    ] as const;
    for (const name of killed) {
      sandbox.addFault({ kind: "hang", afterEffect: true, operation: name, times: 1 });
    }
    const first = await startChild();
    const handles = await start(killed);
    const once = { onboardings: 1, reports: 1, businesses: 1, imported: 3, forwarded: 1 };
    await expect.poll(effects).toEqual(once);
    await first.end("SIGKILL");
    stop = await startCallWorker(settings());
    const [onboarding, report, business, imported, proxy] = await resultsOf(handles);
    const lost = {
      failure: { class: "LostAnswerError", message: expect.stringContaining("answer was lost") },
    };
    expect([onboarding, business, imported]).toEqual(Array(3).fill({ repeated: "settled" }));
    // A report changes nothing: it is asked for again.
    expect(report).toEqual({ repeated: "no" });
    expect(proxy).toEqual(lost);
    expect((await kept("create_onboarding"))?.body).toMatchObject({ status: "pass" });
    expect((await kept("create_business"))?.body).toEqual({ id: null });
    expect((await kept("import_transactions"))?.body).toEqual({ sent: 0, found: 3, unknown: [] });
    expect(effects()).toEqual({ ...once, reports: 2 });
  });

  test.each([
    ["before it is kept", "before", "settled"],
    ["after it is kept", "after", "found"],
  ] as const)("while its answer was there, %s: one effect", async (_, when, repeated) => {
    const kill: StoreFault = { on: "putIfAbsent", key: "/answer$", when, effect: "kill" };
    const first = await startChild([kill]);
    const handles = await start(["create_onboarding"]);
    expect((await first.ended).signal).toBe("SIGKILL");
    stop = await startCallWorker(settings());
    expect(await resultsOf(handles)).toEqual([{ repeated }]);
    expect(effects().onboardings).toBe(1);
  });

  test("between its intent and the call: it is sent once, after it was looked for", async () => {
    const kill: StoreFault = { on: "putIfAbsent", key: "/intent-", when: "after", effect: "kill" };
    const first = await startChild([kill]);
    const handles = await start(["create_onboarding"]);
    expect((await first.ended).signal).toBe("SIGKILL");
    expect(effects().onboardings).toBe(0);
    stop = await startCallWorker(settings());
    expect(await resultsOf(handles)).toEqual([{ repeated: "no" }]);
    expect(effects().onboardings).toBe(1);
  });
});
