import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { holding } from "../../helpers/onboarding/planted-texts.js";
import { openedHistories } from "../../helpers/temporal/opened-history.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { type Receiver, startReceiver } from "../../helpers/webhooks/receiver.js";

const CALL = { operation: "call_vault_proxy" } as const;
const PROXY = ["proxy", "--config", "p", "--requests"];
const TEMPLATE = '{"ref":"{{id}}","ssn":"{{id.ssn9}}","note":"{{note}}"}';
const SECRET = "Bearer verysecret-token";

let sandbox: Sandbox;
let target: Receiver;
let folder: JobFolder;
beforeEach(async () => {
  target = await startReceiver();
  sandbox = await startSandbox({ vaults: "empty" });
  sandbox.addUser({ fp_id: "fp_id_1" });
  sandbox.vaults.write("fp_id_1", { "id.ssn9": "912345678" });
  sandbox.proxies.configure({ id: "p", target: target.url });
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await write("body.json", TEMPLATE);
  await write("headers", `x-fp-proxy-fwd-authorization: ${SECRET}\n`);
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
  await target?.close();
});

const write = (name: string, text: string) => writeFile(join(folder.directory, name), text);
const run = (...args: string[]) => sayHere(folder, ...args);
const MADE = ["--body-template", "body.json", "--header", "@headers", "--access-reason", "payout"];
const bodies = () => target.received.map(({ body }) => JSON.parse(String(body)));

test("bodies of a template reach the target with the vault's values, and nothing of them stays in the clear", async () => {
  const note = 'Quite "unspeakable" note';
  target.answer = () => ({ status: 201, body: "answer of the target, 4711" });
  await write("rows.csv", `id,fp_id,note,method\nr1,fp_id_1,"${note.replaceAll('"', '""')}",PUT\n`);
  const made = MADE.toSpliced(4, 0, "--header", `x-fp-proxy-fwd-x-own: ${SECRET}`);
  const { code, said } = await run(...PROXY, "rows.csv", ...made, "--keep-body");
  expect({ code, rows: said.rows }).toMatchObject({ code: 0, rows: { done: 1, failed: 0 } });
  expect(bodies()).toEqual([{ ref: "r1", ssn: "912345678", note }]);
  expect(target.received[0]).toMatchObject({ method: "PUT", headers: { authorization: SECRET } });
  expect(sandbox.vaults.decryptions()).toMatchObject([{ reason: "payout" }]);
  const sql = "select proxy, id, fp_id, http_status, body from proxy_calls";
  const row = { proxy: "p", id: "r1", fp_id: "fp_id_1", http_status: 201 };
  expect((await run("query", "--decrypt", sql)).said).toEqual([
    { ...row, body: "answer of the target, 4711" },
  ]);
  const [asked] = (await run("query", "select command, phases from runs where command like '%proxy%'")).said;
  expect(asked.command).toContain("--header @headers --header '…' --access-reason payout");
  expect(JSON.parse(asked.phases)).toMatchObject([{ phase: "working" }, { phase: "finishing" }]);
  const planted = ["verysecret", "unspeakable", "912345678", "answer of the target"];
  const files = await holding(folder.directory, planted);
  expect(files.filter((found) => !/^(rows\.csv|headers): /.test(found))).toEqual([]);
  const { client } = await sharedTemporal().client();
  const opened = await openedHistories(client, "bulkJob", said.run_id);
  expect(planted.filter((text) => opened.join("\n").includes(text))).toEqual([]);
  expect(opened.length).toBeGreaterThan(10);
});

