import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { createBusiness, uploadToVault, validateSession } from "../../../src/api/operations/index.js";
import { readCallRequest } from "../../../src/cli/calls/request.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachFile, tempDirectory } from "../../helpers/each-test.js";

const sandbox = eachFile(startSandbox);
const temp = eachFile(tempDirectory);
beforeAll(async () => {
  sandbox.addUser({ fp_id: "fp_1" });
  sandbox.addLink({ id: "link_1", fp_id: "fp_1" });
});

async function nightledger(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const settings = { NIGHTLEDGER_API_URL: sandbox.url, NIGHTLEDGER_API_KEY: sandbox.apiKey, ...env };
  const { code, stdout, stderr } = await runHere({ directory: temp.path, env: settings }, args);
  return { code, out: stdout, said: stderr, json: () => JSON.parse(stdout) };
}

describe("call <operation>", () => {
  it("prints status, headers and body as one JSON value", async () => {
    const { code, json } = await nightledger(["call", "list_bank_links", "--param", "fp_id=fp_1", "--json"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      status: 200,
      headers: { "content-type": expect.stringContaining("application/json") },
      body: { links: [{ id: "link_1" }] },
    });
  });

  it("prints the body alone for people", async () => {
    const { out, said } = await nightledger(["call", "list-bank-links", "--param", "fp_id=fp_1"]);
    expect(JSON.parse(out)).toMatchObject({ links: [{ id: "link_1" }] });
    expect(said).toContain("status 200");
  });

  it("takes a body from a file, or its fields as parameters", async () => {
    const file = join(temp.path, "body.json");
    await writeFile(file, JSON.stringify({ key: "pb_kyc", fp_id: "fp_1" }));
    expect((await nightledger(["call", "create_onboarding", "--body", file])).code).toBe(0);
    const fields = [
      "key=pb_kyc",
      "fp_id=fp_1",
      "synchronous_timeout_secs=5",
      'prerequisite_data={"score":3}',
    ];
    const { code, json } = await nightledger([
      ...["call", "create_onboarding", "--json"],
      ...fields.flatMap((field) => ["--param", field]),
    ]);
    expect(code).toBe(0);
    expect(json().body).toHaveProperty("status");
  });

  it("needs no body where every field of it is optional", async () => {
    const fp_bid = sandbox.businesses.add({ external_id: "shop-1" });
    const call = ["call", "update_business", "--param", `fp_bid=${fp_bid}`, "--json"];
    expect(await nightledger(call)).toMatchObject({ code: 0 });
    const sent = sandbox.requests({ operation: "update_business" }).at(-1);
    expect(sent).toMatchObject({ status: 200 });
    expect(sandbox.businesses.find(fp_bid)).toMatchObject({ external_id: "shop-1" });
    const required = await nightledger(["call", "create_onboarding"]);
    expect(required).toMatchObject({ code: 2, said: expect.stringMatching(/body: .*given: nothing/) });
  });

  it("makes the client token of a client operation for this call, and sends no key with it", async () => {
    const file = join(temp.path, "upload.bin");
    await writeFile(file, "bytes");
    const parameters = ["--param", "identifier=custom.file", "--param", "content-type=text/plain"];
    const { code } = await nightledger([
      "call",
      "upload_to_vault",
      ...parameters,
      "--for",
      "fp_1",
      "--body",
      file,
    ]);
    expect(code).toBe(0);
    const sent = sandbox
      .requests()
      .slice(-2)
      .map(({ path }) => path);
    expect(sent).toEqual(["/users/fp_1/client_token", "/users/vault/custom.file/upload"]);
  });
});

describe("secrets are shown with --show-secrets only", () => {
  const token = [
    "call",
    "create_client_token",
    "--json",
    "--param",
    "fp_id=fp_1",
    "--param",
    "scope=decrypt",
  ];
  const decrypt = [
    ...["call", "decrypt_vault", "--for", "fp_1", "--json"],
    ...["--param", "fields=id.first_name,id.ssn9", "--param", "reason=audit"],
  ];
  it.each<[string, string[], string]>([
    ["a client token", [...token, "--param", "fields=id.dob"], "token"],
    ["decrypted data", decrypt, "id.ssn9"],
  ])("%s", async (_, args, field) => {
    const hidden = await nightledger(args);
    expect(hidden.json().body[field]).toBe("[hidden]");
    const shown = await nightledger([...args, "--show-secrets"]);
    expect(shown.json().body[field]).not.toBe("[hidden]");
  });
});

