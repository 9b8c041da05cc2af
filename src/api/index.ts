export { checkAnswer, parseBody, readAnswer } from "./answer.js";
export { type ByteSource, type Bytes, fileBytes } from "./byte-source.js";
export {
  type ApiClient,
  type ApiClientOptions,
  type CallOptions,
  createApiClient,
  type SendIntent,
} from "./client.js";
export { type ClientToken, withClientToken } from "./client-token.js";
export * from "./errors.js";
export type { Reply } from "./exchange.js";
export { type ListPage, type ListReport, PagedList } from "./lists/paged-list.js";
export { readList } from "./lists/read-list.js";
export { readUpdate, type UpdatePage, type UpdateStart } from "./lists/read-update.js";
export type { Operation, ParamsOf, ResponseOf } from "./operation.js";
export * from "./operations/index.js";
export type { BusinessInsights } from "./records/business-insights.js";
export type { CipReport } from "./records/cip-report.js";
export type { Onboarding, OnboardingItem, OnboardingResult, Session } from "./records/onboarding.js";
export { type BankAccount, bankAccountSchema } from "./rows/bank-account.js";
export { type BankLink, bankLinkSchema } from "./rows/bank-link.js";
export {
  type InvestmentTransaction,
  investmentTransactionSchema,
  type Security,
  securitySchema,
} from "./rows/investment-transaction.js";
export { rowProblem } from "./rows/row-problem.js";
export { type BankTransaction, bankTransactionSchema, removedIdSchema } from "./rows/transaction.js";
