import { InputError } from "../../domain/failures.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { decrypt, encrypt } from "./cipher.js";
import { type EncryptionKeys, KEYS_VARIABLE } from "./keys.js";

/** The canary's key in the lake. Readers of tables pass over names that begin with an underscore. */
export const CANARY_KEY = "_nightledger/canary.json";

const CONTEXT = "canary";
const TEXT = "nightledger";

/**
 * Finds a wrong key before anything runs: opens the lake's canary. Only reads.
 *
 * @returns whether there is a canary; a lake without one takes any key.
 * @throws InputError naming the variable and the canary's key id when it does not open.
 */
export async function checkCanary(store: ObjectStore, keys: EncryptionKeys): Promise<boolean> {
  const body = await store.get(CANARY_KEY);
  if (body === undefined) return false;
  const sealed = parseCanary(body, store.address);
  let text: string;
  try {
    text = Buffer.from(decrypt(keys, sealed, CONTEXT)).toString("utf8");
  } catch (error) {
    throw wrongKey(store.address, sealed.keyId, keys, error);
  }
  if (text !== TEXT) throw wrongKey(store.address, sealed.keyId, keys);
  return true;
}

/** Writes the canary with the current key on the lake's first use, then checks it; another's stays. */
export async function ensureCanary(store: ObjectStore, keys: EncryptionKeys): Promise<void> {
  if (await checkCanary(store, keys)) return;
  const { keyId, data } = encrypt(keys, Buffer.from(TEXT), CONTEXT);
  const body = JSON.stringify({ key_id: keyId, data: Buffer.from(data).toString("base64") });
  if (!(await store.putIfAbsent(CANARY_KEY, body))) await checkCanary(store, keys);
}

function parseCanary(body: Buffer, lake: string): { keyId: string; data: Uint8Array } {
  try {
    const { key_id: keyId, data } = JSON.parse(body.toString("utf8"));
    if (typeof keyId === "string" && typeof data === "string") {
      return { keyId, data: Buffer.from(data, "base64") };
    }
  } catch {
    // Falls through to the message: a torn file and a foreign one are the same to the user.
  }
  throw new InputError(
    `${CANARY_KEY} in the lake ${lake} is not a canary of Nightledger. Nothing was changed. ` +
      "Name another lake in NIGHTLEDGER_LAKE, or restore the file.",
  );
}

function wrongKey(lake: string, keyId: string, keys: EncryptionKeys, cause?: unknown): InputError {
  const known = keys.byId.has(keyId)
    ? "the key given under this id is another one"
    : `only ${[...keys.byId.keys()].map((id) => `"${id}"`).join(", ")} given`;
  return new InputError(
    `${KEYS_VARIABLE}: the lake ${lake} was first used with the key "${keyId}": ${known}. ` +
      `Nothing was changed. Give the key that "${keyId}" was then (it may stand behind the current one), or ` +
      "name another lake.",
    { cause },
  );
}
