import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRequest } from "../../../src/api/http/request.js";
import { callVaultProxy, OPERATIONS, updateVault } from "../../../src/api/operations/index.js";
import type { Operation, ParamsOf } from "../../../src/api/operations/operation.js";
import { InputError } from "../../../src/domain/failures.js";

/** What compiling gives, or undefined for an InputError; anything else is a bug. */
function compiled<O extends Operation>(operation: O, params: unknown) {
  try {
    return compileRequest(operation, params as ParamsOf<O>);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

describe("whatever it is given", () => {
  it("no operation fails but by an InputError, and none quotes a long text", () => {
    const text = fc.string({ minLength: 12, unit: "binary" });
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withTypedArray: true,
      values: [text, fc.integer()],
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...OPERATIONS),
        anything,
        anything,
        anything,
        anything,
        (operation, path, query, headers, body) => {
          compiled(operation, { path, query, headers, body });
        },
      ),
      { numRuns: 400 },
    );
  });

  it("a header that passes is one line of ASCII, and its name a name", () => {
    const names = fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z-]{1,8}$/));
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.string({ unit: "binary" })),
        fc.string({ unit: "binary" }),
        (forward, reason) => {
          const headers = { forward, access_reason: reason };
          for (const [name, value] of Object.entries(
            compiled(callVaultProxy, { path: { id: "p" }, headers })?.headers ?? {},
          )) {
            expect(name).toMatch(/^[!#$%&'*+.^_`|~0-9a-z-]+$/);
            expect(value).toMatch(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
          }
        },
      ),
    );
  });
});

describe("the rules hold for all values", () => {
  it("vault data goes onto the wire as it was given", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.boolean(),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^custom\.[a-z]{1,5}$/), value), (body) => {
        const request = compiled(updateVault, { body });
        expect(JSON.parse(String(request?.body))).toEqual(JSON.parse(JSON.stringify(body)));
      }),
      { examples: [[JSON.parse('{"custom.a":{"__proto__":{"b":1}}}')]] },
    );
  });
});
