import { InputError } from "../../domain/failures.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { decrypt, encrypt } from "./cipher.js";
import { type EncryptionKeys, KEYS_VARIABLE } from "./keys.js";

/** The object by which a wrong key is noticed. */
export const KEY_CHECK = "_nightledger/canary.json";

const CONTEXT = "canary";
const TEXT = "nightledger";

/**
 * Decrypts the lake's key check. Only reads.
 *
 * @returns whether there is one; a lake without takes any key
 * @throws InputError naming the variable and the key id when it does not decrypt.
 */
export async function checkKeys(store: ObjectStore, keys: EncryptionKeys): Promise<boolean> {
  const body = await store.get(KEY_CHECK);
  if (body === undefined) return false;
  const sealed = parseKeyCheck(body, store.address);
  let text: string;
  try {
    text = Buffer.from(decrypt(keys, sealed, CONTEXT)).toString("utf8");
  } catch (error) {
    throw wrongKey(store.address, sealed.keyId, keys, error);
  }
  if (text !== TEXT) throw wrongKey(store.address, sealed.keyId, keys);
  return true;
}

/** Writes the key check on the lake's first use. */
export async function ensureKeyCheck(store: ObjectStore, keys: EncryptionKeys): Promise<void> {
  if (await checkKeys(store, keys)) return;
  const { keyId, data } = encrypt(keys, Buffer.from(TEXT), CONTEXT);
  const body = JSON.stringify({ key_id: keyId, data: Buffer.from(data).toString("base64") });
  if (!(await store.putIfAbsent(KEY_CHECK, body))) await checkKeys(store, keys);
}

function parseKeyCheck(body: Buffer, lake: string): { keyId: string; data: Uint8Array } {
  try {
    const { key_id: keyId, data } = JSON.parse(body.toString("utf8"));
    if (typeof keyId === "string" && typeof data === "string") {
      return { keyId, data: Buffer.from(data, "base64") };
    }
  } catch {
    // A torn file and a foreign one get the same message.
  }
  throw new InputError(
    `${KEY_CHECK} in the lake ${lake} is not a key check of Nightledger. Nothing was changed. ` +
      "Name another lake in NIGHTLEDGER_LAKE, or restore the file.",
  );
}

function wrongKey(lake: string, keyId: string, keys: EncryptionKeys, cause?: unknown): InputError {
  const known = keys.byId.has(keyId)
    ? "the key given under this id is another one"
    : `only ${[...keys.byId.keys()].map((id) => `"${id}"`).join(", ")} given`;
  return new InputError(
    `${KEYS_VARIABLE}: the lake ${lake} was first used with the key "${keyId}": ${known}. ` +
      `Nothing was changed. Give the original key "${keyId}" (it may follow the current one), or the NIGHTLEDGER_HOME ` +
      "with which the lake was made, or name another lake.",
    { cause },
  );
}
