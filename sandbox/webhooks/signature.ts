import { createHmac } from "node:crypto";

/** Signs as Standard Webhooks do: HMAC-SHA256 of `<id>.<timestamp>.<body>` by the bytes of `whsec_<base64>`. */
export function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
