export { checkAnswer, parseBody, readAnswer } from "./http/answer.js";
export {
  type ApiClient,
  type ApiClientOptions,
  type CallOptions,
  createApiClient,
  type SendIntent,
} from "./http/client.js";
export { type ClientToken, withClientToken } from "./http/client-token.js";
export * from "./http/errors.js";
export type { Reply } from "./http/exchange.js";
export { type ListPage, type ListReport, PagedList } from "./lists/paged-list.js";
export { readList } from "./lists/read-list.js";
export { readUpdate, type UpdatePage, type UpdateStart } from "./lists/read-update.js";
export * from "./operations/index.js";
export type { Operation, ParamsOf, ResponseOf } from "./operations/operation.js";
export { type BankAccount, bankAccountSchema } from "./schemas/bank-account.js";
export { type BankLink, bankLinkSchema } from "./schemas/bank-link.js";
export type { BusinessInsights } from "./schemas/business-insights.js";
export { type ByteSource, type Bytes, fileBytes } from "./schemas/byte-source.js";
export type { CipReport } from "./schemas/cip-report.js";
export {
  type InvestmentTransaction,
  investmentTransactionSchema,
  type Security,
  securitySchema,
} from "./schemas/investment-transaction.js";
export type { Onboarding, OnboardingItem, OnboardingResult, Session } from "./schemas/onboarding.js";
export { rowProblem } from "./schemas/row-problem.js";
export { type BankTransaction, bankTransactionSchema, removedIdSchema } from "./schemas/transaction.js";
