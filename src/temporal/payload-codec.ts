import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { DataConverter, Payload, PayloadCodec } from "@temporalio/common";
import proto from "@temporalio/proto";
import { decrypt, encrypt } from "./cipher.js";
import type { EncryptionKeys } from "./keys.js";

const ENCODING = "binary/encrypted";
const ENCODING_KEY = "encoding";
const KEY_ID = "encryption-key-id";
const PayloadMessage = proto.temporal.api.common.v1.Payload;

/** Where the SDK finds `failureConverter`; the workflow bundle is built with the same. */
export const failureConverterPath = fileURLToPath(
  new URL(`./failure-converter${extname(import.meta.url)}`, import.meta.url),
);

/**
 * Encrypts every payload on its way to Temporal and opens it on the way back, with AES-256-GCM. The key's id
 * stands in the metadata, so that histories under an older key open as long as that key is given.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #keys: EncryptionKeys;
  readonly #context: string;

  /** @param namespace the payloads open in this Temporal namespace only. */
  constructor(keys: EncryptionKeys, namespace: string) {
    this.#keys = keys;
    this.#context = `payload:${ENCODING}:${namespace}`;
  }

  /** Encrypts whole payloads, their metadata included. */
  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const { keyId, data } = encrypt(this.#keys, PayloadMessage.encode(payload).finish(), this.#context);
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
      if (textOf(payload, ENCODING_KEY) !== ENCODING) return payload;
      const sealed = { keyId: textOf(payload, KEY_ID), data: payload.data ?? new Uint8Array() };
      const { metadata, data } = PayloadMessage.decode(decrypt(this.#keys, sealed, this.#context));
      return { metadata, data };
    });
  }
}

/** The data converter of every client and worker of a namespace: encrypted payloads and failures. */
export function dataConverter(
  keys: EncryptionKeys,
  namespace: string,
): Required<Pick<DataConverter, "payloadCodecs" | "failureConverterPath">> {
  return { payloadCodecs: [new EncryptionCodec(keys, namespace)], failureConverterPath };
}

function textOf(payload: Payload, name: string): string {
  return Buffer.from(payload.metadata?.[name] ?? []).toString("utf8");
}
