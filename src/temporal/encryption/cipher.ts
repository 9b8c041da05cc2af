import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { DamagedError, InputError } from "../../domain/failures.js";
import { SEALED_MARK, type Sealer } from "../../domain/sealer.js";
import { type EncryptionKeys, KEYS_VARIABLE } from "./keys.js";

interface Sealed {
  readonly keyId: string;
  /** IV, tag, ciphertext. */
  readonly data: Uint8Array;
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with the current key, AES-256-GCM.
 *
 * @param context the bytes open under the same one only
 * @param iv random, or {@link repeatableIv} of the same: one IV never serves two texts
 */
export function encrypt(
  keys: EncryptionKeys,
  bytes: Uint8Array,
  context: string,
  iv: Buffer = randomBytes(IV_BYTES),
): Sealed {
  const { id, secret } = keys.current;
  const cipher = createCipheriv(CIPHER, secret, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(id, context));
  const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return { keyId: id, data: Buffer.concat([iv, cipher.getAuthTag(), text]) };
}

/** Opens what {@link encrypt} made. @throws InputError where key, bytes or context are others */
export function decrypt(keys: EncryptionKeys, sealed: Sealed, context: string): Uint8Array {
  const { keyId } = sealed;
  const key = keys.byId.get(keyId);
  if (key === undefined) {
    throw new InputError(
      `${KEYS_VARIABLE}: no key with the id "${keyId}", which encrypted this. Known: ` +
        `${[...keys.byId.keys()].join(", ")}. Add the old key behind the current one.`,
    );
  }
  const data = Buffer.from(sealed.data.buffer, sealed.data.byteOffset, sealed.data.byteLength);
  try {
    const decipher = createDecipheriv(CIPHER, key.secret, data.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associatedData(keyId, context));
    decipher.setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(data.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new DamagedError(
      `${KEYS_VARIABLE}: what was encrypted with the key "${keyId}" does not open: that id has another key ` +
        "now, or the bytes were changed or moved. Nothing was changed. Give the key that encrypted it.",
      { cause: error },
    );
  }
}

/** An IV made of what it encrypts (docs/inside/decisions/0025-repeatable-encryption.md, "Decision"). */
function repeatableIv(keys: EncryptionKeys, bytes: Uint8Array, context: string, owner: string): Buffer {
  const { secret } = keys.current;
  const key = createHmac("sha256", secret).update("nightledger/v1 repeatable iv").digest();
  const names = Buffer.from(JSON.stringify([context, owner]), "utf8");
  // The length keeps names and bytes apart.
  const length = Buffer.alloc(4);
  length.writeUInt32BE(names.length);
  return createHmac("sha256", key).update(length).update(names).update(bytes).digest().subarray(0, IV_BYTES);
}

function associatedData(keyId: string, context: string): Buffer {
  return Buffer.from(JSON.stringify(["nightledger/v1", keyId, context]), "utf8");
}

const MARK = Buffer.from(SEALED_MARK, "latin1");

/** A sealer over a deployment's keys. Its form: mark, one byte with the length of the key's id, the id, {@link Sealed}. */
export function createSealer(keys: EncryptionKeys): Sealer {
  return {
    seal: (bytes, context) => wrapped(encrypt(keys, bytes, contextOf(context))),
    sealRepeatably: (bytes, context, owner) =>
      wrapped(encrypt(keys, bytes, contextOf(context), repeatableIv(keys, bytes, contextOf(context), owner))),
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const idEnd = MARK.length + 1 + (bytes[MARK.length] ?? 0);
      if (!bytes.subarray(0, MARK.length).equals(MARK) || bytes.length < idEnd) {
        throw new DamagedError(
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
