import { createBusiness, updateBusiness } from "../../api/operations/business.js";
import { getBusinessInsights } from "../../api/operations/business-insights.js";
import { callPart, shapedCallPart } from "./call-part.js";

/** What a refusal of a repeated request may stand for: that its external id is there. */
const TAKEN: readonly number[] = [400, 409, 422];

/** A business as its creation answered. */
interface CreatedBusiness {
  /** `null`: it is there under its external id, and the answer with its id was lost. */
  readonly id: string | null;
}

/** The operations of docs/service.md, "Businesses", as activities. */
export const businessCalls = {
  createBusiness: shapedCallPart({
    operation: createBusiness,
    settle: (_, { headers }) => {
      if (headers?.external_id === undefined) return { rule: "unknown" };
      return {
        rule: "again",
        refused: (status) => (TAKEN.includes(status) ? { found: { id: null } } : "unknown"),
      };
    },
    send: ({ deps }, params, options): Promise<CreatedBusiness> =>
      deps.api.read(createBusiness, params, options),
    facts: ({ id }) => ({ business_id: id, adopted: id === null }),
  }),
  updateBusiness: callPart({
    operation: updateBusiness,
    settle: () => ({ rule: "again", refused: () => "unknown" }),
    facts: ({ id }) => ({ business_id: id }),
  }),
  getBusinessInsights: callPart({
    operation: getBusinessInsights,
    facts: ({ names, people, registrations, watchlist }) => ({
      names: names.length,
      people: people.length,
      registrations: registrations.length,
      watchlist_hits: watchlist?.hit_count ?? null,
    }),
  }),
};
