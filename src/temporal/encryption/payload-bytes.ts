import type { Payload } from "@temporalio/common";
import proto from "@temporalio/proto";

const PayloadMessage = proto.temporal.api.common.v1.Payload;

/** Where a payload says what its data is. */
export const ENCODING_KEY = "encoding";

/** A whole payload, its metadata included, as bytes that another payload can carry. */
export function bytesOf(payload: Payload): Uint8Array {
  return PayloadMessage.encode(payload).finish();
}

export function payloadIn(bytes: Uint8Array): Payload {
  const { metadata, data } = PayloadMessage.decode(bytes);
  return { metadata, data };
}

/** A value of a payload's metadata; empty where there is none. */
export function metadataText(payload: Payload, name: string): string {
  return Buffer.from(payload.metadata?.[name] ?? []).toString("utf8");
}
