import { afterEach, describe, expect, it } from "vitest";
import type { Reply } from "../../../src/api/http/exchange.js";
import { getUser, listBankLinks, syncTransactions } from "../../../src/api/operations/index.js";
import {
  type FaultServer,
  type Handler,
  json,
  KEY,
  startFaultServer,
} from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());
const start = async (handler: Handler) => {
  server = await startFaultServer(handler);
  return server;
};
const USER = { path: { fp_id: "fp_id_1" } };

describe("a call", () => {
  it("sends the key as HTTP Basic user name with an empty password, and nothing else of it", async () => {
    await start((_, response) => json(response, {}));
    await server.client().read(getUser, USER);
    expect(server.headers[0]?.authorization).toBe(`Basic ${Buffer.from(`${KEY}:`).toString("base64")}`);
    expect(server.headers[0]?.["user-agent"]).toBe("nightledger-test");
    expect(server.requests).toEqual(["GET /users/fp_id_1"]);
  });

  it("gives the body byte for byte", async () => {
    const body = '{"links": [ {"id":"x","n":1.10,"id":"twice","s":"\\ud800 \u00e9"} ]}\n';
    await start((_, response) =>
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(body),
    );
    const reply: Reply = await server.client().call(listBankLinks, USER);
    expect(reply.body.toString()).toBe(body);
    expect(reply.status).toBe(200);
  });

  it("keeps the base address's path, and leaves absent parameters out", async () => {
    await start((_, response) =>
      json(response, { has_more: false, transactions: { created: [], updated: [], removed: [] } }),
    );
    const client = server.client({ baseUrl: `${server.url}/api/v1` });
    const path = { link_id: "a b&?#é" };
    await client.read(syncTransactions, { path, query: { cursor: undefined } });
    await client.read(syncTransactions, { path, query: { cursor: "c/+=&1", size: 500 } });
    expect(server.requests).toEqual([
      "GET /api/v1/bank_links/a%20b%26%3F%23%C3%A9/transactions/sync",
      "GET /api/v1/bank_links/a%20b%26%3F%23%C3%A9/transactions/sync?cursor=c%2F%2B%3D%261&size=500",
    ]);
  });

  it("uses connections again and never more than its concurrency", async () => {
    let inFlight = 0;
    let most = 0;
    await start((_, response) => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight -= 1;
        json(response, {});
      }, 10);
    });
    const client = server.client({ concurrency: 3 });
    await Promise.all(Array.from({ length: 60 }, () => client.read(getUser, USER)));
    expect(most).toBe(3);
    expect(server.connections()).toBe(3);
    expect(server.requests).toHaveLength(60);
  });
});
