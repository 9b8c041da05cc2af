import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { ClientToken } from "../../../src/api/http/client.js";
import { withClientToken } from "../../../src/api/http/client-token.js";
import { decryptVault, getUser, updateVault, uploadToVault } from "../../../src/api/operations/index.js";
import type { ClientTokenGrant } from "../../../src/domain/service/client-token-grant.js";
import { type FaultServer, json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

const GRANT: ClientTokenGrant = {
  fp_id: "fp_1",
  scope: "decrypt",
  fields: ["id.dob"],
  decrypt_reason: "audit",
  ttl: 600,
};
const DOB = { body: { fields: ["id.dob"] as [string] } };

/** A service that makes tokens tok_secret_1, tok_secret_2, … and answers everything else with `{}`. */
async function start(expiresAt = () => "soon"): Promise<{ made: () => number }> {
  let made = 0;
  server = await startFaultServer((request, response) => {
    const creates = request.url?.endsWith("/client_token") === true;
    if (creates) made += 1;
    json(response, creates ? { token: `tok_secret_${made}`, expires_at: expiresAt() } : {});
  });
  return { made: () => made };
}

describe("a client operation", () => {
  it("sends the client token and never the key; a server operation the key and never a token", async () => {
    await start();
    const client = server.client();
    await withClientToken(client, GRANT, (clientToken) => client.read(decryptVault, DOB, { clientToken }));
    await client.read(getUser, { path: { fp_id: "fp_1" } }, { clientToken: "tok_secret_9" });
    const [make, decrypt, get] = server.headers;
    expect([make?.authorization, make?.["x-fp-authorization"]]).toEqual([
      expect.stringMatching(/^Basic /),
      undefined,
    ]);
    expect([decrypt?.authorization, decrypt?.["x-fp-authorization"]]).toEqual([undefined, "tok_secret_1"]);
    expect([get?.authorization, get?.["x-fp-authorization"]]).toEqual([
      expect.stringMatching(/^Basic /),
      undefined,
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

  it("again when its ttl less a margin is over, or the service says that it ends sooner", async () => {
    let now = Date.parse("2026-11-21T02:00:00Z");
    const { made } = await start(() => new Date(now + 300_000).toISOString());
    const client = server.client();
    const grant = { ...GRANT, ttl: 600 };
    const work = async (clientToken: ClientToken) => {
      const madeAfter = async (ms: number) => {
        now += ms;
        await client.read(decryptVault, DOB, { clientToken });
        return made();
      };
      expect(await madeAfter(0)).toBe(1);
      expect(await madeAfter(269_000)).toBe(1);
      expect(await madeAfter(2_000)).toBe(2);
    };
    await withClientToken(client, grant, work, { now: () => now });
  });

  it("once where its end has no offset, which is UTC in any zone of this machine", async () => {
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Tokyo";
    try {
      const now = Date.parse("2026-11-21T02:00:00Z");
      const { made } = await start(() => "2026-11-21T02:10:00");
      const client = server.client();
      const work = async (clientToken: ClientToken) => {
        for (let i = 0; i < 3; i += 1) await client.read(decryptVault, DOB, { clientToken });
      };
      await withClientToken(client, GRANT, work, { now: () => now });
      expect(made()).toBe(1);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it("for a minute at least leaves a quarter of its life as margin", async () => {
    let now = 0;
    const { made } = await start();
    const client = server.client();
    const work = async (clientToken: ClientToken) => {
      await client.read(decryptVault, DOB, { clientToken });
      now = 44_000;
      await client.read(decryptVault, DOB, { clientToken });
      expect(made()).toBe(1);
      now = 46_000;
      await client.read(decryptVault, DOB, { clientToken });
      expect(made()).toBe(2);
    };
    await withClientToken(client, { ...GRANT, ttl: 60 }, work, { now: () => now });
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

  it("and is seen nowhere", async () => {
    await start();
    const client = server.client();
    await withClientToken(client, GRANT, async (clientToken) => {
      await client.read(decryptVault, DOB, { clientToken });
      const shown = [inspect(clientToken, { depth: 9, showHidden: true }), JSON.stringify({ clientToken })];
      expect(shown.join(" ")).not.toContain("tok_secret");
    });
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
  const decrypt: Use = (client, clientToken) => client.read(decryptVault, DOB, { clientToken });
  const update: Use = (client, clientToken) =>
    client.read(updateVault, { body: { "id.dob": "x" } }, { clientToken });
  const upload: Use = (client, clientToken) =>
    client.read(uploadToVault, { path: { identifier: "custom.x" }, body: "b" }, { clientToken });
  it.each<[string, Partial<ClientTokenGrant>, Use, RegExp]>([
    ["scope vault can't decrypt", { scope: "vault" }, decrypt, /scope vault can't decrypt/],
    ["scope decrypt can't write", {}, update, /scope decrypt can't write/],
    ["fields must be the token's", { fields: ["id.city"] }, decrypt, /without 1 of the fields/],
    [
      "a download opens a single field",
      { scope: "decrypt_download", fields: ["id.dob", "id.city"] },
      (client, clientToken) =>
        client.read(decryptVault, { body: { fields: ["id.dob", "id.city"] } }, { clientToken }),
      /opens a single piece of data/,
    ],
    ["an upload too", { scope: "vault" }, upload, /without 1 of the fields/],
    ["a reason is needed somewhere", { decrypt_reason: undefined }, decrypt, /needs a reason/],
  ])("%s", async (_, grant, use, message) => {
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
