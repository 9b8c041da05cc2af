import type { Fault, Sandbox } from "../../../sandbox/index.js";
import { COMPLETED_EVENT } from "../api/service-rules.js";
import type { CallBench } from "./call-bench.js";
import type { RequestParts } from "./call-world.js";

/** A request that changes something, and how often it has. */
export interface Write {
  readonly what: string;
  /** Of its operation. */
  readonly name: string;
  /** Instead of the valid request. */
  readonly request?: RequestParts;
  /** Name of the operation at the stand-in, where that is another. */
  readonly there?: string;
  /** How often it took effect. */
  readonly effects: (sandbox: Sandbox) => number;
  /** What the attempt after a lost answer gives. */
  readonly outcome: "the answer again" | "its effect" | "unknown";
}

const inVault = (name: string) => (sandbox: Sandbox) => (name in sandbox.vaults.contents("fp_1") ? 1 : 0);
/** Onboardings of the playbook that {@link WRITES} ask for. */
export const started = (sandbox: Sandbox) =>
  sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_new").length;

/** Every request of which a second one may be a second effect, or is a write all the same. */
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
    there: "upload_to_vault",
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
    what: "a business with an external id",
    name: "create_business",
    effects: (sandbox) => sandbox.businesses.list().length - 1,
    outcome: "its effect",
  },
  {
    what: "a business with data",
    name: "create_business",
    request: { params: { body: { "business.name": "Shop" } } },
    effects: (sandbox) => sandbox.businesses.list().length - 1,
    outcome: "unknown",
  },
  {
    what: "a business's external id",
    name: "update_business",
    effects: (sandbox) => (sandbox.businesses.find("fb_1")?.external_id === "shop-2" ? 1 : 0),
    outcome: "the answer again",
  },
  {
    what: "an import",
    name: "import_transactions",
    effects: (sandbox) => [...sandbox.truthRows("link_1")].length / 3,
    outcome: "its effect",
  },
  {
    what: "a proxy call",
    name: "call_vault_proxy",
    effects: (sandbox) => sandbox.proxies.forwarded().length,
    outcome: "unknown",
  },
  {
    what: "a test webhook with a key",
    name: "send_test_webhook",
    effects: (one) =>
      new Set(
        one.webhooks
          .messages({ event_kind: COMPLETED_EVENT.event_kind, fp_id: "fp_hook" })
          .map(({ id }) => id),
      ).size,
    request: {
      params: { body: { idempotency_key: "k", payload: { ...COMPLETED_EVENT, fp_id: "fp_hook" } } },
    },
    outcome: "the answer again",
  },
  {
    what: "a test webhook without a key",
    name: "send_test_webhook",
    request: { params: { body: { payload: { ...COMPLETED_EVENT, fp_id: "fp_hook" } } } },
    effects: (one) => one.webhooks.messages({ fp_id: "fp_hook" }).length,
    outcome: "unknown",
  },
];

/** Declares what the writes run. */
export function declarePlaybooks({ playbooks }: Sandbox): void {
  playbooks.declare({ key: "pb_new" });
  playbooks.declare({ key: "pb_new_business", kind: "kyb" });
}

/** Name of the operation of a write at the stand-in. */
export function operationOf({ name, there }: Write): string {
  return there ?? name;
}

/** Has the answer to the next request of a write lost. */
export function loseAnswer({ sandbox }: CallBench, write: Write, fault: object): void {
  sandbox.addFault({ operation: operationOf(write), times: 1, ...fault } as Fault);
}
