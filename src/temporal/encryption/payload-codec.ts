import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import { decrypt, encrypt } from "./cipher.js";
import { CompressionCodec } from "./compression-codec.js";
// The SDK requires it by its path. Loaded before that as what it is, an ES module: where Node 20's `require` is the
// first to load it, after a kill of the process before, its import of @temporalio/common was found empty.
import "./failure-converter.js";
import type { EncryptionKeys } from "./keys.js";
import { bytesOf, ENCODING_KEY, metadataText, payloadIn } from "./payload-bytes.js";

const ENCODING = "binary/encrypted";
const KEY_ID = "encryption-key-id";

/** Where the SDK finds `failureConverter`; the workflow bundle is built with the same. */
export const failureConverterPath = fileURLToPath(
  new URL(`./failure-converter${extname(import.meta.url)}`, import.meta.url),
);

/**
 * Encrypts every payload on its way to Temporal and opens it on the way back, with AES-256-GCM. The key's id
 * is in the metadata, so that histories under an older key open as long as that key is given.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #keys: EncryptionKeys;
  readonly #context: string;

  /** @param namespace the payloads open in this Temporal namespace only. */
  constructor(keys: EncryptionKeys, namespace: string) {
    this.#keys = keys;
    this.#context = `payload:${ENCODING}:${namespace}`;
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const { keyId, data } = encrypt(this.#keys, bytesOf(payload), this.#context);
      return { metadata: { [ENCODING_KEY]: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(keyId) }, data };
    });
  }

  /**
   * Opens encrypted payloads; others pass as they are, since Temporal itself writes some.
   *
   * @throws InputError when the key is unknown or wrong, or the payload was changed.
   */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      if (metadataText(payload, ENCODING_KEY) !== ENCODING) return payload;
      const sealed = { keyId: metadataText(payload, KEY_ID), data: payload.data ?? new Uint8Array() };
      return payloadIn(decrypt(this.#keys, sealed, this.#context));
    });
  }
}

/** The data converter of every client and worker of a namespace: compressed, then encrypted payloads; failures. */
export function dataConverter(
  keys: EncryptionKeys,
  namespace: string,
): Required<Pick<DataConverter, "payloadCodecs" | "failureConverterPath">> {
  return {
    payloadCodecs: [new CompressionCodec(), new EncryptionCodec(keys, namespace)],
    failureConverterPath,
  };
}
