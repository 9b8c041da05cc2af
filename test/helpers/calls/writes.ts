import type { Fault, Sandbox } from "../../../sandbox/index.js";
import type { CallBench } from "./call-bench.js";
import type { RequestParts } from "./call-world.js";

/** A request that changes something, and how often it has. */
export interface Write {
  readonly what: string;
  /** Of its operation. */
  readonly name: string;
  /** Instead of the valid request. */
  readonly request?: RequestParts;
  /** How often it took effect. */
  readonly effects: (sandbox: Sandbox) => number;
  /** What the attempt after a lost answer gives. */
  readonly outcome: "the answer again" | "its effect";
}

const inVault = (name: string) => (sandbox: Sandbox) => (name in sandbox.vaults.contents("fp_1") ? 1 : 0);
/** Onboardings of the playbook that {@link WRITES} ask for. */
export const started = (sandbox: Sandbox) =>
  sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_new").length;

/** The writes of jobs, and what becomes of each when its answer is lost. */
export const WRITES: readonly Write[] = [
  {
    what: "an onboarding of a user",
    name: "create_onboarding",
    request: { params: { body: { key: "pb_new:v1", fp_id: "fp_1" } } },
    effects: started,
    outcome: "its effect",
  },
  {
    what: "an onboarding of a business",
    name: "create_onboarding",
    request: { params: { body: { key: "pb_new_business", fp_id: "fb_1" } } },
    effects: (sandbox) =>
      sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_new_business").length,
    outcome: "its effect",
  },
  {
    what: "an onboarding by external id",
    name: "create_onboarding",
    request: { params: { body: { key: "pb_new", external_id: "cust-1" } } },
    effects: started,
    outcome: "the answer again",
  },
  {
    what: "a vault update",
    name: "update_vault",
    request: { params: { body: { "custom.one": "x" } }, owner: { fp_id: "fp_1" } },
    effects: inVault("custom.one"),
    outcome: "the answer again",
  },
  {
    what: "an upload",
    name: "upload_to_vault",
    effects: inVault("custom.file"),
    outcome: "the answer again",
  },
  {
    what: "a CIP report",
    name: "create_cip_report",
    // Each request makes a report, and changes nothing else: it is asked for again.
    effects: (one) => Math.min(1, one.cip.made().length),
    outcome: "the answer again",
  },
  {
    what: "an import",
    name: "import_transactions",
    effects: (sandbox) => [...sandbox.truthRows("link_1")].length / 3,
    outcome: "its effect",
  },
];

/** Declares what the writes run. */
export function declarePlaybooks({ playbooks }: Sandbox): void {
  playbooks.declare({ key: "pb_new" });
  playbooks.declare({ key: "pb_new_business", kind: "kyb" });
}

/** Has the answer to the next request of a write lost. */
export function loseAnswer({ sandbox }: CallBench, write: Write, fault: object): void {
  sandbox.addFault({ operation: write.name, times: 1, ...fault } as Fault);
}
