import { createHmac } from "node:crypto";

/** `whsec_` and base64 of a secret. */
export function secretOf(text: string): string {
  return `whsec_${Buffer.from(text).toString("base64")}`;
}

export const SECRET = secretOf("a secret of 24 bytes....");

export interface MessageChanges {
  readonly id?: string;
  readonly secret?: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  /** What is signed, where it is not the body. */
  readonly signed?: string;
}

/** Headers of a message as Standard Webhooks say, written apart from the product's and the stand-in's code. */
export function signedHeaders(body: string, changes: MessageChanges = {}): Record<string, string> {
  const { id = "msg_1", secret = SECRET, timestamp = Math.floor(Date.now() / 1000), signed = body } = changes;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${signed}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
}
