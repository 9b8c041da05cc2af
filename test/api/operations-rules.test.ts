import { describe, expect, it } from "vitest";
import { checkRequest } from "../../src/api/http/request.js";
import { callVaultProxy, OPERATIONS } from "../../src/api/operations/index.js";
import type { Operation, ParamsOf } from "../../src/api/operations/operation.js";
import { parametersOf } from "../../src/api/reference/reference.js";
import { json, rejection, startFaultServer } from "../helpers/api/fault-server.js";
import { BROKEN_RULES, type BrokenRule } from "../helpers/api/rule-table.js";
import { CERTIFICATE } from "../helpers/api/service-rules.js";
import { eachFile } from "../helpers/each-test.js";

const server = eachFile(() => startFaultServer((_, response) => json(response, {})));

describe("a request that breaks a rule is refused before it is sent, with the rule and the accepted form", () => {
  it.each(BROKEN_RULES)("$operation.name: $message", async ({ operation, params, message }) => {
    const call = server
      .client()
      .call(operation, params as ParamsOf<Operation>, { clientToken: "tok_secret" });
    const error = (await rejection(call)) as Error;
    expect(error).toMatchObject({ name: "InputError", message: expect.stringMatching(message) });
    expect(error.message).toMatch(new RegExp(`^${operation.name}: .*; nothing was sent\\. Accepted: .+`));
    expect(error.message).not.toMatch(/Accepted: (undefined|see docs)|Invalid|tok_secret/);
    expect(server.requests).toEqual([]);
  });
});

describe("a refusal quotes no value", () => {
  it.each(BROKEN_RULES)("$operation.name: $message", async ({ operation, params }) => {
    const sent = planted(params) as ParamsOf<Operation>;
    const call = server.client().call(operation, sent, { clientToken: "tok_secret" });
    // The mark may have fixed it.
    const error = await call.then(() => "", String);
    expect(error).not.toMatch(/PLANTED/);
  });

  it("nor a key that may be a value in the wrong place", () => {
    const wrong = { path: { id: "p" }, headers: { "4111 1111 1111 1111": "x" } };
    expect(() => checkRequest(callVaultProxy, wrong as never)).toThrow(/not quoted/);
  });
});

it("the pinned certificate alone is fine", () => {
  checkRequest(callVaultProxy, { path: { id: "p" }, headers: { pin_cert: CERTIFICATE } });
});

const PATHS = OPERATIONS.flatMap((operation) =>
  parametersOf(operation)
    .filter((parameter) => parameter.in === "path")
    .map(({ name }) => ({ operation, name })),
);

it.each(PATHS)("$name of $operation.name stays one piece of the path", ({ operation, name }) => {
  const path = Object.fromEntries(Object.keys(operation.params.path.shape).map((key) => [key, "custom.x"]));
  expect(() => checkRequest(operation, { path: { ...path, [name]: "custom.x/y" } } as never)).toThrow(
    new RegExp(`^${operation.name}: parameter ${name}: has a slash .*; nothing was sent. Accepted: `),
  );
});

it("every parameter of every operation has a rule that is broken here", () => {
  const unbroken = OPERATIONS.flatMap((operation) => {
    const refusals = BROKEN_RULES.filter((broken) => broken.operation === operation).map(refusalOf);
    return parametersOf(operation)
      .filter((parameter) => parameter.in !== "path" && parameter.name !== "client_token")
      .filter(
        ({ name }) =>
          !refusals.some((text) => new RegExp(`(field|option|parameter) ${name}\\b|: ${name}: `).test(text)),
      )
      .map(({ name }) => `${operation.name}.${name}`);
  });
  // A proxy takes any bytes.
  expect(unbroken).toEqual(["call_vault_proxy.body"]);
});

function refusalOf({ operation, params }: BrokenRule): string {
  try {
    checkRequest(operation, params as ParamsOf<Operation>);
  } catch (error) {
    return String(error);
  }
  throw new Error(`${operation.name}: nothing is broken`);
}

/** The same request with a mark in each of its texts. */
function planted(value: unknown): unknown {
  if (typeof value === "string") return `${value}PLANTED`;
  if (Array.isArray(value)) return value.map(planted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, planted(item)]));
}
