import { createHash } from "node:crypto";
import { hostname, userInfo } from "node:os";
import type { Asker } from "../../domain/bulk/bulk-job.js";
import { keyMode } from "../../domain/service/key-mode.js";
import type { RetentionRules } from "../../domain/tables/retention.js";

/** Says who asks for a job in this process, on which machine, for whom, with which key. */
export function askerOf(
  { url, key }: { readonly url: string; readonly key: string },
  institution?: { readonly name?: string | undefined; readonly retention: RetentionRules },
): Asker {
  const keyFingerprint = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return {
    operator: userInfo().username,
    host: hostname(),
    institution: institution?.name,
    retention: institution?.retention ?? {},
    service: url,
    mode: keyMode(key),
    keyFingerprint,
  };
}
