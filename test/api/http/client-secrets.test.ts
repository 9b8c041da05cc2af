import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import type { Operation, ParamsOf } from "../../../src/api/operations/operation.js";
import { createLogger } from "../../../src/logger.js";
import {
  type FaultServer,
  type Handler,
  json,
  KEY,
  rejection,
  startFaultServer,
} from "../../helpers/api/fault-server.js";
import { CERTIFICATE, PRIVATE_KEY } from "../../helpers/api/service-rules.js";

let server: FaultServer;
afterEach(() => server.close());

const MARK = "PLANTED";
const TOKEN = `tok_${MARK}`;

/** A request of each kind with a secret wherever one may be. */
const PLANTED: Readonly<Record<string, object>> = {
  create_onboarding: { body: { key: "pb", fp_id: MARK, prerequisite_data: { ssn: MARK } } },
  validate_session: { body: { validation_token: MARK } },
  create_client_token: { path: { fp_id: MARK }, body: { scope: "vault", fields: [`custom.${MARK}`] } },
  decrypt_vault: { body: { fields: ["id.ssn9"], reason: MARK, transforms: [`hmac_sha256('${MARK}')`] } },
  update_vault: { body: { "id.ssn9": MARK } },
  upload_to_vault: { path: { identifier: "custom.x" }, body: MARK },
  create_business: { body: { "business.tin": MARK } },
  import_transactions: {
    path: { link_id: MARK },
    body: { transactions: [{ account_id: MARK, amount: "1", date: "2026-01-01", description: MARK }] },
  },
  call_vault_proxy: {
    path: { id: MARK },
    headers: { client_cert: CERTIFICATE, client_key: PRIVATE_KEY, forward: { authorization: MARK } },
    body: MARK,
  },
  get_user: { path: { fp_id: MARK } },
};

const FAILURES: readonly [string, Handler][] = [
  ...[400, 401, 404, 429, 500, 302].map((status): [string, Handler] => [
    `status ${status}`,
    (_, response) => json(response, { error: MARK }, status, { location: `http://127.0.0.1:1/${MARK}` }),
  ]),
  ["another shape", (_, response) => json(response, [MARK])],
  ["HTML", (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(MARK)],
  [
    "half a body",
    (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(`{"${MARK}`),
  ],
  ["a reset", ({ socket }) => socket.resetAndDestroy()],
  ["no HTTP", ({ socket }) => socket.end(`${MARK}\r\n\r\n`)],
];

describe("no secret is in an error or a log line, whatever failed", () => {
  it.each(FAILURES)("%s", async (what, handler) => {
    server = await startFaultServer(handler);
    const log = join(tmpdir(), `nightledger-planted-${process.pid}-${Math.random()}.log`);
    const { logger, close } = createLogger({ destination: { file: log }, level: "trace", secrets: [KEY] });
    for (const [name, params] of Object.entries(PLANTED)) {
      const operation = OPERATIONS.find((one) => one.name === name) as Operation;
      // Whatever a target sends is an answer: the proxy fails by status and wire alone.
      if (operation.answers === "bytes" && /shape|HTML|half/.test(what)) continue;
      const call = server.client().read(operation, params as ParamsOf<Operation>, { clientToken: TOKEN });
      const error = await rejection(call);
      logger.error({ err: error }, String(error));
      const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error);
      expect(shown, name).not.toMatch(secrets());
    }
    close();
    const lines = await readFile(log, "utf8");
    await rm(log);
    expect(lines).not.toBe("");
    expect(lines).not.toMatch(secrets());
  });
});

function secrets(): RegExp {
  const forms = [MARK, KEY, Buffer.from(`${KEY}:`).toString("base64"), PRIVATE_KEY.slice(0, 24)];
  return new RegExp(forms.map((form) => form.replace(/[+=/]/g, "\\$&")).join("|"));
}
