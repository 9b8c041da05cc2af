import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CertificateFields, certificateText } from "../../../src/domain/sync/certificate.js";
import { certificateOf, withPageHash } from "../../../src/lake/sync/link-checkpoint.js";

const FIELDS: CertificateFields = {
  run_id: "sync-1",
  link_id: "l",
  fp_id: "u",
  generation: 1,
  cursor_in: null,
  cursor_out: "c1",
  pages: 2,
  created: 3,
  updated: 0,
  removed: 1,
  quarantined: 0,
  sequence_from: 1,
  sequence_to: 4,
  pages_sha256: "ab",
  rows_sha256: "cd",
  certificate_prev: null,
};
const TEXT =
  "run_id=sync-1\nlink_id=l\nfp_id=u\ngeneration=1\ncursor_in=\ncursor_out=c1\npages=2\ncreated=3\nupdated=0\n" +
  "removed=1\nquarantined=0\nsequence_from=1\nsequence_to=4\npages_sha256=ab\nrows_sha256=cd\ncertificate_prev=\n";

test("a certificate is the sha256 of its fields in their order, null as empty", () => {
  expect(certificateText(FIELDS)).toBe(TEXT);
  expect(certificateOf(FIELDS)).toBe(createHash("sha256").update(TEXT).digest("hex"));
});

test("every field that changes changes the certificate", () => {
  for (const name of Object.keys(FIELDS) as (keyof CertificateFields)[]) {
    expect(certificateOf({ ...FIELDS, [name]: "other" })).not.toBe(certificateOf(FIELDS));
  }
});

test("the rolling hash is h = sha256hex(h ‖ sha256hex(body)) from the empty text on, and knows order and cuts", () => {
  const hex = (text: string) => createHash("sha256").update(text).digest("hex");
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (pages) => {
      const rolled = pages.reduce((hash, page) => withPageHash(hash, hex(page)), "");
      expect(rolled).toBe(pages.reduce((hash, page) => hex(hash + hex(page)), ""));
      expect(withPageHash("", hex(pages.join("|")))).not.toBe(pages.length > 1 ? rolled : "");
    }),
  );
  const [a, b] = [hex("a"), hex("b")];
  expect(withPageHash(withPageHash("", a), b)).not.toBe(withPageHash(withPageHash("", b), a));
});
