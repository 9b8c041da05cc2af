import { cancellationSignal } from "@temporalio/activity";
import { withClientToken } from "../../../api/http/client-token.js";
import { AuthError, RejectedError } from "../../../api/http/errors.js";
import { createBusiness } from "../../../api/operations/business.js";
import { updateVault } from "../../../api/operations/vault-update.js";
import { uploadToVault } from "../../../api/operations/vault-upload.js";
import type {
  CustomerRef,
  CustomerStep,
  CustomerStepInput,
} from "../../../domain/onboarding/customer/customer-step.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import { type CustomerRow, valuesOf } from "../../../domain/onboarding/customer.js";
import type { RightRow } from "../../../domain/onboarding/frozen-row.js";
import { noteMadeBusiness } from "../../../lake/onboarding/made-businesses.js";
import { callOnce } from "../../calls/call-once.js";
import { callState } from "../../calls/call-record.js";
import { countedCalls } from "../../counted-calls.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { businessPrefix } from "./call-prefix.js";
import { failedStep, refusedStep } from "./customer-failure.js";

/** Whom the onboarding is for, where the row did not name it. */
interface Prepared {
  /** `fp_bid` of the business that was made; null where its external id was taken and names it. */
  readonly fpBid: string | null;
}

type RowOfBusiness = Pick<CustomerRef, "rowKey">;

const preparedKey = (row: RowOfBusiness) => `${businessPrefix(row)}prepared`;
const businessCallPrefix = (row: RowOfBusiness) => `${businessPrefix(row)}call/`;

/** `fp_bid` of the business that was made for a row; null where it is known by its external id alone. */
export async function preparedId(deps: OnboardingDependencies, row: RowOfBusiness): Promise<string | null> {
  return (await deps.sealed.get<Prepared>(preparedKey(row)))?.fpBid ?? null;
}

/**
 * Makes a customer ready for its onboarding: a user's vault is written and its documents are uploaded with a
 * client token of exactly these fields; a business is made, or adopted where its external id is taken.
 * Repeated, it does no harm: the same values are written once more, and a business is made once
 * (docs/reference/service.md, "Vault update" and "Business creation").
 */
export async function prepareCustomer(
  given: OnboardingDependencies,
  input: CustomerStepInput,
): Promise<CustomerStep> {
  return withHeartbeat(async () => {
    const frozen = await given.batches.row(input.batchId, input.row);
    const { customer } = frozen;
    const counted = countedCalls(given, valuesOf(customer));
    try {
      if (customer.create) await makeBusiness(counted.deps, input, frozen);
      else await writeVault(counted.deps, input, customer);
      const { state } = input;
      const { calls } = counted;
      return { state, outcome: null, link: null, unauthorized: false, calls, messageHash: null };
    } catch (error) {
      // A refused client token is the row's trouble; the key that made it was good.
      if (error instanceof AuthError && !isTokens(error)) return refusedStep(input, counted.calls);
      const isLost = await isBusinessLost(given, input);
      return failedStep(counted, input, error, isLost ? NEXT_ACTIONS.needsFpBid : undefined);
    }
  });
}

/** Whether a business may have been made that nothing finds again: it is never asked for a second time. */
async function isBusinessLost(
  { batches, sealed }: OnboardingDependencies,
  input: CustomerStepInput,
): Promise<boolean> {
  const { customer } = await batches.row(input.batchId, input.row);
  if (!customer.create || customer.externalId !== null) return false;
  return (await callState(sealed, businessCallPrefix(input))) === "sent";
}

function isTokens({ operation }: AuthError): boolean {
  return operation === updateVault.name || operation === uploadToVault.name;
}

async function writeVault(
  deps: OnboardingDependencies,
  input: CustomerStepInput,
  customer: CustomerRow,
): Promise<void> {
  const values = Object.entries(customer.vault);
  const documents = Object.keys(customer.documents);
  const fields = [...values.map(([identifier]) => identifier), ...documents];
  if (customer.fpId === null || fields.length === 0) return;
  const options = { run: input.latch, signal: cancellationSignal() };
  const grant = { fp_id: customer.fpId, scope: "vault" as const, fields };
  await withClientToken(
    deps.api,
    grant,
    async (clientToken) => {
      if (values.length > 0) {
        const body = Object.fromEntries(values) as Parameters<typeof updateVault.params.body.parse>[0];
        await deps.api.read(updateVault, { body } as never, { ...options, clientToken });
      }
      for (const identifier of documents) {
        const stream = await deps.batches.document(input.batchId, input.line, identifier);
        const type = customer.documents[identifier]?.contentType;
        await deps.api.read(
          uploadToVault,
          {
            path: { identifier },
            ...(type != null && { headers: { content_type: type } }),
            body: { size: stream.size, open: () => stream.open() },
          },
          { ...options, clientToken },
        );
      }
    },
    options,
  );
}

async function makeBusiness(
  deps: OnboardingDependencies,
  input: CustomerStepInput,
  { customer: { externalId, vault }, identityHash }: RightRow,
): Promise<void> {
  if ((await deps.sealed.stat(preparedKey(input))) !== undefined) return;
  const keep = (fpBid: string | null) =>
    deps.sealed.put(preparedKey(input), { fpBid } satisfies Prepared, { durable: true });
  try {
    const { body } = await callOnce(deps, {
      operation: createBusiness,
      params: externalId === null ? { body: vault as never } : { headers: { external_id: externalId } },
      key: businessCallPrefix(input),
      resolution: { rule: externalId === null ? "unknown" : "again" },
      run: input.latch,
    });
    if (externalId === null) await noteMadeBusiness(deps.sealed, body.id, identityHash);
    await keep(body.id);
  } catch (error) {
    // Taken: by an earlier request of ours or by somebody's; the onboarding names it by its external id.
    if (!(error instanceof RejectedError) || error.status !== 400 || externalId === null) throw error;
    await keep(null);
  }
}
