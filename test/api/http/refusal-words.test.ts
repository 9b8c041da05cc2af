import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiError } from "../../../src/api/http/errors.js";
import {
  callVaultProxy,
  createBusiness,
  createOnboarding,
  decryptVault,
  getUser,
  uploadToVault,
} from "../../../src/api/operations/index.js";
import type { Operation } from "../../../src/api/operations/operation.js";
import {
  type FaultServer,
  type Handler,
  KEY,
  rejection,
  startFaultServer,
} from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

const ESC = String.fromCharCode(0x1b);
const FP_ID = "fp_0042";
const PREREQUISITES = {
  first_name: "Zoë",
  last_name: 'O"Hara',
  country: "US",
  email: "zoe.ohara@example.com",
  ssn: "123-45-6789",
  note: "a&b <c>",
  street: "Rue de l'Été 7\nParis",
  limit: 12,
};
const BODY = { key: "pb_wrong", fp_id: FP_ID, prerequisite_data: PREREQUISITES };

const answers =
  (body: string | Buffer, type = "application/json", status = 400): Handler =>
  (_, response) =>
    void response.writeHead(status, { "content-type": type }).end(body);
const message = (text: string) =>
  answers(JSON.stringify({ error: { code: "invalid_request", message: text } }));

/** What a refused onboarding says; whatever is logged of its error holds no value of the request. */
async function said(handler: Handler): Promise<string | undefined> {
  server = await startFaultServer(handler);
  const error = (await rejection(server.client().read(createOnboarding, { body: BODY }))) as ApiError;
  const everything = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
  const { limit: _, country: __, ...texts } = PREREQUISITES;
  for (const secret of [KEY, FP_ID, "pb_wrong", ...Object.values(texts)])
    expect(everything).not.toContain(secret);
  expect(error).toMatchObject({ name: "RejectedError", status: 400 });
  if (error.serviceMessage !== undefined)
    expect(error.message).toContain(`; it said: ${error.serviceMessage.replace(/\.+$/, "")}`);
  return error.serviceMessage;
}

describe("what a service says when it refuses a request", () => {
  it.each<[string, Handler, string | undefined]>([
    ["a message in an error", message('field "key": no such playbook'), 'field "key": no such playbook'],
    ["a message beside a code", answers('{"code":7,"message":"no such playbook"}'), "no such playbook"],
    ["a problem", answers('{"status":400,"title":"Bad","detail":"no such playbook"}'), "no such playbook"],
    ["an error in one field", answers('{"error":"no such playbook"}'), "no such playbook"],
    ["a text of JSON", answers('"no such playbook"'), "no such playbook"],
    [
      "JSON of another shape, as it came",
      answers('{"detail":[{"loc":["body","key"],"msg":"not found"}]}'),
      '{"detail":[{"loc":["body","key"],"msg":"not found"}]}',
    ],
    ["a plain text", answers("no such playbook\n", "text/plain"), "no such playbook"],
    [
      "a page of a proxy",
      answers(
        "<html><head><style>b{}</style><title>413 Too Large</title></head><body><!-- x --><h1>Too Large</h1><script>x()</script></body>",
        "text/html",
      ),
      "413 Too Large Too Large",
    ],
    ["nothing", answers(""), undefined],
    ["nothing that says anything", answers(" {} \n"), undefined],
    ["what is compressed, though nobody asked for it", compressed("no such playbook"), undefined],
    ["what is not text", answers(Buffer.from([0, 1, 2, 255, 254]), "application/octet-stream"), undefined],
  ])("%s", async (_, handler, words) => expect(await said(handler)).toBe(words));
});

