import { canonicalJson } from "../json/value.js";
import { problemCodes } from "../row-problem.js";
import { parsePlaybookKey } from "../service/playbook-key.js";
import type { CustomerRow, OnboardingMode, RightRow, WrongRow } from "./customer.js";

/** Hex sha256 of a text's UTF-8; given by callers, because workflows and `domain/` have no Node. */
type Sha256 = (text: string) => string;

/** What a batch does with each of its customers, and for which service: part of every key. */
export interface BatchPurpose {
  /** `<playbook_key>` or `<playbook_key>:v<n>`, as it is posted. */
  readonly playbook: string;
  readonly mode: OnboardingMode;
  /** Id of the lake's service; empty where none is bound yet. */
  readonly service: string;
}

/** A playbook without its version tag, as events name it. */
export function playbookKeyOf(playbook: string): string {
  return parsePlaybookKey(playbook)?.playbook ?? playbook;
}

/** The version that a playbook key pins; null where it pins none. */
export function playbookVersionOf(playbook: string): number | null {
  return parsePlaybookKey(playbook)?.version ?? null;
}

/** Whom a row is about: `fp_id:…`, else `external_id:…`, else the first data that a business is to be made from. */
export function identityOf(customer: Pick<CustomerRow, "fpId" | "externalId" | "vault">): string {
  if (customer.fpId !== null) return `fp_id:${customer.fpId}`;
  if (customer.externalId !== null) return `external_id:${customer.externalId}`;
  return `data:${canonicalJson(customer.vault)}`;
}

/** Names whom a row is about, without telling: 32 hex digits. */
export function identityHash(sha256: Sha256, identity: string): string {
  return sha256(identity).slice(0, 32);
}

/**
 * The key under which a row is posted once, in whatever batch: 32 hex digits of kind, identity, content, playbook, mode
 * and service. A document counts by its bytes, not by its path; the line does not count.
 */
export function rowKey(sha256: Sha256, customer: CustomerRow, purpose: BatchPurpose): string {
  const documents = Object.entries(customer.documents).map(([name, { sha256: hash }]) => [name, hash]);
  const content = {
    data: customer.prerequisiteData,
    vault: customer.vault,
    documents: Object.fromEntries(documents),
  };
  const { playbook, mode, service } = purpose;
  const key = [customer.kind, identityOf(customer), content, playbook, mode, service];
  return sha256(canonicalJson(key)).slice(0, 32);
}

/** A row as it counts in its batch's id. */
export function batchLine(
  row: Pick<RightRow, "line" | "rowKey"> | Pick<WrongRow, "line" | "problems">,
): string {
  if ("rowKey" in row) return `${row.line} ${row.rowKey}\n`;
  return `${row.line} invalid ${JSON.stringify(problemCodes(row.problems))}\n`;
}

/** `onb_` and 24 hex digits; `linesSha256` is the sha256 of every {@link batchLine} in the file's order. */
export function batchId(
  sha256: Sha256,
  linesSha256: string,
  { playbook, mode, service }: BatchPurpose,
): string {
  return `onb_${sha256(canonicalJson([linesSha256, playbook, mode, service])).slice(0, 24)}`;
}

export function batchWorkflowId(scope: string, batch: string): string {
  return `onboard-batch/${scope}/${batch}`;
}

export function followWorkflowId(scope: string): string {
  return `follow/${scope}`;
}
