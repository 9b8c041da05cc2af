import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { absoluteFlags, readProxyRequest } from "../../../src/intake/bulk/proxy-request.js";

const SECRET = "Bearer s3cret";
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-proxy-"));
  await writeFile(
    join(directory, "headers"),
    `x-fp-proxy-fwd-Authorization: ${SECRET}\r\n\nX-FP-Proxy-Ingress-Rule: fp_id_1.custom.a=$.a\n`,
  );
  await writeFile(join(directory, "cert.pem"), CERTIFICATE);
  await writeFile(join(directory, "latin1"), Buffer.from([0xe9]));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("headers and certificates are secrets; what may be shown is an option", async () => {
  const { options, secrets } = await readProxyRequest(directory, {
    ...{ config: "p", header: ["@headers", "x-fp-proxy-fwd-x-b:2"], pinCert: "cert.pem" },
    ...{ method: "PUT", accessReason: "payout", keepBody: true },
  });
  expect(options).toEqual({
    ...{ proxy: "p", method: "PUT", access_reason: "payout", keep_body: true },
    headers: "forward authorization, forward x-b, ingress_rules, pin_cert",
  });
  expect(JSON.parse(secrets.headers ?? "")).toEqual({
    forward: { authorization: SECRET, "x-b": "2" },
    ingress_rules: ["fp_id_1.custom.a=$.a"],
    pin_cert: Buffer.from(CERTIFICATE).toString("base64"),
  });
});

test("without headers there is no secret", async () => {
  expect(await readProxyRequest(directory, { config: "p" })).toMatchObject({ secrets: {} });
});

test.each([
  [{ header: [SECRET] }, "--header"],
  [{ header: [`authorization: ${SECRET}`] }, "--header"],
  [{ header: [`x-fp-id: ${SECRET}`] }, "--header"],
  [{ header: [`x-fp-proxy-fwd-a: ${SECRET}`, "x-fp-proxy-fwd-A: 2"] }, "--header"],
  [{ header: [`x-fp-proxy-fwd-a: ${SECRET}é`] }, "header option forward"],
  [{ header: [`x-fp-proxy-ingress-rule: ${SECRET}`] }, "header option ingress_rules"],
  [{ header: ["@none"] }, "--header: none can't be read"],
  [{ header: ["@latin1"] }, "--header: latin1 is not UTF-8"],
  [{ bodyTemplate: "latin1" }, "--body-template: latin1 is not UTF-8"],
  [{ clientCert: "cert.pem" }, "client_key"],
  [{ pinCert: "headers" }, "pin_cert"],
  [{ method: "FETCH" }, "method"],
  [{ contentType: "json" }, "content_type"],
  [{ config: "a/b" }, "id"],
])("%j is refused, and no value is quoted", async (flags, named) => {
  const error = await readProxyRequest(directory, { config: "p", ...flags }).catch((error) => error);
  expect(error.name).toBe("InputError");
  expect(error.message).toContain(named);
  expect(error.message).not.toContain("s3cret");
});

test("a schedule keeps absolute paths, and no header in the clear", () => {
  const kept = absoluteFlags("/at", { config: "p", header: ["@h"], bodyTemplate: "t", clientKey: "/k" });
  expect(kept).toMatchObject({ header: ["@/at/h"], bodyTemplate: "/at/t", clientKey: "/k" });
  expect(() => absoluteFlags("/at", { config: "p", header: [`x-fp-proxy-fwd-a: ${SECRET}`] })).toThrow(
    /Give --header @file/,
  );
});
