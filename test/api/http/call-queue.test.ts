import { afterEach, describe, expect, it, vi } from "vitest";
import type { ApiClient } from "../../../src/api/http/client.js";
import { callVaultProxy, getUser, listBankLinks } from "../../../src/api/operations/index.js";
import {
  type FaultServer,
  type Handler,
  json,
  rejection,
  startFaultServer,
  until,
} from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());
const start = async (handler: Handler) => {
  server = await startFaultServer(handler);
};
const user = (fp_id: string) => ({ path: { fp_id } });

/** Answers the first calls of each kind (`GET /users/a`) with 429 and this `Retry-After`, all others well. */
const refuse = (retryAfter: string, ...kinds: string[]) => {
  const left = [...kinds];
  return start((request, response) => {
    const at = left.indexOf(`${request.method} ${request.url}`);
    if (at >= 0) left.splice(at, 1);
    json(response, {}, at >= 0 ? 429 : 200, at >= 0 ? { "retry-after": retryAfter } : {});
  });
};
const soon = () => ({ notAfter: Date.now() + 5_000 });

describe("a pause that the service asks for", () => {
  it("holds the calls of the link or user that was refused, and no other's", async () => {
    await refuse("60", "GET /users/a");
    const client = server.client();
    expect(await rejection(client.read(getUser, user("a")))).toMatchObject({ retryAfterMs: 60_000 });
    const held = await rejection(client.read(getUser, user("a"), soon()));
    expect(held).toMatchObject({ name: "NotSentError", waitMs: expect.any(Number) });
    await client.read(getUser, user("b"), soon());
    await client.call(listBankLinks, user("a"), soon());
    expect(client.pausedMs("get_user")).toBe(0);
    expect(server.requests).toEqual(["GET /users/a", "GET /users/b", "GET /users/a/bank_links"]);
  });

  it("holds the operation once two are refused, and gives back at once what can't wait for it", async () => {
    await refuse("60", "GET /users/a", "GET /users/b");
    const client = server.client({ concurrency: 1 });
    const two = ["a", "b"].map((id) => rejection(client.read(getUser, user(id))));
    const waiting = rejection(client.read(getUser, user("c"), soon()));
    await Promise.all(two);
    const late = rejection(client.read(getUser, user("d"), soon()));
    for (const error of [await waiting, await late])
      expect(error).toMatchObject({ name: "NotSentError", sent: false, waitMs: expect.any(Number) });
    expect(client.pausedMs("get_user")).toBeGreaterThan(50_000);
    expect(await rejection(client.isKeyRefused())).toMatchObject({ name: "NotSentError" });
    await client.call(listBankLinks, user("a"), soon());
    expect(server.requests).toHaveLength(3);
  });

  it("lets calls go on once it is over", async () => {
    await refuse("1", "GET /users/a", "GET /users/b");
    const client = server.client();
    await Promise.all(["a", "b"].map((id) => rejection(client.read(getUser, user(id)))));
    const end = performance.now() + client.pausedMs("get_user");
    await Promise.all(["b", "c", "d"].map((id) => client.read(getUser, user(id), { run: "other" })));
    expect(performance.now()).toBeGreaterThanOrEqual(end - 1);
  });

  it("ends at once, with its end in words, what would wait for more than an hour", async () => {
    await refuse("86400", "GET /users/a");
    const client = server.client();
    const words = /takes no such call before \d{4}-\d\d-\d\dT\d\d:\d\dZ\. Try again after that/;
    await expect(client.read(getUser, user("a"))).rejects.toThrow(words);
    const again = await rejection(client.read(getUser, user("a")));
    expect(again).toMatchObject({
      name: "RateLimitedError",
      sent: false,
      message: expect.stringMatching(words),
    });
    await client.read(getUser, user("b"));
    expect(server.requests).toEqual(["GET /users/a", "GET /users/b"]);
  });

  it("of everything holds the calls of other processes that share it", async () => {
    await refuse("60", "GET /users/a", "GET /users/b", "GET /users/c/bank_links");
    let kept: Buffer | undefined;
    const pauses = {
      read: async () => kept,
      write: async (pause: string) => {
        kept = Buffer.from(pause);
      },
    };
    const one = server.client({ pauses });
    for (const id of ["a", "b"]) await rejection(one.read(getUser, user(id)));
    expect(kept).toBeUndefined();
    await rejection(one.call(listBankLinks, user("c")));
    const other = server.client({ pauses });
    const held = await rejection(other.read(getUser, user("d"), soon()));
    expect(held).toMatchObject({ name: "NotSentError", waitMs: expect.any(Number) });
    expect(other.pausedMs("any")).toBeCloseTo(one.pausedMs("any"), -2);
    // Of a clock that was a day ahead, or a day behind; and longer than any pause of everything.
    for (const [ms, ago] of [
      [60_000, -86_400_000],
      [60_000, 86_400_000],
      [86_400_000, 0],
    ] as const) {
      kept = Buffer.from(JSON.stringify({ ms, at: Date.now() - ago }));
      await server.client({ pauses }).read(getUser, user("d"), soon());
    }
  });

  it("lasts as long as the service said, also where the clock was a day ahead as it was learned", async () => {
    await refuse("60", "GET /users/a");
    const client = server.client();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
    try {
      await rejection(client.read(getUser, user("a")));
    } finally {
      vi.useRealTimers();
    }
    const held = await rejection(client.read(getUser, user("a"), soon()));
    expect(held).toMatchObject({ name: "NotSentError", waitMs: expect.closeTo(60_000, -4) });
  });
});