describe("values of the request and secrets are hidden", () => {
  it.each<[string, string, string | undefined]>([
    ["as they are", `${FP_ID}: Zoë O"Hara is unknown to pb_wrong`, "[value] is unknown to [value]"],
    ["the key", `key ${KEY} may not`, "key [value] may not"],
    ["the header", `Basic ${Buffer.from(`${KEY}:`).toString("base64")} may not`, "Basic [value] may not"],
    ["mail addresses that it never sent", "taken by ann.b@other.org.", "taken by [value]"],
    [
      "long numbers that it never sent",
      "born 1990-05-01, phone (020) 7946 0958",
      "born [value], phone ([value]",
    ],
    ["opaque texts that it never sent", "see obtok_8f3c9d0e1a2b3c4d5e6f", "see [value]"],
  ])("%s", async (_, text, words) => expect(await said(message(text))).toBe(words));

  it("in keys and texts of JSON of another shape", async () => {
    const body = { errors: [{ [PREREQUISITES.email]: ["Zoë"] }, { n: 12 }] };
    expect(await said(answers(JSON.stringify(body)))).toBe(
      '{"errors":[{"[value]":["[value]"]},{"n":[value]}]}',
    );
  });
});

describe("what is shown is short and printable", () => {
  it.each<[string, string, string | undefined]>([
    ["colours", `${ESC}[31;1mno such${ESC}[0m playbook`, undefined],
    ["line breaks and tabs", "no\r\n\tsuch\u2028playbook", "no such playbook"],
    ["what turns the line", "no \u202ehcus\u2066 playbook\ufeff", undefined],
    ["two hundred characters", "né ".repeat(300), `${"né ".repeat(66)}n…`],
    ["no half of a character", "👍".repeat(300).replace(/^/, "x"), `x${"👍".repeat(198)}…`],
  ])("%s", async (_, text, words) => expect(await said(message(text))).toBe(words));

  it("nothing of an answer that is longer than 8 KB, and no more of it is read", async () => {
    const handler: Handler = (_, response) => {
      response.writeHead(400, { "content-type": "text/plain" });
      const more = () => response.write("no such playbook. ", () => response.destroyed || setImmediate(more));
      more();
    };
    expect(await said(handler)).toBeUndefined();
  });

  it("nothing of an answer that never ends", async () => {
    const handler: Handler = (_, response) => {
      response.writeHead(400, { "content-type": "text/plain", "content-length": "500" });
      response.write("no such playbook");
    };
    expect(await said(handler)).toBeUndefined();
  });
});

it("what else a caller withholds is taken out too", async () => {
  server = await startFaultServer(message("the name of Ivan Petrov is unknown"));
  const withheld = { "id.first_name": "Ivan", "id.last_name": "Petrov" };
  const error = await rejection(server.client().read(createOnboarding, { body: BODY }, { withheld }));
  expect(error).toMatchObject({ serviceMessage: "the name of [value] is unknown" });
});

it.each<[Operation, object]>([
  [callVaultProxy, { path: { id: "proxy_1" }, body: Buffer.from("{}") }],
  [uploadToVault, { path: { identifier: "id.ssn9" }, body: Buffer.from("123456789") }],
  [getUser, { path: { fp_id: "x" } }],
  [decryptVault, { body: { fields: ["id.ssn9"], reason: "audit" } }],
])("of what may quote more than the request says, nothing is shown: $name", async (operation, params) => {
  server = await startFaultServer(message("Ivan Petrov"));
  const options = { clientToken: "token" };
  const error = (await rejection(server.client().call(operation, params as never, options))) as ApiError;
  expect(error).toMatchObject({ name: "RejectedError", serviceMessage: undefined });
  expect(error.message).not.toContain("Ivan");
});

it.each([
  [401, "AuthError"],
  [403, "AuthError"],
  [404, "NotFoundError"],
  [422, "RejectedError"],
] as const)("status %i says what the service said, and is judged without it", async (status, name) => {
  server = await startFaultServer(answers('{"message":"not while it rains."}', "application/json", status));
  const error = (await rejection(server.client().read(createBusiness, {}))) as ApiError;
  expect(error).toMatchObject({ name, status, serviceMessage: "not while it rains." });
  expect(error.message).toMatch(/it said: not while it rains\. /);
});

it.each([429, 500, 503])("status %i passes, and shows nothing", async (status) => {
  server = await startFaultServer(answers('{"message":"busy"}', "application/json", status));
  const error = (await rejection(server.client().read(createBusiness, {}))) as ApiError;
  expect(error.message).not.toContain("busy");
});

function compressed(text: string): Handler {
  return (_, response) =>
    void response.writeHead(400, { "content-type": "text/plain", "content-encoding": "gzip" }).end(text);
}
