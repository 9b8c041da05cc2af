import { deflateSync, inflateSync } from "node:zlib";
import type { Payload, PayloadCodec } from "@temporalio/common";
import { InputError } from "../../domain/failures.js";
import { bytesOf, ENCODING_KEY, metadataText, payloadIn } from "./payload-bytes.js";

/** As in Temporal's own SDKs: a zlib stream of the whole payload. */
const ENCODING = "binary/zlib";
const FASTEST = { level: 1 };

/** Smaller payloads gain nothing. */
const FROM_BYTES = 1024;
/** Far more than Temporal takes in one payload. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Compresses payloads of some size: the progress of a few hundred links shrinks to a sixth, and a history reaches
 * the size at which it must continue as new that much later (docs/inside/performance.md).
 */
export class CompressionCodec implements PayloadCodec {
  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const bytes = bytesOf(payload);
      if (bytes.length < FROM_BYTES) return payload;
      const data = deflateSync(bytes, FASTEST);
      if (data.length >= bytes.length) return payload;
      return { metadata: { [ENCODING_KEY]: Buffer.from(ENCODING) }, data };
    });
  }

  /** @throws InputError when a compressed payload was changed. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      if (metadataText(payload, ENCODING_KEY) !== ENCODING) return payload;
      return payloadIn(inflated(payload.data ?? new Uint8Array()));
    });
  }
}

function inflated(data: Uint8Array): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    throw new InputError("a compressed payload can't be read: it is damaged, or not from this product", {
      cause: error,
    });
  }
}
