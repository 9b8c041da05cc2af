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
  await writeFile(join(directory, "twice"), `x-fp-proxy-fwd-a: ${SECRET}\n\nx-fp-proxy-fwd-A: 2\n`);
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
  [{ header: [SECRET] }, '--header: the header is not of the form "name: value"'],
  [{ header: [`authorization: ${SECRET}`] }, "--header: the header has a name that is not accepted here"],
  [{ header: ["@headers", `x-fp-id: ${SECRET}`] }, "--header (number 2): the header has a name"],
  [
    { header: ["@twice"] },
    "--header @twice, line 3: the header has the same name as --header @twice, line 1",
  ],
  [{ header: [`x-fp-proxy-fwd-a: ${SECRET}é`] }, "--header: the value has a character that is not printable"],
  [{ header: [`x-fp-proxy-fwd-a b: ${SECRET}`] }, "--header: the header is not of the form"],
  [{ header: [`x-fp-proxy-ingress-rule: ${SECRET}`] }, "--header: the value has no = between identifier"],
  [{ header: ["@none"] }, "none is not there. Nothing was started. Check the path given to --header."],
  [{ header: ["@latin1"] }, "--header: latin1 is not UTF-8"],
  [{ bodyTemplate: "latin1" }, "--body-template: latin1 is not UTF-8"],
  [{ clientCert: "cert.pem" }, "--client-cert is given without --client-key"],
  [{ clientCert: "headers" }, "--client-cert headers is not a PEM certificate"],
  [{ clientKey: "cert.pem" }, "--client-key cert.pem is not a PEM private key"],
  [{ pinCert: "headers" }, "--pin-cert headers is not a PEM certificate"],
  [{ method: "FETCH" }, "--method is not an HTTP method in capitals. Nothing was started. Accepted: GET"],
  [{ contentType: "json" }, "--content-type is not a media type"],
  [{ accessReason: " " }, "--access-reason has spaces around it"],
  [{ config: "" }, "--config is empty. Nothing was started. Accepted: the id as the service issued it"],
  [{ config: "a/b" }, "--config has a slash"],
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
