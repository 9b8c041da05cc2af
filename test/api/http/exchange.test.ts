import { Pool } from "undici";
import { expect, it } from "vitest";
import { exchange } from "../../../src/api/http/exchange.js";
import { getUser } from "../../../src/api/operations/user.js";
import { json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

const LIMITS = { headersTimeoutMs: 5000, bodyTimeoutMs: 5000, maxBodyBytes: 1000 };
const CALL = { operation: getUser };
const REQUEST = { method: "GET", path: "/" } as const;

it("what closes while a connection is being made stops the request before its first byte", async () => {
  const server = await startFaultServer((_, response) => json(response, {}));
  const pool = new Pool(server.url, { connections: 1 });
  const onHead = () => {};
  try {
    const stop = new Error("closed meanwhile");
    const stopped = exchange(pool, REQUEST, CALL, LIMITS, { beforeSend: () => stop, onHead }, undefined);
    expect(await rejection(stopped)).toBe(stop);
    expect(server.requests).toEqual([]);
    const next = await exchange(
      pool,
      REQUEST,
      CALL,
      LIMITS,
      { beforeSend: () => undefined, onHead },
      undefined,
    );
    expect(next.body.toString()).toBe("{}");
    expect(server.requests).toEqual(["GET /"]);
  } finally {
    await pool.destroy();
    await server.close();
  }
});
