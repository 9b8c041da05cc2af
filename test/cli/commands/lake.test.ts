import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eventRow } from "../../../src/activities/webhooks/commit-events.js";
import type { Sealer } from "../../../src/domain/sealer.js";
import { eventFacts } from "../../../src/domain/webhooks/event-facts.js";
import { openLake } from "../../../src/lake/lake.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { StoredText } from "../../../src/lake/tables/encrypted-column.js";
import { onboardings } from "../../../src/lake/tables/onboardings.js";
import { webhookEvents } from "../../../src/lake/tables/webhook-events.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { ensureKeyCheck } from "../../../src/temporal/encryption/key-check.js";
import { ensureEmbeddedKeys, parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
const OLD = key("old", 1);
const NEW = key("new", 2);
const OUTPUT = JSON.stringify({ decision: "pass", score: 7, name: "Zoë 'Q' 🦉" });
const BODY = JSON.stringify({ event_kind: "service.vault.updated", fp_id: "fp_1" });
const VARIABLE = "NIGHTLEDGER_ENCRYPTION_KEYS";

const temp = eachFile(tempDirectory);
let embeddedKeys: string;
beforeAll(async () => {
  await writeLake("lake", createSealer(parseEncryptionKeys(OLD)), createSealer(parseEncryptionKeys(NEW)));
  await ensureKeyCheck(createLocalStore(join(temp.path, "lake")), parseEncryptionKeys(OLD));
  embeddedKeys = join(temp.path, "home");
  const keys = await ensureEmbeddedKeys(embeddedKeys);
  await writeLake("embedded", createSealer(keys), createSealer(keys));
  await ensureKeyCheck(createLocalStore(join(temp.path, "embedded")), keys);
  await writeLake("copied", createSealer(parseEncryptionKeys(OLD)), createSealer(parseEncryptionKeys(NEW)));
});

/** A lake with outputs under two keys, one in the clear and one that is missing, and a webhook. */
async function writeLake(name: string, before: Sealer, now: Sealer) {
  const written = async (sealer: Sealer, outputs: readonly unknown[], from: number) => {
    const lake = openLake({ directory: join(temp.path, name), sealer });
    const rows = outputs.map((output, at) => ({ line: from + at, output, status: "pass" }));
    await appendRows(lake, onboardings, rows);
    return lake;
  };
  await (await written(before, [OUTPUT], 0)).close();
  const lake = await written(now, [OUTPUT, new StoredText(OUTPUT), null], 1);
  const event = { messageId: "msg_1", receivedAt: "2026-11-20T08:00:00.000Z", body: BODY };
  const facts = eventFacts(JSON.parse(BODY));
  if (facts === undefined) throw new Error("the test's event is none");
  const events = [eventRow(event, facts, false)];
  await appendRows(lake, webhookEvents, events);
  await lake.close();
}

async function query(sql: string, flags: readonly string[], env: Readonly<Record<string, string>>) {
  const lake = { NIGHTLEDGER_LAKE: "lake", NIGHTLEDGER_HOME: "nothing" };
  const { code, stdout, stderr } = await runHere(
    { directory: temp.path, env: lake },
    ["query", sql, "--json", ...flags],
    env,
  );
  return { code, stderr, json: JSON.parse(stdout) };
}

const KEYS = { [VARIABLE]: `${NEW},${OLD}` };
const DECRYPT = ["--decrypt"];

describe("query --decrypt", () => {
  it("gives what is encrypted under any key, in the clear or missing; without it, as it is stored", async () => {
    const sql = "select output from onboardings order by line";
    const opened = await query(sql, DECRYPT, KEYS);
    expect(opened).toMatchObject({
      code: 0,
      json: [OUTPUT, OUTPUT, OUTPUT, null].map((output) => ({ output })),
    });
    const stored = await query(sql, [], KEYS);
    expect(stored.json.map(({ output }: { output: string | null }) => output?.slice(0, 4))).toEqual([
      ...["TkxT", "TkxT", OUTPUT.slice(0, 4), undefined],
    ]);
  });

  it("gives each column for itself, within expressions, joins and views of the statement", async () => {
    const sql = `with passed as (select line, output::json->>'name' as name, upper(output) as loud from onboardings)
      select p.line, p.name, length(p.loud) as size, e.payload from passed p, webhook_events e
      where e.payload like '%vault.updated%' and p.name is not null order by line desc limit 1`;
    expect(await query(sql, DECRYPT, KEYS)).toMatchObject({
      code: 0,
      json: [{ line: 2, name: "Zoë 'Q' 🦉", size: [...OUTPUT].length, payload: BODY }],
    });
  });

  it("takes the keys of HOME in embedded mode", async () => {
    const { code, json } = await query("select payload from webhook_events", DECRYPT, {
      NIGHTLEDGER_LAKE: "embedded",
      NIGHTLEDGER_HOME: "home",
    });
    expect({ code, json }).toEqual({ code: 0, json: [{ payload: BODY }] });
  });

  it.each([
    [
      "no key",
      "lake",
      {},
      /^NIGHTLEDGER_ENCRYPTION_KEYS is not set and \S+nothing holds no keys, but the lake/,
    ],
    ["no key for a copy", "copied", {}, /^NIGHTLEDGER_ENCRYPTION_KEYS: not set, .* nothing can be decrypted/],
    [
      "a missing older key",
      "copied",
      { [VARIABLE]: NEW },
      /^NIGHTLEDGER_ENCRYPTION_KEYS: no key with the id "old"/,
    ],
  ] as const)("says what to configure for %s, exit 2", async (_, lake, env, words) => {
    const { code, json } = await query("select output from onboardings", DECRYPT, {
      NIGHTLEDGER_LAKE: lake,
      ...env,
    });
    expect({ code, ...json.error }).toMatchObject({ code: 2, class: "InputError" });
    expect(json.error.message).toMatch(words);
  });

  it("needs no key for rows that a statement leaves out", async () => {
    const sql = "select output from onboardings where line > 0 order by line limit 1";
    const env = { NIGHTLEDGER_LAKE: "copied", [VARIABLE]: NEW };
    expect(await query(sql, DECRYPT, env)).toMatchObject({ code: 0, json: [{ output: OUTPUT }] });
  });

  it("ends early however many values are left", async () => {
    const folder = { directory: temp.path, env: { NIGHTLEDGER_LAKE: "lake", ...KEYS } };
    const sql = "select o.output from onboardings o, range(200000) r where o.line < 3";
    const { code, stdout } = await runHere(folder, ["query", sql, "--decrypt", "--limit", "2"]);
    expect(code).toBe(0);
    expect(stdout.split("Zoë").length - 1).toBe(2);
  });
});
