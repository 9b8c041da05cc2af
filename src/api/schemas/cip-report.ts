import { z } from "zod";
import { anyText, each, filledText, listOf, looseObject, optionalText } from "./fields.js";

// A report would show another verdict as neither an exception nor clear.
const verdict = z.enum(["clear", "consider"], "not clear or consider");
const providers = listOf(anyText);

/** docs/reference/service.md, "CIP report". */
export const cipReportSchema = looseObject({
  ...each(filledText, "user_id", "approved_at", "approved_by"),
  ...each(optionalText, "approved_reason", "check_initiated_at", "check_completed_at", "kyc_completed_at"),
  ip_address: anyText,
  ...each(verdict, "result", "date_of_birth", "matched_address", "tax_id"),
  ...each(providers, "date_of_birth_breakdown", "matched_addresses", "tax_id_breakdown"),
  checked_data: looseObject({
    ...each(anyText, "address", "customer_name", "date_of_birth"),
    tax_id: optionalText,
  }),
  self_reported: looseObject({
    ...each(optionalText, "annual_income", "citizenships", "declarations", "employment_status"),
    ...each(optionalText, "investment_objectives", "is_employed_at_brokerage_firm", "net_worth"),
    ...each(optionalText, "occupation", "us_legal_status", "visa_kind"),
  }),
  watchlist: looseObject({
    ...each(verdict, "adverse_media", "monitored_lists", "politically_exposed_person", "result", "sanction"),
    check_completed_at: anyText,
    records: listOf(z.unknown()),
  }),
});
