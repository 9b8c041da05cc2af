import { afterEach, describe, expect, it } from "vitest";
import type { ApiClient } from "../../../src/api/http/client.js";
import { callVaultProxy, getUser } from "../../../src/api/operations/index.js";
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

describe("a pause of the limiter", () => {
  it.each([429, 503])("a Retry-After of a %i holds every call of the process until then", async (status) => {
    const arrivals: number[] = [];
    await start((_, response) => {
      arrivals.push(Date.now());
      if (arrivals.length === 1) json(response, {}, status, { "retry-after": "1" });
      else json(response, {});
    });
    const client = server.client({ concurrency: 2 });
    const first = await rejection(client.read(getUser, user("a"), { run: "run-1" }));
    expect(first).toMatchObject({ retryAfterMs: 1000 });
    expect(client.pausedUntil).toBeGreaterThan(Date.now());
    await Promise.all(["b", "c", "d"].map((id) => client.read(getUser, user(id), { run: "run-2" })));
    const [closed = 0, ...later] = arrivals;
    for (const arrival of later) expect(arrival - closed).toBeGreaterThanOrEqual(995);
    expect(client.pausedUntil).toBeUndefined();
  });

  it("a call that can't wait for it is given back at once, unsent, with the time", async () => {
    await start((_, response) => json(response, {}, 429, { "retry-after": "60" }));
    const client = server.client({ concurrency: 1 });
    const notAfter = Date.now() + 30_000;
    const first = rejection(client.read(getUser, user("a")));
    const waiting = rejection(client.read(getUser, user("b"), { notAfter }));
    await first;
    const late = rejection(client.read(getUser, user("c"), { notAfter }));
    for (const error of [await waiting, await late]) {
      expect(error).toMatchObject({ name: "NotSentError", sent: false, until: client.pausedUntil });
    }
    expect(server.requests).toHaveLength(1);
    expect(client.requestsSent).toBe(1);
  });

  it("a 429 without Retry-After starts none", async () => {
    await start((_, response) => json(response, {}, 429));
    const client = server.client();
    await rejection(client.read(getUser, user("a")));
    expect(client.pausedUntil).toBeUndefined();
  });
});

describe("a refused key", () => {
  it.each([401, 403])(
    "the first %i of a run ends that run's calls, waiting ones too, and no other's",
    async (status) => {
      await start((request, response) =>
        request.url === "/users/refused" ? json(response, {}, status) : json(response, {}),
      );
      const client = server.client({ concurrency: 1 });
      const refused = rejection(client.read(getUser, user("refused"), { run: "run-1" }));
      const waiting = ["b", "c"].map((id) => rejection(client.read(getUser, user(id), { run: "run-1" })));
      const other = client.read(getUser, user("other"), { run: "run-2" });
      expect(await refused).toMatchObject({ name: "AuthError", status, sent: true });
      for (const error of await Promise.all(waiting))
        expect(error).toMatchObject({ name: "AuthError", sent: false });
      await other;
      expect(await rejection(client.read(getUser, user("d"), { run: "run-1" }))).toMatchObject({
        sent: false,
      });
      expect(server.requests).toEqual(["GET /users/refused", "GET /users/other"]);
    },
  );

  it("without a run nothing is latched", async () => {
    let status = 401;
    await start((_, response) => json(response, {}, status));
    const client = server.client();
    await rejection(client.read(getUser, user("a")));
    status = 200;
    await client.read(getUser, user("a"));
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
    expect(error).toMatchObject({ name: "NotSentError", until: undefined });
    expect(Date.now() - begin).toBeGreaterThanOrEqual(99);
    await client.close();
    await busy;
    expect(server.requests).toHaveLength(1);
  });

  it("knows at once what the pace does not allow in time", async () => {
    await start((_, response) => json(response, {}));
    const client = server.client({ rps: 0.01, concurrency: 8 });
    await client.read(getUser, user("a"));
    const begin = Date.now();
    const error = await rejection(client.read(getUser, user("b"), { notAfter: begin + 60_000 }));
    expect(error).toMatchObject({ name: "NotSentError", until: expect.any(Number) });
    expect(Date.now() - begin).toBeLessThan(60_000);
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

describe("a limit that learns", () => {
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
    const client = server.client({ concurrency: 32, learns: true });
    expect(client.learnedLimit).toBeUndefined();
    const read = (id: number) => client.read(getUser, user(`u${id}`)).catch(() => undefined);
    await Promise.all(Array.from({ length: 400 }, (_, id) => read(id)));
    expect(most).toBeGreaterThan(6);
    expect(client.learnedLimit).toBeLessThan(16);
    expect(refused).toBeLessThan(100);
  });
});
