import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { givenBytes } from "../../../src/intake/files/text.js";
import type { ProxyOptions } from "../../../src/jobs/kinds/proxy.js";
import { proxyJob } from "../../../src/jobs/proxy.js";

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

/** Reads what the command of these inputs and options was given; paths are of the test's directory. */
async function read({ proxy = "p", header, ...given }: Record<string, unknown>) {
  const { method, content_type, access_reason, keep_body, ...files } = given;
  const paths = Object.entries(files).map(([name, file]) => [name, join(directory, String(file))]);
  const headers = (header as string[] | undefined)?.map((text) => text.replace(/^@/, `@${directory}/`));
  return proxyJob.read?.(
    {
      options: { proxy, method, content_type, access_reason, keep_body } as ProxyOptions,
      inputs: { ...Object.fromEntries(paths), ...(headers && { header: headers }) },
    },
    (option, path) => givenBytes(path, option),
  );
}

test("headers and certificates are a secret; what may be shown is an option", async () => {
  const found = await read({
    ...{ header: ["@headers", "x-fp-proxy-fwd-x-b:2"], pin_cert: "cert.pem" },
    ...{ method: "PUT", access_reason: "payout", keep_body: true },
  });
  expect(found?.options).toEqual({ headers: "forward authorization, forward x-b, ingress_rules, pin_cert" });
  expect(JSON.parse(found?.secret ?? "")).toEqual({
    forward: { authorization: SECRET, "x-b": "2" },
    ingress_rules: ["fp_id_1.custom.a=$.a"],
    pin_cert: Buffer.from(CERTIFICATE).toString("base64"),
  });
});

test("without headers there is no secret", async () => {
  expect(await read({})).toEqual({});
});

test.each([
  [{ header: [SECRET] }, '--header: the header is not of the form "name: value"'],
  [{ header: [`authorization: ${SECRET}`] }, "--header: the header has a name that is not accepted here"],
  [{ header: ["@headers", `x-fp-id: ${SECRET}`] }, "--header (number 2): the header has a name"],
  [{ header: ["@twice"] }, "/twice, line 3: the header has the same name as --header @"],
  [{ header: [`x-fp-proxy-fwd-a: ${SECRET}é`] }, "--header: the value has a character that is not printable"],
  [{ header: [`x-fp-proxy-fwd-a b: ${SECRET}`] }, "--header: the header is not of the form"],
  [{ header: [`x-fp-proxy-ingress-rule: ${SECRET}`] }, "--header: the value has no = between identifier"],
  [{ header: ["@none"] }, "none is not there. Nothing was started. Check the path given to --header."],
  [{ header: ["@latin1"] }, "/latin1 is not UTF-8"],
  [{ body_template: "latin1" }, "/latin1 is not UTF-8"],
  [{ client_cert: "cert.pem" }, "--client-cert is given without --client-key"],
  [{ client_cert: "headers" }, "/headers is not a PEM certificate"],
  [{ client_key: "cert.pem" }, "/cert.pem is not a PEM private key"],
  [{ pin_cert: "headers" }, "/headers is not a PEM certificate"],
  [{ method: "FETCH" }, "--method is not an HTTP method in capitals. Nothing was started. Accepted: GET"],
  [{ content_type: "json" }, "--content-type is not a media type"],
  [{ access_reason: " " }, "--access-reason has spaces around it"],
  [{ proxy: "" }, "--config is empty. Nothing was started. Accepted: the id as the service issued it"],
  [{ proxy: "a/b" }, "--config has a slash"],
])("%j is refused, and no value is quoted", async (given: Record<string, unknown>, named) => {
  const error = await read(given).catch((error) => error);
  expect(error.name).toBe("InputError");
  expect(error.message).toContain(named);
  expect(error.message).not.toContain("s3cret");
});
