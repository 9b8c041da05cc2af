import { z } from "zod";
import { filledText, optionalText } from "./texts.js";

// A verdict of another name would be neither an exception nor clear in a report: it must not pass unseen.
const verdict = z.enum(["clear", "consider"], "not clear or consider");
const providers = z.array(z.string("not text"), "not a list");
const text = z.string("not text");

/** A brokerage customer-identification report (docs/reference/service.md, "CIP report"). */
export const cipReportSchema = z.looseObject(
  {
    user_id: filledText,
    approved_at: filledText,
    approved_by: filledText,
    approved_reason: optionalText,
    check_initiated_at: optionalText,
    check_completed_at: optionalText,
    kyc_completed_at: optionalText,
    ip_address: text,
    result: verdict,
    date_of_birth: verdict,
    date_of_birth_breakdown: providers,
    matched_address: verdict,
    matched_addresses: providers,
    tax_id: verdict,
    tax_id_breakdown: providers,
    checked_data: z.looseObject(
      { address: text, customer_name: text, date_of_birth: text, tax_id: optionalText },
      "not an object",
    ),
    self_reported: z.looseObject(
      {
        annual_income: optionalText,
        citizenships: optionalText,
        declarations: optionalText,
        employment_status: optionalText,
        investment_objectives: optionalText,
        is_employed_at_brokerage_firm: optionalText,
        net_worth: optionalText,
        occupation: optionalText,
        us_legal_status: optionalText,
        visa_kind: optionalText,
      },
      "not an object",
    ),
    watchlist: z.looseObject(
      {
        adverse_media: verdict,
        monitored_lists: verdict,
        politically_exposed_person: verdict,
        result: verdict,
        sanction: verdict,
        check_completed_at: text,
        records: z.array(z.unknown(), "not a list"),
      },
      "not an object",
    ),
  },
  "not an object",
);
