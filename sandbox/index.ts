export type { OnboardingStatus } from "../src/domain/service/onboarding-status.js";
export type { Business, NewBusiness } from "./businesses/business-book.js";
export type { CallCounts, RecordedRequest, RequestFilter } from "./calls.js";
export type { MadeReport } from "./cip/cip-book.js";
export type { CipCheck, CipScript } from "./cip/cip-report.js";
export { type LinkSummary, SandboxControl } from "./control/client.js";
export type { Fault, FaultEffect, FaultKind, FaultSelector, RetryAfter } from "./faults/fault.js";
export { parseFaults } from "./faults/fault-input.js";
export type { RateLimitOptions } from "./http/rate-limit.js";
export type { NewInvestments } from "./investments/investment-book.js";
export type { Onboarding } from "./onboarding/onboarding.js";
export type { PlaybookOptions } from "./onboarding/playbook.js";
export type { OutcomeScript, ScriptedOutcome } from "./onboarding/playbook-book.js";
export type { NewSession } from "./onboarding/session-book.js";
export { OPERATIONS as SANDBOX_OPERATIONS } from "./operations/index.js";
export type { SandboxOptions } from "./options.js";
export type { BerkaPopulation } from "./population/berka.js";
export type { Population } from "./population/population.js";
export type { SyntheticPopulation } from "./population/synthetic.js";
export type { VolumePopulation } from "./population/volume.js";
export type { ForwardedRequest, NewProxy } from "./proxy/proxy-book.js";
export { readFaults, runSandbox, type SandboxCommand, sandboxOptions } from "./run.js";
export { Sandbox } from "./sandbox.js";
export { startSandbox } from "./start.js";
export type { TokenGrant } from "./vault/client-token.js";
export type { Decryption } from "./vault/vault-book.js";
export type { NewEndpoint } from "./webhooks/endpoint.js";
export type { WebhookMessage } from "./webhooks/message.js";
export { webhookSignature } from "./webhooks/signature.js";
export type { ReleaseOptions, WebhookOptions } from "./webhooks/webhook-book.js";
export type { AdvanceOptions, AdvanceReport } from "./world/advance.js";
export { decimalText, decimalUnits } from "./world/decimal.js";
export type { ChangeType, LogEvent } from "./world/link-log.js";
export type { NightlyChangesOptions } from "./world/nightly-changes.js";
export {
  type AccountFields,
  type LinkFields,
  type TransactionRow,
  transactionRow,
} from "./world/records.js";
export type { AccountTotal, LinkTruth, TruthRow } from "./world/truth.js";
export type { NewAccount, NewEvent, NewLink, NewUser } from "./world/world.js";
