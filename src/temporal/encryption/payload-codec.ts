import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type DataConverter,
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
} from "@temporalio/common";
import { decrypt, encrypt } from "./cipher.js";
import "./failure-converter.js";
import { deflateSync, inflateSync } from "node:zlib";
import proto from "@temporalio/proto";
import { InputError } from "../../domain/failures.js";
import { UNSEALED } from "../../domain/sealer.js";
import type { EncryptionKeys } from "./keys.js";

/** As in Temporal's own SDKs: a zlib stream of the whole payload. */
const ZLIB = "binary/zlib";
const FASTEST = { level: 1 };

/** Smaller payloads gain nothing. */
const FROM_BYTES = 1024;
/** Far more than Temporal takes in one payload. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Compresses payloads of some size: a history continues as new that much later (docs/inside/performance.md). */
export class CompressionCodec implements PayloadCodec {
  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const bytes = bytesOf(payload);
      if (bytes.length < FROM_BYTES) return payload;
      const data = deflateSync(bytes, FASTEST);
      if (data.length >= bytes.length) return payload;
      return { metadata: { [ENCODING_KEY]: Buffer.from(ZLIB) }, data };
    });
  }

  /** @throws InputError when a compressed payload was changed. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      if (metadataText(payload, ENCODING_KEY) !== ZLIB) return payload;
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

const PayloadMessage = proto.temporal.api.common.v1.Payload;

const ENCODING_KEY = "encoding";

/** A whole payload, its metadata included, as bytes that another payload can carry. */
function bytesOf(payload: Payload): Uint8Array {
  return PayloadMessage.encode(payload).finish();
}

function payloadIn(bytes: Uint8Array): Payload {
  const { metadata, data } = PayloadMessage.decode(bytes);
  return { metadata, data };
}

function metadataText(payload: Payload, name: string): string {
  return Buffer.from(payload.metadata?.[name] ?? []).toString("utf8");
}

// The SDK requires it by its path. Loaded before that as what it is, an ES module: where Node 20's `require` is the
// first to load it, after a kill of the process before, its import of @temporalio/common was found empty.

const ENCRYPTED = "binary/encrypted";
const KEY_ID = "encryption-key-id";

export const UNSEALED_PAYLOAD = defaultPayloadConverter.toPayload(UNSEALED) as Payload;

export const failureConverterPath = fileURLToPath(
  new URL(`./failure-converter${extname(import.meta.url)}`, import.meta.url),
);

/**
 * Encrypts every payload on its way to Temporal. The key's id is in the metadata, so that histories under an older key open
 * as long as that key is there.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #keys: EncryptionKeys;
  readonly #context: string;

  /** @param namespace the only one in which they open */
  constructor(keys: EncryptionKeys, namespace: string) {
    this.#keys = keys;
    this.#context = `payload:${ENCRYPTED}:${namespace}`;
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const { keyId, data } = encrypt(this.#keys, bytesOf(payload), this.#context);
      return { metadata: { [ENCODING_KEY]: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(keyId) }, data };
    });
  }

  /** Any other payload becomes {@link UNSEALED_PAYLOAD}, which workflows and activities refuse. @throws InputError */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      if (metadataText(payload, ENCODING_KEY) !== ENCRYPTED) return UNSEALED_PAYLOAD;
      const sealed = { keyId: metadataText(payload, KEY_ID), data: payload.data ?? new Uint8Array() };
      return payloadIn(decrypt(this.#keys, sealed, this.#context));
    });
  }
}

/** For every client and worker of a namespace: compressed, then encrypted payloads. */
export function dataConverter(
  keys: EncryptionKeys,
  namespace: string,
): Required<Pick<DataConverter, "payloadCodecs" | "failureConverterPath">> {
  return {
    payloadCodecs: [new CompressionCodec(), new EncryptionCodec(keys, namespace)],
    failureConverterPath,
  };
}
