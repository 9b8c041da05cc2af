import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.js";
import { type SealedRequest, stageRequest } from "../../../src/lake/calls/staged-call.js";
import { putStream, type SealedStore } from "../../../src/lake/store/sealed-store.js";
import { COMPLETED_EVENT } from "../api/service-rules.js";

/** A request of a call, without the name of its operation; its bytes are staged, or still to be. */
export interface RequestParts extends Omit<SealedRequest, "operation" | "bytes"> {
  readonly bytes?: SealedRequest["bytes"] | Buffer;
}

/** Stages a request as a command does, its bytes first. */
export async function stageParts(
  sealed: SealedStore,
  prefix: string,
  operation: string,
  { bytes, ...parts }: RequestParts,
): Promise<void> {
  const stream = `${prefix}bytes/1`;
  const staged = Buffer.isBuffer(bytes)
    ? { stream, sha256: (await putStream(sealed, stream, Readable.from([bytes]))).sha256 }
    : bytes;
  await stageRequest(sealed, prefix, { operation, ...parts, ...(staged && { bytes: staged }) });
}

/** A target of the vault proxy: it gives back what it gets, as text. */
export interface ProxyTarget {
  readonly options: Pick<SandboxOptions, "proxies">;
  close(): Promise<void>;
}

export async function startProxyTarget(): Promise<ProxyTarget> {
  const server: Server = createServer((request, response) => {
    response.writeHead(201, { "content-type": "text/csv", "x-target": "yes" });
    request.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    options: { proxies: [{ id: "proxy_1", target: `http://127.0.0.1:${port}/in` }] },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
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

/** An onboarding that has ended, made behind the client's back. */
export async function endedOnboarding(sandbox: Sandbox, fp_id: string, key: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${sandbox.apiKey}:`).toString("base64")}`;
  const body = JSON.stringify({ fp_id, key, synchronous_timeout_secs: 5 });
  const answer = await fetch(`${sandbox.url}/onboardings`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { id: string }).id;
}

const USER = { path: { fp_id: "fp_1" } };
const LINK = { path: { link_id: "link_1" } };
const BUSINESS = { path: { fp_bid: "fb_1" } };

/** A request of every operation that the service takes; `ids` are of onboardings that have ended. */
export function validRequests(
  sandbox: Sandbox,
  ids: { readonly user: string; readonly business: string },
  mark = "note",
): Readonly<Record<string, RequestParts>> {
  const owner = { fp_id: "fp_1" };
  const row = { account_id: "acc_1", amount: "-3.20", date: "2026-01-02", description: mark };
  return {
    create_onboarding: {
      params: { body: { key: "pb_user", fp_id: "fp_1", prerequisite_data: { note: mark } } },
    },
    list_user_onboardings: { params: USER },
    list_business_onboardings: { params: BUSINESS },
    get_onboarding: { params: { path: { id: ids.user } } },
    validate_session: {
      params: { body: { validation_token: sandbox.sessions.end({ onboardings: [ids.user] }) } },
    },
    create_client_token: { params: { ...USER, body: { scope: "vault", fields: ["id.dob"], ttl: 60 } } },
    decrypt_vault: { params: { body: { fields: ["id.first_name"], reason: mark } }, owner },
    update_vault: { params: { body: { "id.first_name": mark, "custom.note": mark } }, owner },
    upload_to_vault: {
      params: { path: { identifier: "custom.file" } },
      bytes: Buffer.from(mark),
      owner,
    },
    create_cip_report: { params: { ...USER, body: { default_approver: mark } } },
    get_user: { params: USER },
    create_business: { params: { headers: { external_id: "shop-1" } } },
    update_business: { params: { ...BUSINESS, body: { external_id: "shop-2" } } },
    get_business_insights: { params: { path: { fp_bid: "fb_1", onboarding_id: ids.business } } },
    list_bank_links: { params: USER },
    list_user_accounts: { params: USER },
    list_link_accounts: { params: LINK },
    list_user_transactions: { params: { ...USER, query: { page: 1, size: 10 } } },
    list_investment_transactions: { params: { ...LINK, query: { size: 10 } } },
    sync_transactions: { params: LINK },
    import_transactions: {
      params: {
        ...LINK,
        body: { transactions: [1, 2, 3].map((n) => ({ ...row, transaction_id: `mine_${n}` })) },
      },
    },
    call_vault_proxy: {
      params: { path: { id: "proxy_1" } },
      bytes: Buffer.from(`${mark};b\n`),
    },
    send_test_webhook: { params: { body: { idempotency_key: "k", payload: COMPLETED_EVENT } } },
  };
}
