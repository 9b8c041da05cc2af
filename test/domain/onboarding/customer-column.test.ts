import { expect, it } from "vitest";
import { customerColumn } from "../../../src/domain/onboarding/customer-column.js";

it.each<[string, object]>([
  ["kind", { use: "name", name: "kind" }],
  ["fp_bid", { use: "name", name: "fp_bid" }],
  ["data.income", { use: "group", group: "data", name: "income" }],
  ["data.a.b c", { use: "group", group: "data", name: "a.b c" }],
  ["vault.id.dob", { use: "group", group: "vault", name: "id.dob" }],
  ["document.custom.scan", { use: "group", group: "document", name: "custom.scan" }],
  ["FP_ID", { use: "mistaken", rule: "write it as fp_id" }],
  [" external_id", { use: "mistaken", rule: "write it as external_id" }],
  ["Vault.id.dob", { use: "mistaken" }],
  ["data", { use: "mistaken" }],
  ["vault.", { use: "mistaken" }],
  ["note", { use: "none" }],
  ["database", { use: "none" }],
  ["", { use: "none" }],
])("%j", (text, column) => expect(customerColumn(text)).toMatchObject(column));
