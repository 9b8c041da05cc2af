import { cancellationSignal } from "@temporalio/activity";
import { withClientToken } from "../../../api/http/client-token.js";
import { RejectedError } from "../../../api/http/errors.js";
import { uploadError } from "../../../api/http/refused-upload.js";
import { createBusiness } from "../../../api/operations/business.js";
import { updateVault, uploadToVault } from "../../../api/operations/vault.js";
import type { Unauthorized } from "../../../domain/failures.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-state.js";
import { NEXT_ACTIONS } from "../../../domain/onboarding/customer/next-action.js";
import { type CustomerRow, type RightRow, valuesOf } from "../../../domain/onboarding/customer.js";
import { callsPrefix, madeBusiness } from "../../../lake/onboarding/call-notes.js";
import { callOnce } from "../../calls/call-once.js";
import { answerKey, callState, type KeptAnswer } from "../../calls/call-record.js";
import type { OnboardingDependencies } from "../dependencies.js";
import type { RowInWork } from "./row-in-work.js";

type RowOfBusiness = Pick<CustomerInput, "rowKey">;

const businessCallPrefix = ({ rowKey }: RowOfBusiness) => `${callsPrefix(rowKey)}business/call/`;

/** The `fp_bid` of the business made for a row; null where its external id was taken already. */
export async function preparedId(
  { sealed }: OnboardingDependencies,
  row: RowOfBusiness,
): Promise<string | null> {
  const answer = await sealed.get<KeptAnswer<{ readonly id: string }>>(answerKey(businessCallPrefix(row)));
  return answer?.body.id ?? null;
}

/**
 * Writes a user's vault and documents, or makes a business, unless its external id exists. Repeated, it writes
 * the same values, and makes no second business (docs/reference/service.md, "Vault update" and "Business
 * creation").
 */
export async function prepareCustomer(row: RowInWork): Promise<Unauthorized | undefined> {
  const { input, tries } = row.one;
  const frozen = await row.deps.batches.row(input.batchId, input.row);
  const { customer } = frozen;
  return row.call(valuesOf(customer), async (deps) => {
    if (!customer.create) return writeVault(deps, input, customer, tries.times + 1);
    try {
      await makeBusiness(deps, input, frozen);
    } catch (error) {
      // It may have made a business that nothing finds again: it is not sent a second time.
      const isLost =
        customer.externalId === null && (await callState(deps.sealed, businessCallPrefix(input))) === "sent";
      if (isLost) row.advice = NEXT_ACTIONS.needsFpBid;
      throw error;
    }
  });
}

async function writeVault(
  deps: OnboardingDependencies,
  { batchId, line, authEpoch }: CustomerInput,
  { fpId, vault, documents }: CustomerRow,
  tries: number,
): Promise<void> {
  const fields = [...Object.keys(vault), ...Object.keys(documents)];
  if (fpId === null || fields.length === 0) return;
  const options = { run: authEpoch, signal: cancellationSignal() };
  const grant = { fp_id: fpId, scope: "vault" as const, fields };
  await withClientToken(
    deps.api,
    grant,
    async (clientToken) => {
      if (Object.keys(vault).length > 0) {
        await deps.api.read(updateVault, { body: vault } as never, { ...options, clientToken });
      }
      for (const [identifier, { contentType }] of Object.entries(documents)) {
        const stream = await deps.batches.document(batchId, line, identifier);
        const params = {
          path: { identifier },
          ...(contentType != null && { headers: { content_type: contentType } }),
          body: { size: stream.size, open: () => stream.open() },
        };
        await deps.api.read(uploadToVault, params, { ...options, clientToken }).catch((error: unknown) => {
          throw uploadError(error, identifier, tries);
        });
      }
    },
    options,
  );
}

/** Statuses of: the external id exists. */
const TAKEN: readonly number[] = [400, 409, 422];

async function makeBusiness(
  deps: OnboardingDependencies,
  input: CustomerInput,
  { customer: { externalId, vault }, identityHash }: RightRow,
): Promise<void> {
  try {
    const { body } = await callOnce(deps, {
      operation: createBusiness,
      params: externalId === null ? { body: vault as never } : { headers: { external_id: externalId } },
      key: businessCallPrefix(input),
      ...(externalId !== null && { resolution: { rule: "again" } }),
      run: input.authEpoch,
    });
    if (externalId === null) await madeBusiness(deps.sealed, body.id).put(identityHash);
  } catch (error) {
    // The onboarding names the business by it.
    const isTaken = error instanceof RejectedError && TAKEN.includes(error.status ?? 0);
    if (!isTaken || externalId === null) throw error;
  }
}
