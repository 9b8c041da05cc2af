import type { Sandbox } from "../../../sandbox/index.js";
import type { CallPlace } from "../../../src/activities/calls/call-rules.js";

/** A request of a call, and what is special about it. */
export interface RequestParts extends Pick<CallPlace, "owner" | "lookAfter" | "evidence"> {
  readonly params: object;
}

/** Fills a stand-in with someone for every operation to be about; `mark` is in every personal value. */
export function fillForCalls(sandbox: Sandbox, mark = "note"): void {
  sandbox.playbooks.declare({ key: "pb_earlier", output: { name: mark } });
  sandbox.playbooks.declare({ key: "pb_user", output: { name: mark } });
  sandbox.playbooks.declare({ key: "pb_business", kind: "kyb" });
  sandbox.addUser({ fp_id: "fp_1", external_id: "cust-1" });
  sandbox.addLink({ id: "link_1", fp_id: "fp_1" });
  sandbox.addAccount("link_1", { id: "acc_1" });
  sandbox.investments.fill("link_1", 5);
  sandbox.businesses.add({ fp_bid: "fb_1" });
  sandbox.vaults.write("fp_1", { "id.first_name": mark });
}

/** Valid requests of operations that jobs call. */
export const REQUESTS: Readonly<Record<string, RequestParts>> = {
  decrypt_vault: {
    params: { body: { fields: ["id.first_name"], reason: "note" } },
    owner: { fp_id: "fp_1" },
  },
  update_vault: { params: { body: { "id.first_name": "note" } }, owner: { fp_id: "fp_1" } },
  upload_to_vault: {
    params: { path: { identifier: "custom.file" }, body: Buffer.from("note") },
    owner: { fp_id: "fp_1" },
  },
  create_cip_report: { params: { path: { fp_id: "fp_1" }, body: { default_approver: "note" } } },
  get_user: { params: { path: { fp_id: "fp_1" } } },
  import_transactions: {
    params: {
      path: { link_id: "link_1" },
      body: {
        transactions: [1, 2, 3].map((n) => ({
          account_id: "acc_1",
          amount: "-3.20",
          date: "2026-01-02",
          transaction_id: `mine_${n}`,
        })),
      },
    },
    evidence: { isSeen: true, beside: [] },
  },
};
