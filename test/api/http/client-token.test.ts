import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClientToken } from "../../../src/api/http/call-options.js";
import { withClientToken } from "../../../src/api/http/client-token.js";
import { decryptVault, getUser, updateVault, uploadToVault } from "../../../src/api/operations/index.js";
import type { ClientTokenGrant } from "../../../src/domain/service/client-token-grant.js";
import { type FaultServer, json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const GRANT: ClientTokenGrant = {
  fp_id: "fp_1",
  scope: "decrypt",
  fields: ["id.dob"],
  decrypt_reason: "audit",
  ttl: 600,
};
const DOB = { body: { fields: ["id.dob"] as [string] } };

/** A service that makes tokens tok_secret_1, tok_secret_2, … and answers everything else with `{}`. */
async function start(expiresAt = "soon"): Promise<{ made: () => number }> {
  let made = 0;
  server = await startFaultServer((request, response) => {
    const creates = request.url?.endsWith("/client_token") === true;
    if (creates) made += 1;
    json(response, creates ? { token: `tok_secret_${made}`, expires_at: expiresAt } : {});
  });
  return { made: () => made };
}

describe("a client operation", () => {
  it("sends the client token, shown nowhere, and never the key; a server operation the key and never a token", async () => {
    await start();
    const client = server.client();
    await withClientToken(client, GRANT, async (clientToken) => {
      await client.read(decryptVault, DOB, { clientToken });
      const shown = [inspect(clientToken, { depth: 9, showHidden: true }), JSON.stringify({ clientToken })];
      expect(shown.join(" ")).not.toContain("tok_secret");
    });
    await client.read(getUser, { path: { fp_id: "fp_1" } }, { clientToken: "tok_secret_9" });
    const key = expect.stringMatching(/^Basic /);
    const sent = server.headers.map((one) => [one?.authorization, one?.["x-fp-authorization"]]);
    expect(sent).toEqual([
      [key, undefined],
      [undefined, "tok_secret_1"],
      [key, undefined],
    ]);
  });

  it.each([
    ["empty", ""],
    ["of two lines", "tok_secret_1\r\nx: y"],
    ["not ASCII", "tok_secret_1é"],
  ])(
    "with a token that is %s is refused before it is sent, and the token is not told",
    async (_, clientToken) => {
      await start();
      const error = await rejection(server.client().read(decryptVault, DOB, { clientToken }));
      expect(error).toMatchObject({
        name: "InputError",
        message: expect.stringMatching(
          /^decrypt_vault: header option client_token: .*nothing was sent\. Accepted:/,
        ),
      });
      expect(String(error)).not.toContain("tok_secret");
      expect(server.requests).toEqual([]);
    },
  );

  it("refused with its token does not end the run of the key", async () => {
    server = await startFaultServer((request, response) =>
      json(response, { token: "t", expires_at: "x" }, request.method === "PATCH" ? 403 : 200),
    );
    const client = server.client();
    const body = { "id.dob": "1990-01-01" };
    const refused = await rejection(client.read(updateVault, { body }, { clientToken: "t", run: "r" }));
    expect(refused).toMatchObject({ name: "AuthError", message: expect.stringMatching(/client token/) });
    await client.read(getUser, { path: { fp_id: "fp_1" } }, { run: "r" });
  });
});

describe("a client token is made, used and forgotten", () => {
  it("once for all calls of its work", async () => {
    const { made } = await start();
    const client = server.client();
    await withClientToken(client, GRANT, async (clientToken) => {
      for (let i = 0; i < 5; i += 1) await client.read(decryptVault, DOB, { clientToken });
      await Promise.all([1, 2, 3].map(() => client.read(decryptVault, DOB, { clientToken })));
    });
    expect(made()).toBe(1);
  });

  it.each<[string, number, string, [ms: number, made: number][]]>([
    [
      "30 s before its ttl is over",
      600,
      "soon",
      [
        [569_000, 1],
        [571_000, 2],
      ],
    ],
    [
      "sooner where the service says so",
      600,
      "2026-11-21T02:05:00Z",
      [
        [269_000, 1],
        [271_000, 2],
      ],
    ],
    [
      "by UTC where its end has no offset",
      600,
      "2026-11-21T02:05:00",
      [
        [0, 1],
        [269_000, 1],
        [271_000, 2],
      ],
    ],
    [
      "a quarter of its life before a short ttl is over",
      60,
      "soon",
      [
        [44_000, 1],
        [46_000, 2],
      ],
    ],
  ])("again %s", async (_, ttl, expiresAt, calls) => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    const begin = Date.parse("2026-11-21T02:00:00Z");
    let now = begin;
    const { made } = await start(expiresAt);
    const client = server.client();
    const work = async (clientToken: ClientToken) => {
      await client.read(decryptVault, DOB, { clientToken });
      for (const [ms, tokens] of calls) {
        now = begin + ms;
        await client.read(decryptVault, DOB, { clientToken });
        expect(made()).toBe(tokens);
      }
    };
    await withClientToken(client, { ...GRANT, ttl }, work, { now: () => now });
  });

  it("and opens nothing after its work, even when that failed", async () => {
    await start();
    const client = server.client();
    let kept: ClientToken | undefined;
    const work = withClientToken(client, GRANT, async (clientToken) => {
      kept = clientToken;
      await client.read(decryptVault, DOB, { clientToken });
      throw new Error("broken");
    });
    expect(await rejection(work)).toMatchObject({ message: "broken" });
    expect(await rejection(client.read(decryptVault, DOB, { clientToken: kept }))).toMatchObject({
      name: "InputError",
    });
    expect(server.requests).toHaveLength(2);
  });

  it("is made again after its making failed", async () => {
    let fail = true;
    server = await startFaultServer((request, response) => {
      const creates = request.url?.endsWith("/client_token") === true;
      json(response, creates ? { token: "t", expires_at: "x" } : {}, creates && fail ? 500 : 200);
      fail = false;
    });
    const client = server.client();
    await withClientToken(client, GRANT, async (clientToken) => {
      expect(await rejection(client.read(decryptVault, DOB, { clientToken }))).toMatchObject({
        name: "TransientError",
        operation: "create_client_token",
      });
      await client.read(decryptVault, DOB, { clientToken });
    });
  });
});

