export type { CallCounts, RecordedRequest, RequestFilter } from "./calls.js";
export { type LinkSummary, SandboxControl } from "./control/client.js";
export type { Fault, FaultEffect, FaultKind, FaultSelector, RetryAfter } from "./faults/fault.js";
export { parseFaults } from "./faults/fault-input.js";
export type { SandboxOptions } from "./options.js";
export type { BerkaPopulation } from "./population/berka.js";
export type { Population } from "./population/population.js";
export type { SyntheticPopulation } from "./population/synthetic.js";
export type { VolumePopulation } from "./population/volume.js";
export { readFaults, runSandbox, type SandboxCommand, sandboxOptions } from "./run.js";
export { Sandbox } from "./sandbox.js";
export { startSandbox } from "./start.js";
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
