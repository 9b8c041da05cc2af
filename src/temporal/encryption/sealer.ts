import { InputError } from "../../domain/failures.js";
import { SEALED_MARK, type Sealer } from "../../domain/sealer.js";
import { decrypt, encrypt, repeatableIv, type Sealed } from "./cipher.js";
import type { EncryptionKeys } from "./keys.js";

const MARK = Buffer.from(SEALED_MARK, "latin1");

/**
 * A sealer over the keys of a deployment: AES-256-GCM (`cipher.ts`). The form is the mark, one byte with the
 * length of the key's id, the id, then IV, tag and ciphertext.
 */
export function createSealer(keys: EncryptionKeys): Sealer {
  return {
    seal: (bytes, context) => wrapped(encrypt(keys, bytes, contextOf(context))),
    sealRepeatably: (bytes, context, owner) =>
      wrapped(encrypt(keys, bytes, contextOf(context), repeatableIv(keys, bytes, contextOf(context), owner))),
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const idEnd = MARK.length + 1 + (bytes[MARK.length] ?? 0);
      if (!bytes.subarray(0, MARK.length).equals(MARK) || bytes.length < idEnd) {
        throw new InputError(
          "what should be encrypted is not: it was not written by Nightledger, or was cut. Nothing was changed. " +
            "Restore it from a backup, or start the job again",
        );
      }
      const keyId = bytes.toString("latin1", MARK.length + 1, idEnd);
      return decrypt(keys, { keyId, data: bytes.subarray(idEnd) }, contextOf(context));
    },
  };
}

function wrapped({ keyId, data }: Sealed): Uint8Array {
  const id = Buffer.from(keyId, "latin1");
  return Buffer.concat([MARK, Buffer.from([id.length]), id, data]);
}

function contextOf(context: string): string {
  return `sealed:${context}`;
}
