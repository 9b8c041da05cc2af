import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { readObjectText } from "../../../src/api/http/answer.js";
import * as api from "../../../src/api/operations/index.js";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import type { Operation, ParamsOf } from "../../../src/api/operations/operation.js";
import { type FaultServer, json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

const ASKED = "id_that_was_asked_for_1111";
const OTHER = "id_of_somebody_else_2222";
const PAGE = { page: 1, size: 100, total: 2 };
const token = { clientToken: "tok" };
const mine = { query: { account_ids: [ASKED, "acc_2"] } };

/** An operation, its parameters, an answer about what was asked for (`ASKED`), and where `OTHER` is said instead. */
const NAMED: Readonly<Record<string, readonly [Operation, object, object, RegExp]>> = {
  list_bank_links: [
    api.listBankLinks,
    { path: { fp_id: ASKED } },
    { links: [{ id: "l0" }, { id: "l1", fp_id: null }, { id: "l2", fp_id: ASKED }] },
    /: links\[\]\.fp_id is •••2222, asked for was •••1111\. It was not used/,
  ],
  list_link_accounts: [
    api.listLinkAccounts,
    { path: { link_id: ASKED } },
    { accounts: [null, { id: "a1", link_id: ASKED }] },
    /: accounts\[\]\.link_id is •••2222/,
  ],
  list_user_transactions: [
    api.listUserTransactions,
    { path: { fp_id: "fp" }, ...mine },
    { ...PAGE, transactions: [{ account_id: "acc_2" }, { account_id: ASKED }] },
    /: transactions\[\]\.account_id is •••2222, asked for was one of 2/,
  ],
  list_investment_transactions: [
    api.listInvestmentTransactions,
    { path: { link_id: "l" }, ...mine },
    { ...PAGE, investment_transactions: [{ account_id: ASKED }], securities: [] },
    /: investment_transactions\[\]\.account_id is/,
  ],
  get_onboarding: [
    api.getOnboarding,
    { path: { id: ASKED } },
    { id: ASKED, status: "pass" },
    /: id is •••2222/,
  ],
  create_business: [
    api.createBusiness,
    { headers: { external_id: ASKED } },
    { id: "fb_1", external_id: ASKED },
    /: external_id is •••2222.*not known whether the request was carried out/,
  ],
  update_business: [
    api.updateBusiness,
    { path: { fp_bid: ASKED }, body: { external_id: "shop" } },
    { id: ASKED, external_id: "shop" },
    /: id is •••2222/,
  ],
  decrypt_vault: [
    api.decryptVault,
    { body: { fields: [`custom.${ASKED}`, "id.dob"], reason: "r" } },
    { [`custom.${ASKED}`]: "x" },
    /: a key is •••, asked for was one of 2/,
  ],
};

const start = async (body: string) => {
  server = await startFaultServer((_, response) => json(response, JSON.parse(body)));
  return server.client();
};

describe.each(Object.entries(NAMED))("%s", (_, [operation, params, honest, message]) => {
  const given = params as ParamsOf<Operation>;
  const lie = JSON.stringify(honest).replaceAll(ASKED, OTHER);

  it("takes an answer about what was asked for, with fields that say nothing", async () => {
    const client = await start(JSON.stringify(honest));
    expect(await client.read(operation, given, token)).toEqual(honest);
  });

  it("refuses an answer about another one, and tells neither id", async () => {
    const client = await start(lie);
    const error = await rejection(client.read(operation, given, token));
    expect(error).toMatchObject({ name: "AnotherSubjectError", message: expect.stringMatching(message) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(new RegExp(`${ASKED}|${OTHER}`));
  });
});

it("every operation that declares a subject is tried here", () => {
  const declared = OPERATIONS.filter(({ names }) => names !== undefined).map(({ name }) => name);
  expect(Object.keys(NAMED).sort()).toEqual(declared.sort());
});

it("what a request leaves open is not compared", async () => {
  const client = await start(JSON.stringify({ [`custom.${OTHER}`]: "x" }));
  const body = await client.read(api.decryptVault, { body: { reason: "r" } }, token);
  expect(Object.keys(body)).toEqual([`custom.${OTHER}`]);
});

it("an answer whose text is kept is compared too", async () => {
  const client = await start(JSON.stringify({ [`custom.${OTHER}`]: "x" }));
  const reply = await client.call(api.decryptVault, { body: { fields: ["id.dob"], reason: "r" } }, token);
  expect(() => readObjectText(api.decryptVault, reply)).toThrow(/about something else/);
});

it("a download of an answer about another one gives nothing of it", async () => {
  const client = await start(JSON.stringify({ id: OTHER, status: "pass" }));
  const sink = new PassThrough();
  const written = text(sink).catch(() => "");
  const error = await rejection(client.download(api.getOnboarding, { path: { id: ASKED } }, sink));
  expect(error).toMatchObject({ name: "AnotherSubjectError" });
  expect(await written).toBe("");
});