describe("exit codes", () => {
  it.each<[string, string[], number, string]>([
    ["a refusal of the service is 1", ["get_user", "--param", "fp_id=nobody"], 1, "NotFoundError"],
    [
      "a request that breaks a rule is 2",
      ["create_client_token", "--param", "fp_id=fp_1", "--param", "scope=x"],
      2,
      "InputError",
    ],
    ["an unknown operation is 2", ["get_nothing"], 2, "InputError"],
    ["an unknown parameter is 2", ["get_user", "--param", "fp_id=fp_1", "--param", "x=1"], 2, "InputError"],
    [
      "a parameter given twice is 2",
      ["get_user", "--param", "fp_id=a", "--param", "fp_id=b"],
      2,
      "InputError",
    ],
    [
      "a client operation without a token is 2",
      ["decrypt_vault", "--param", "fields=id.dob"],
      2,
      "InputError",
    ],
    ["a body that is not there is 2", ["create_onboarding", "--body", "none.json"], 2, "InputError"],
    [
      "a body where none is taken is 2",
      ["get_user", "--param", "fp_id=fp_1", "--body", "-"],
      2,
      "InputError",
    ],
  ])("%s", async (_, args, code, name) => {
    const before = sandbox.requests().length;
    const run = await nightledger(["call", ...args, "--json"]);
    expect(run.code).toBe(code);
    expect(run.json()).toMatchObject({ error: { class: name, message: expect.any(String) } });
    expect(sandbox.requests().length - before).toBe(code === 2 ? 0 : 1);
  });

  it("refused credentials are 4", async () => {
    const args = ["call", "get_user", "--param", "fp_id=fp_1", "--json"];
    const run = await nightledger(args, { NIGHTLEDGER_API_KEY: "sk_wrong" });
    expect([run.code, run.json().error.class]).toEqual([4, "AuthError"]);
    expect(run.out + run.said).not.toContain("sk_wrong");
  });

  it("a service that is not there is 3", async () => {
    const args = ["call", "get_user", "--param", "fp_id=fp_1", "--json"];
    const run = await nightledger(args, { NIGHTLEDGER_API_URL: "http://127.0.0.1:1" });
    expect([run.code, run.json().error.class]).toEqual([3, "UnreachableError"]);
  });
});

describe("the registry", () => {
  it("is printed as JSON with everything that each operation takes", async () => {
    const { code, json } = await nightledger(["call", "--list", "--json"]);
    expect(code).toBe(0);
    expect(json().items).toHaveLength(23);
    for (const one of json().items) {
      expect(Object.keys(one)).toEqual(["operation", "method", "path", "auth", "idempotent", "params"]);
    }
  });
});

it("--output writes the body to a file, whole or not at all", async () => {
  const output = join(temp.path, "links.json");
  const args = ["call", "list_bank_links", "--param", "fp_id=fp_1", "--output", output, "--json"];
  const { json } = await nightledger(args);
  const text = await readFile(output, "utf8");
  expect(json().body).toEqual({ file: output, bytes: Buffer.byteLength(text) });
  expect(JSON.parse(text)).toHaveProperty("links");
  const missing = join(temp.path, "none.json");
  await nightledger(["call", "get_user", "--param", "fp_id=nobody", "--output", missing]);
  await expect(readFile(missing)).rejects.toThrow();
  expect((await readdir(temp.path)).filter((name) => name.endsWith(".part"))).toEqual([]);
});

it.each([
  ["in a folder that is not there", "none/answer.json"],
  ["that is a folder", "."],
])("an --output %s is refused before anything is sent", async (_, name) => {
  const before = sandbox.requests().length;
  const args = ["call", "create_business", "--output", join(temp.path, name), "--json"];
  const { code, json } = await nightledger(args);
  expect([code, json().error.class]).toEqual([2, "InputError"]);
  expect(sandbox.requests()).toHaveLength(before);
});

it.each<[string, string[], number[]]>([
  ["a body that is not UTF-8", ["update_vault", "--for", "fp_1", "--body"], [0x7b, 0x22, 0xff, 0x22, 0x7d]],
  ["a body that is not JSON", ["create_business", "--body"], [0x7b]],
])("%s is refused before anything is sent", async (_, args, bytes) => {
  const file = join(temp.path, "broken.json");
  await writeFile(file, Buffer.from(bytes));
  const before = sandbox.requests().length;
  const { code, json } = await nightledger(["call", ...args, file, "--json"]);
  expect(code).toBe(2);
  expect(json().error.message).toMatch(
    /the body is not JSON; nothing was sent. Accepted: JSON text in UTF-8/,
  );
  expect(sandbox.requests()).toHaveLength(before);
});

it("a body with a byte order mark is read without it", async () => {
  const file = Readable.from([Buffer.from("\uFEFF{}")]);
  expect((await readCallRequest(createBusiness, [], "-", file)).params).toMatchObject({ body: {} });
});

it("- reads the body from standard input: JSON as a whole, bytes as they come", async () => {
  const json = await readCallRequest(
    validateSession,
    [],
    "-",
    Readable.from([Buffer.from('{"validation_token":"v"}')]),
  );
  expect(json.params).toMatchObject({ body: { validation_token: "v" } });
  const bytes = await readCallRequest(
    uploadToVault,
    ["identifier=custom.x"],
    "-",
    Readable.from([Buffer.from("ab")]),
  );
  const { body } = bytes.params as unknown as { body: { open(): AsyncIterable<Buffer> } };
  const pieces: string[] = [];
  for await (const piece of body.open()) pieces.push(String(piece));
  expect(pieces).toEqual(["ab"]);
});
