import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { fillForCalls, type ProxyTarget, startProxyTarget } from "../../helpers/calls/call-world.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

let target: ProxyTarget;
let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  target = await startProxyTarget();
  sandbox = await startSandbox(target.options);
  fillForCalls(sandbox, "Ada");
});
afterEach(async () => {
  await folder.release();
  await sandbox.close();
  await target.close();
});

const durable = (operation: string, params: readonly string[], ...flags: string[]) => [
  ...["call", operation, ...params.flatMap((param) => ["--param", param])],
  ...["--durable", "--json", ...flags],
];
const ONBOARDING = ["key=pb_user", "fp_id=fp_1"];
const onboard = (...flags: string[]) => durable("create_onboarding", ONBOARDING, ...flags);
const onboardings = () => sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_user");

describe("with a cluster", () => {
  beforeEach(async () => {
    folder = await openClusterFolder(sandbox, temporal);
  });

  async function run(args: readonly string[]) {
    const { code, stdout, stderr } = await runHere(folder, args);
    return { code, stderr, json: JSON.parse(stdout) };
  }

  test("a call without an id gets one, and the same id gives its kept answer and sends nothing", async () => {
    const first = await run(onboard());
    const [made] = onboardings();
    expect(first, first.stderr).toMatchObject({
      code: 0,
      json: { status: "completed", repeated: "no", body: { id: made?.id } },
    });
    const id = first.json.request_id;
    expect(first.stderr).toContain(
      `request ${id}: a later command with \`--request-id ${id}\` joins it, or prints its answer`,
    );
    sandbox.clearRequests();
    const again = await run(onboard("--request-id", id));
    expect(again.json).toEqual({ ...first.json, repeated: "found" });
    expect(again.stderr).toContain("nothing was sent now");
    expect(sandbox.calls().total).toBe(0);
    await run(onboard());
    expect(onboardings()).toHaveLength(2);
  });

  test("two commands with one id at once: one effect, one answer", async () => {
    const operation = "create_onboarding";
    const arrived = sandbox.waitForRequests(1, { operation });
    const release = sandbox.hold({ operation });
    const first = folder.command(onboard("--request-id", "job-7"));
    await arrived;
    const second = folder.command(onboard("--request-id", "job-7"));
    await second.says(/joined run job-7, which is in progress/);
    release();
    const ends = await Promise.all([first.ended, second.ended]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const [one, other] = ends.map(({ stdout }) => JSON.parse(stdout));
    expect(one).toEqual(other);
    expect(onboardings()).toHaveLength(1);
  });

  test("a lost answer is resolved, and the command says so", async () => {
    sandbox.addFault({ kind: "reset", afterEffect: true, operation: "create_onboarding", times: 1 });
    const { code, json, stderr } = await run(onboard());
    expect({ code, json }, stderr).toMatchObject({
      code: 0,
      json: { repeated: "settled", body: { id: onboardings()[0]?.id } },
    });
    expect(stderr).toContain("its effect was found");
    expect(onboardings()).toHaveLength(1);
  });

  test("one whose effect nothing tells is never sent again by itself", async () => {
    sandbox.addFault({ kind: "reset", afterEffect: true, operation: "create_business", times: 1 });
    const body = join(folder.directory, "shop.json");
    await writeFile(body, JSON.stringify({ "business.name": "Shop" }));
    const create = durable("create_business", [], "--body", body, "--request-id", "r");
    for (let time = 0; time < 2; time += 1) {
      const { code, json } = await run(create);
      expect({ code, ...json }).toMatchObject({
        ...{ code: 1, status: "failed", request_id: "r" },
        error: { class: "LostAnswerError", message: expect.stringContaining("not sent again") },
      });
    }
    expect(sandbox.businesses.list()).toHaveLength(2);
  });

  test("an id that belongs to another request is refused, exit 2, whatever differs", async () => {
    const id = ["--request-id", "mine"];
    const file = join(folder.directory, "scan.bin");
    await writeFile(file, "one");
    const upload = () =>
      durable("upload_to_vault", ["identifier=custom.file"], "--for", "fp_1", "--body", file, ...id);
    expect((await run(upload())).code).toBe(0);
    expect((await run(upload())).json).toMatchObject({ repeated: "found" });
    await writeFile(file, "two");
    for (const other of [upload(), onboard(...id), durable("get_user", ["fp_id=fp_1"], ...id)]) {
      const { code, json } = await run(other);
      expect(code).toBe(2);
      expect(json.error).toMatchObject({
        class: "InputError",
        message: expect.stringMatching(
          /mine belongs to another request \(of upload_to_vault\); nothing was sent/,
        ),
      });
    }
    expect(sandbox.vaults.entry("fp_1", "custom.file")).toMatchObject({ bytes: Buffer.from("one") });
    expect(onboardings()).toHaveLength(0);
  });

  test("a refusal is exit 1, a refused key exit 4, and the same id is sent again after it", async () => {
    for (const [status, code, name] of [
      [422, 1, "RejectedError"],
      [401, 4, "AuthError"],
    ] as const) {
      sandbox.addFault({ kind: "status", status, operation: "create_onboarding", times: 1 });
      const refused = await run(onboard("--request-id", name));
      expect(refused).toMatchObject({
        code,
        json: {
          request_id: name,
          status: "failed",
          error: { class: name, operation: "create_onboarding", status },
        },
      });
      expect((await run(onboard("--request-id", name))).json).toMatchObject({ repeated: "no" });
    }
    expect(onboardings()).toHaveLength(2);
  });

  test("--detach starts it, and the same id waits for its answer; no id of ours is in Temporal", async () => {
    const operation = "create_onboarding";
    const release = sandbox.hold({ operation });
    const started = await run(onboard("--detach", "--request-id", "ada.lovelace"));
    expect(started).toMatchObject({ code: 0, json: { request_id: "ada.lovelace", status: "running" } });
    expect(started.stderr).toContain("Rejoin it with:\n  the same command with --request-id ada.lovelace\n");
    const { client } = await temporal.client();
    const seen: unknown[] = [];
    for await (const one of client.workflow.list({ query: "WorkflowType = 'callService'" })) {
      seen.push(one.workflowId, one.memo, await client.workflow.getHandle(one.workflowId).fetchHistory());
    }
    // Longer than what ciphertext in base64 may spell by chance.
    expect(JSON.stringify(seen)).not.toMatch(/lovelace/i);
    release();
    expect((await run(onboard("--request-id", "ada.lovelace"))).json).toMatchObject({ status: "completed" });
    expect(onboardings()).toHaveLength(1);
  });

  test("secrets are hidden unless they are asked for", async () => {
    sandbox.playbooks.declare({ key: "pb_open", outcomes: { incomplete: 1 } });
    const params = ["key=pb_open", "fp_id=fp_1", "synchronous_timeout_secs=5"];
    const token = async (...flags: string[]) => {
      const { json } = await run(durable("create_onboarding", params, "--request-id", "open", ...flags));
      return json.body.continue_onboarding.token;
    };
    expect(await token()).toBe("[hidden]");
    expect(await token("--show-secrets")).toMatch(/^obtok_/);
  });

  test("what a proxy's target answers comes with its status, on the screen or into a file", async () => {
    const body = join(folder.directory, "body");
    await writeFile(body, "a;b\n");
    const proxied = durable("call_vault_proxy", ["id=proxy_1"], "--body", body, "--request-id", "p");
    const shown = await run(proxied);
    expect(shown, shown.stderr).toMatchObject({ code: 0, json: { target: { status: 201 }, body: "a;b\n" } });
    const output = join(folder.directory, "answer");
    const { json } = await run([...proxied, "--output", output]);
    expect(json).toMatchObject({ repeated: "found", target: { status: 201 }, body: { bytes: 4 } });
    expect(await readFile(output, "utf8")).toBe("a;b\n");
    expect(sandbox.proxies.forwarded()).toHaveLength(1);
  });
});
