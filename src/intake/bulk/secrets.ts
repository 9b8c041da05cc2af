import { readFile } from "node:fs/promises";
import { InputError } from "../../domain/failures.js";
import { signingKey } from "../../lake/bulk/pack/signature.js";

/** The secrets that a job may be given, each in a file: its flag, and what is read from the file. */
const SECRETS = {
  signKey: {
    flag: "--sign-key",
    read(text: string, path: string) {
      signingKey(text, path);
      return text;
    },
  },
  hmacKey: {
    flag: "--hmac-key",
    read(text: string, path: string) {
      // Editors end a file with a line feed that is no part of the key.
      const key = text.replace(/\r?\n$/, "");
      if (key !== "" && !/\p{Cc}/u.test(key)) return key;
      const problem = key === "" ? "is empty" : "has more than one line, or a control character";
      throw new InputError(`--hmac-key ${path} ${problem}. Nothing was started. Put the key alone into the file.`);
    },
  },
} as const;

export type SecretName = keyof typeof SECRETS;

/** Path of each secret's file. */
export type SecretFiles = { readonly [name in SecretName]?: string | null | undefined };

/** The flag that gives a secret. */
export function secretFlag(name: string): string {
  return name in SECRETS ? SECRETS[name as SecretName].flag : name;
}

/** Reads the secrets of a job. @throws InputError where a file can't be read, or is not what its flag asks for. */
export async function readSecrets(files: SecretFiles): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {};
  for (const [name, { flag, read }] of Object.entries(SECRETS)) {
    const path = files[name as SecretName];
    if (path == null) continue;
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw new InputError(`${flag} ${path} can't be read (${error.code}). Nothing was started.`);
    });
    secrets[name] = read(text, path);
  }
  return secrets;
}
