import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../domain/failures.js";

/** AES-256. A `KeyObject` does not show its bytes when it is printed. */
interface EncryptionKey {
  readonly id: string;
  readonly secret: KeyObject;
}

/** `current` encrypts, each of them decrypts. */
export interface EncryptionKeys {
  readonly current: EncryptionKey;
  readonly byId: ReadonlyMap<string, EncryptionKey>;
}

export const KEYS_VARIABLE = "NIGHTLEDGER_ENCRYPTION_KEYS";

const ACCEPTED = "Accepted: id:base64 of 32 bytes, comma-separated; the first one encrypts.";
// Shorter than a key in base64: a key in the id's place is never shown.
const ID = /^[A-Za-z0-9._-]{1,32}$/;
const SECRET = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Reads `id:base64(32 bytes)`, comma-separated (docs/run/configuration.md, "Encryption keys").
 *
 * @param source the variable or a file
 * @throws InputError with the position, never what is there.
 */
export function parseEncryptionKeys(value: string, source: string = KEYS_VARIABLE): EncryptionKeys {
  const byId = new Map<string, EncryptionKey>();
  const entries = value.split(",").map((entry) => entry.trim());
  if (entries.length === 1 && entries[0] === "") throw new InputError(`${source}: is empty. ${ACCEPTED}`);
  for (const [index, entry] of entries.entries()) {
    const wrong = (what: string) => new InputError(`${source}: key ${index + 1}: ${what}. ${ACCEPTED}`);
    if (entry === "") throw wrong("is empty");
    const colon = entry.indexOf(":");
    if (colon < 0) throw wrong("has no colon between id and key");
    const id = entry.slice(0, colon);
    if (!ID.test(id)) throw wrong("its id is not 1 to 32 letters, digits, dots, dashes or underscores");
    const secret = entry.slice(colon + 1);
    const bytes = Buffer.from(secret, "base64");
    if (!SECRET.test(secret)) {
      const length = secret.length;
      throw wrong(`id "${id}" has ${length} characters that are not base64 of 32 bytes (44 characters)`);
    }
    if (byId.has(id)) throw wrong(`id "${id}" appears twice`);
    byId.set(id, { id, secret: createSecretKey(bytes) });
  }
  const [current] = byId.values();
  if (current === undefined) throw new InputError(`${source}: is empty. ${ACCEPTED}`);
  return { current, byId };
}

/** The keys in HOME; undefined for none. Writes nothing. */
export async function readEmbeddedKeys(home: string): Promise<EncryptionKeys | undefined> {
  const path = keysPath(home);
  try {
    return parseEncryptionKeys((await readFile(path, "utf8")).trim(), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The keys in HOME, made where there are none; two at once get the same. */
export async function ensureEmbeddedKeys(home: string): Promise<EncryptionKeys> {
  const existing = await readEmbeddedKeys(home);
  if (existing !== undefined) {
    await chmod(keysPath(home), 0o600);
    return existing;
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const draft = `${keysPath(home)}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const id = `embedded-${randomBytes(4).toString("hex")}`;
    await writeDurably(draft, `${id}:${randomBytes(32).toString("base64")}\n`);
    await link(draft, keysPath(home));
  } catch (error) {
    // Another command was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readEmbeddedKeys(home);
  if (made === undefined)
    throw new InputError(`${keysPath(home)} was removed while it was being created. Try again.`);
  return made;
}

function keysPath(home: string): string {
  return join(home, "keys");
}

// Durable before anything is encrypted with them: a history without its key can't be read again.
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
