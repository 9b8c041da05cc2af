import { expect, test } from "vitest";
import { Signatures } from "../../src/receiver/signatures.js";
import { type MessageChanges, SECRET, secretOf, signedHeaders } from "../helpers/webhooks/signed-webhook.js";

const BODY = '{"event_kind":"service.vault.updated","name":"Zoë"}';
const now = () => Math.floor(Date.now() / 1000);
const signatures = new Signatures([SECRET]);
const check = (changes: MessageChanges) => signatures.check(signedHeaders(BODY, changes), BODY);

test("a message that was signed with the secret is taken", () => {
  expect(check({ id: "msg_7" })).toEqual({ messageId: "msg_7" });
});

test("the headers that senders had before the standard will do", () => {
  const svix = Object.entries(signedHeaders(BODY)).map(([name, text]) => [
    name.replace("webhook", "svix"),
    text,
  ]);
  expect(signatures.check(Object.fromEntries(svix), BODY)).toEqual({ messageId: "msg_1" });
});

test.each([
  ["of another secret", { secret: secretOf("another secret of theirs") }, "signature"],
  ["of another body", { signed: `${BODY} ` }, "signature"],
  ["more than five minutes old", { timestamp: now() - 310 }, "timestamp"],
  ["more than five minutes ahead", { timestamp: now() + 310 }, "timestamp"],
  ["with an id too long", { id: "x".repeat(600) }, "headers"],
] as const)("one %s is refused: %#", (_, changes, refusal) => {
  expect(check(changes)).toBe(refusal);
});

test("one four minutes old is taken: clocks differ", () => {
  expect(check({ timestamp: now() - 240 })).toEqual({ messageId: "msg_1" });
});

test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("one without %s is refused", (name) => {
  const { [name]: _, ...rest } = signedHeaders(BODY);
  expect(signatures.check(rest, BODY)).toBe("headers");
});

test.each(["tomorrow", "1e3", "-5", "12.5", ""])("a timestamp %j is refused", (timestamp) => {
  expect(signatures.check({ ...signedHeaders(BODY), "webhook-timestamp": timestamp }, BODY)).toBe("headers");
});

test.each(["", "v1", "v1,", "v2,AAAA", "v1a,x", "nonsense", " "])(
  "a signature %j is refused",
  (signature) => {
    const headers = { ...signedHeaders(BODY), "webhook-signature": signature };
    expect(["headers", "signature"]).toContain(signatures.check(headers, BODY));
  },
);

test("an id that was changed on the way is refused", () => {
  expect(signatures.check({ ...signedHeaders(BODY), "webhook-id": "msg_2" }, BODY)).toBe("signature");
});

test("while a secret is rotated either one will do, whichever of them signed", () => {
  const next = secretOf("the next secret, 24 bytes");
  const both = new Signatures([next, SECRET]);
  for (const secret of [SECRET, next]) {
    expect(both.check(signedHeaders(BODY, { secret }), BODY)).toEqual({ messageId: "msg_1" });
  }
  const signed = [SECRET, next].map((secret) => signedHeaders(BODY, { secret })["webhook-signature"]);
  const headers = { ...signedHeaders(BODY), "webhook-signature": signed.join(" ") };
  expect(new Signatures([next]).check(headers, BODY)).toEqual({ messageId: "msg_1" });
});
