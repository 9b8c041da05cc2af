import { resolve } from "node:path";
import { InputError } from "../../domain/failures.js";
import type { FrozenFile } from "../../lake/bulk/bulk-staging.js";
import { signingKey } from "../../lake/bulk/pack/signature.js";
import { secretPrint } from "../../lake/bulk/secret-print.js";
import { givenBytes } from "../files/text.js";
import { headerParts } from "./proxy-request.js";

/** A secret that a job is given in a file. */
interface Secret {
  readonly flag: string;
  /** What a run did with it, for the message that asks for it again. */
  readonly use: string;
  /** Reads its file. @throws InputError */
  read(text: string, path: string): string;
}

const SECRETS = {
  signKey: {
    flag: "--sign-key",
    use: "signed its pack",
    read(text, path) {
      // In one form, so that the same key is the same secret.
      return signingKey(text, path).export({ type: "pkcs8", format: "pem" }) as string;
    },
  },
  hmacKey: {
    flag: "--hmac-key",
    use: "hashed values",
    read(text, path) {
      // An editor ends a file with a line feed, which is not part of the key.
      const key = text.replace(/\r?\n$/, "");
      if (key !== "" && !/\p{Cc}/u.test(key)) return key;
      const problem = key === "" ? "is empty" : "has more than one line, or a control character";
      throw new InputError(
        `--hmac-key ${path} ${problem}. Nothing was started. Put the key alone into the file.`,
      );
    },
  },
} as const satisfies Record<string, Secret>;

type SecretName = keyof typeof SECRETS;

/** Paths of the files of secrets. */
export type SecretFiles = { readonly [name in SecretName]?: string | null | undefined };

/** Reads the secrets of a job. @throws InputError where a file can't be read, or does not hold what its flag is for. */
export async function readSecrets(files: SecretFiles, cwd = ""): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {};
  for (const [name, { flag, read }] of Object.entries(SECRETS)) {
    const given = files[name as SecretName];
    if (given == null) continue;
    const path = resolve(cwd, given);
    secrets[name] = read((await givenBytes(path, flag)).toString("utf8"), path);
  }
  return secrets;
}

/** What a run did with secrets that it was given in several flags, and which those are. */
const OTHERS: Readonly<Record<string, { readonly use: string; readonly flag: string }>> = {
  headers: {
    use: "sent headers or certificates",
    flag: "each --header, --client-cert, --client-key and --pin-cert of it",
  },
};

type KeptFile = Pick<FrozenFile, "secrets" | "secretPrints" | "sha256" | "options">;

/** The secrets of a run, which are given again for a repetition. @throws InputError that names a flag */
export function secretsAgain(
  runId: string,
  { secrets: kept, secretPrints = {}, sha256, options }: KeptFile,
  given: Readonly<Record<string, string>>,
): FrozenFile["secrets"] {
  const further = Object.keys(given).find((name) => !Object.hasOwn(kept, name));
  if (further !== undefined)
    throw new InputError(`run ${runId} was not given ${further} before. Nothing was started. Leave it out.`);
  const secrets = { ...kept, ...given };
  for (const [name, { flag, use }] of Object.entries({ ...SECRETS, ...OTHERS })) {
    if (secrets[name] !== null) continue;
    throw new InputError(
      `run ${runId} ${use}, and what it was given was not kept. Nothing was started. Give ${flag} again.`,
    );
  }
  // Hashes under two keys match nothing. A signing key may be another one by now, and a token in a header too.
  const { hmacKey } = given;
  const print = secretPrints.hmacKey;
  if (hmacKey !== undefined && print !== undefined && secretPrint(hmacKey, sha256) !== print)
    throw new InputError(
      `run ${runId} ${SECRETS.hmacKey.use} with another key. Nothing was started. Give ${SECRETS.hmacKey.flag} the key of that run.`,
    );
  if (given.headers !== undefined && headerParts(given.headers) !== options.headers)
    throw new InputError(
      `run ${runId} was given other headers or certificates (${options.headers}). Nothing was started. Give each of them again.`,
    );
  return secrets;
}