describe("notAfter", () => {
  it("gives a call back when its time passes in the queue", async () => {
    await start(() => {});
    const client = server.client({ concurrency: 1 });
    const busy = rejection(client.read(getUser, user("a")));
    await until(() => server.requests.length === 1);
    const begin = Date.now();
    const error = await rejection(client.read(getUser, user("b"), { notAfter: begin + 100 }));
    expect(error).toMatchObject({ name: "NotSentError", waitMs: undefined });
    expect(Date.now() - begin).toBeGreaterThanOrEqual(99);
    await client.close();
    await busy;
    expect(server.requests).toHaveLength(1);
  });

  it("gives a call back that the rate does not let start in time", async () => {
    await start((_, response) => json(response, {}));
    const client = server.client({ rps: 0.01, concurrency: 8 });
    await client.read(getUser, user("a"));
    const error = await rejection(client.read(getUser, user("b"), { notAfter: Date.now() + 100 }));
    expect(error).toMatchObject({ name: "NotSentError", sent: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe("places", () => {
  const proxied = (client: ApiClient) =>
    rejection(client.call(callVaultProxy, { path: { id: "p" } }, { run: "proxy" }));

  it("forty calls that are held by their target leave a sync its part, at once", async () => {
    await start((request, response) => {
      if (request.url?.startsWith("/users")) json(response, {});
    });
    const client = server.client({ concurrency: 32 });
    const held = Array.from({ length: 40 }, () => proxied(client));
    await until(() => server.requests.length === 24);
    for (const id of ["a", "b", "c"]) await client.read(getUser, user(id), { run: "sync" });
    expect(server.requests.filter((request) => !request.includes("/users"))).toHaveLength(24);
    await client.close();
    await Promise.all(held);
  });
});

describe("close", () => {
  it("breaks off what is in flight and refuses what waits and what comes", async () => {
    await start(() => {});
    const client = server.client({ concurrency: 1 });
    const busy = rejection(client.read(getUser, user("a")));
    const waiting = rejection(client.read(getUser, user("b")));
    await until(() => server.requests.length === 1);
    await client.close();
    expect(await busy).toMatchObject({ name: "TransientError" });
    expect(await waiting).toMatchObject({ name: "NotSentError" });
    expect(await rejection(client.read(getUser, user("c")))).toMatchObject({ name: "NotSentError" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("places of a service that refuses", () => {
  it("a service that refuses more than six at once gets no more than that for long, and says so", async () => {
    let [inFlight, most, refused] = [0, 0, 0];
    await start((_, response) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      const isTooMany = inFlight > 6;
      if (isTooMany) refused += 1;
      setImmediate(() => {
        inFlight -= 1;
        json(response, {}, isTooMany ? 429 : 200);
      });
    });
    const client = server.client({ concurrency: 32 });
    expect(client.learnedLimit).toBeUndefined();
    const read = (id: number) => client.read(getUser, user(`u${id}`)).catch(() => undefined);
    await Promise.all(Array.from({ length: 400 }, (_, id) => read(id)));
    expect(most).toBeGreaterThan(6);
    expect(client.learnedLimit).toBeLessThan(16);
    expect(refused).toBeLessThan(100);
  });
});