test("every wrong row by line and column, before anything is sent; the others with --continue-invalid", async () => {
  const rows = [
    { id: "r1", fp_id: "fp_id_1", note: "a" },
    { id: "r1", fp_id: "fp_id_1", note: "b" },
    { id: "r2", fp_id: "fp_id_1" },
    { id: "r3", fp_id: "fp_id_1", note: "{{fp_id_2.id.ssn9}}" },
    { id: "r4", fp_id: "fp_id_1", note: 1.5 },
    { id: "r5", method: "FETCH", body: { own: ["{{fp_id_1.id.ssn9}}"] } },
    { id: "r6", body: { own: ["{{fp_id_1.id.ssn9}}"] } },
  ];
  await write("rows.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
  const judged = await run(...PROXY, "rows.jsonl", ...MADE, "--validate-only");
  const told = judged.said.problems.map(({ line, column, code }: Record<string, unknown>) => [
    line,
    column,
    code,
  ]);
  expect({ code: judged.code, told }).toEqual({
    code: 2,
    told: [
      [2, "id", "repeated"],
      [3, "note", "missing"],
      [4, null, "makes_placeholder"],
      [5, "note", "inexact_number"],
      [6, "method", "wrong_value"],
    ],
  });
  expect((await run(...PROXY, "rows.jsonl", ...MADE)).code).toBe(2);
  expect(target.received).toEqual([]);
  const sent = await run(...PROXY, "rows.jsonl", ...MADE, "--continue-invalid");
  expect(sent).toMatchObject({ code: 1, said: { rows: { done: 2, invalid: 5 } } });
  const expected = [{ ref: "r1", ssn: "912345678", note: "a" }, { own: ["912345678"] }];
  expect(bodies()).toHaveLength(2);
  expect(bodies()).toEqual(expect.arrayContaining(expected));
});

test("a retry sends what was refused, never what was lost; it is given the headers again", async () => {
  await write("rows.csv", "id,fp_id,note\nno1,fp_id_1,a\nno2,fp_id_1,b\nok,fp_id_1,c\n");
  target.answer = ({ body }) => ({ status: /"no\d/.test(String(body)) ? 409 : 200 });
  // Of requests at the same time, any may be the one that is lost.
  sandbox.addFault({ ...CALL, kind: "reset", afterEffect: true, times: 1 });
  const first = await run(...PROXY, "rows.csv", ...MADE);
  expect(first).toMatchObject({ code: 1, said: { rows: { total: 3 } } });
  target.answer = () => ({});
  const bare = await run("runs", "retry", first.said.run_id);
  expect(bare).toMatchObject({ code: 2, said: { error: { message: expect.stringMatching(/--header/) } } });
  const before = bodies().map(({ ref }) => ref);
  const again = await run("runs", "retry", first.said.run_id, "--header", "@headers");
  expect(again).toMatchObject({ code: 1 });
  const added = target.received.slice(before.length);
  expect(added.every(({ headers }) => headers.authorization === SECRET)).toBe(true);
  const status = await run("query", "select id, status, http_status from proxy_calls order by called_at, id");
  const lost = status.said.find((row: { status: string }) => row.status === "unknown").id;
  expect(bodies().filter(({ ref }) => ref === lost)).toHaveLength(1);
  expect(before.filter((ref) => ref === lost)).toHaveLength(1);
  const refused = ["no1", "no2"].filter((id) => id !== lost);
  expect(added.map(({ body }) => JSON.parse(String(body)).ref).sort()).toEqual(refused);
  const deliberately = ["runs", "retry", again.said.run_id, "--send-unknown", "--header", "@headers"];
  expect(again.stderr).toContain(`nightledger ${deliberately.slice(0, 5).join(" ")} …`);
  expect(await run(...deliberately)).toMatchObject({ code: 0, said: { rows: { done: 1 } } });
  expect(bodies().filter(({ ref }) => ref === lost)).toHaveLength(2);
});

test("an unknown configuration: the run and runs show say what to check before a retry", async () => {
  await write("rows.csv", "id,note\nr1,a\nr2,b\n");
  const { code, said, stderr } = await run("proxy", "--config", "typo", "--requests", "rows.csv");
  expect({ code, rows: said.rows }).toMatchObject({ code: 1, rows: { done: 0, failed: 2 } });
  expect(stderr).toMatch(/warning: .*without --body-template, a row that has no body/);
  expect(stderr).toContain("check the id given to --config");
  const { stdout } = await runHere(folder, ["runs", "show", said.run_id]);
  expect(stdout).toContain("counts    2 requests, 2 failed\n");
  expect(stdout).toMatch(/next +404 came back .* check the id given to --config/);
  const real = await run("proxy", "--config", "p", "--requests", "rows.csv");
  const again = await run("proxy", "--config", "p", "--requests", "rows.csv", "--method", "PUT");
  expect([real.code, again.code]).toEqual([0, 0]);
  expect((await run("runs", "show", again.said.run_id)).said.findings).toEqual([
    {
      ...{ status: "skipped", reason: "already answered", count: 2, action: null },
      examples: ["line 2 r1", "line 3 r2"],
    },
  ]);
});

test("a run that was ended is finished without its file; another template is another job", async () => {
  await write("rows.csv", "id,fp_id,note\nr1,fp_id_1,a\nr2,fp_id_1,b\n");
  await write("other.json", '{"other":"{{id}}"}');
  const release = sandbox.hold(CALL);
  const asked = sandbox.waitForRequests(1, CALL);
  const { said } = await run(...PROXY, "rows.csv", ...MADE, "--detach");
  await asked;
  const { client } = await sharedTemporal().client();
  for await (const { workflowId, memo } of client.workflow.list({ query: 'WorkflowType = "bulkJob"' })) {
    if (memo?.runId === said.run_id) await client.workflow.getHandle(workflowId).terminate();
  }
  release();
  const inTheWay = new RegExp(`run ${said.run_id} .*: nightledger proxy continue`);
  const template = await run(...PROXY, "rows.csv", "--body-template", "other.json", "--header", "@headers");
  expect(template.said.error.message).toMatch(inTheWay);
  const header = await run(...PROXY, "rows.csv", ...MADE, "--header", "x-fp-proxy-fwd-a: b");
  expect(header.said.error.message).toMatch(inTheWay);
  const { said: end } = await run("proxies", "continue");
  expect(end.rows).toMatchObject({ total: 2 });
  const sent = bodies().map(({ ref }) => ref);
  expect(new Set(sent).size).toBe(sent.length);
  const known = await run("query", "select id from proxy_calls where status in ('answered', 'unknown')");
  expect(known.said.map(({ id }: { id: string }) => id).sort()).toEqual(["r1", "r2"]);
});