describe("a token that was made for something else is refused before anything is sent", () => {
  type Use = (client: ReturnType<FaultServer["client"]>, clientToken: ClientToken) => Promise<unknown>;
  const decrypt =
    (...fields: [string, ...string[]]): Use =>
    (client, clientToken) =>
      client.read(decryptVault, { body: { fields } }, { clientToken });
  const update: Use = (client, clientToken) =>
    client.read(updateVault, { body: { "id.dob": "x" } }, { clientToken });
  const upload: Use = (client, clientToken) =>
    client.read(uploadToVault, { path: { identifier: "custom.x" }, body: "b" }, { clientToken });
  const two: [string, string] = ["id.dob", "id.city"];
  it.each<[Partial<ClientTokenGrant>, Use, RegExp]>([
    [{ scope: "vault" }, decrypt("id.dob"), /scope vault can't decrypt/],
    [{}, update, /scope decrypt can't write/],
    [{ fields: ["id.city"] }, decrypt("id.dob"), /without 1 of the fields/],
    [{ scope: "decrypt_download", fields: two }, decrypt(...two), /opens a single piece of data/],
    [{ scope: "vault" }, upload, /without 1 of the fields/],
    [{ decrypt_reason: undefined }, decrypt("id.dob"), /needs a reason/],
  ])("%j", async (grant, use, message) => {
    await start();
    const client = server.client();
    const work = withClientToken(client, { ...GRANT, ...grant }, (clientToken) => use(client, clientToken));
    expect(await rejection(work)).toMatchObject({
      name: "InputError",
      message: expect.stringMatching(message),
    });
    expect(server.requests).toEqual([]);
  });
});
