import { addDays } from "../world/days.js";
import type { Call, Operation } from "./router.js";

/** The largest `size` of a list (docs/reference/service.md, "Limits"); also what is given where none is asked for. */
const MAX_SIZE = 100;

/** What the paged lists share (docs/reference/service.md, "Transaction lists"). */
export const PAGED_LIST = {
  method: "GET",
  query: ["account_ids", "start_date", "end_date", "page", "size"],
  pageOf: (_params, query) => pageIndex(query),
} as const satisfies Partial<Operation>;

/** Which rows of a list make a page. */
interface PageWindow {
  readonly page: number;
  readonly size: number;
  /** Index of the page's first row. */
  readonly from: number;
  takes(row: { readonly account_id: string; readonly date: string }): boolean;
}

/** Reads the query of a paged list. @throws Refusal 400 */
export function pageWindow({ query, fire, state }: Call): PageWindow {
  const accounts = query.list("account_ids");
  const isShort = state.service.behaves.has("ninety-days");
  const last = query.day("end_date") ?? (isShort ? state.world.today : "9999-99-99");
  const first = query.day("start_date") ?? (isShort ? addDays(last, -90) : "0000-00-00");
  const page = query.integer("page") ?? 1;
  const size = query.integer("size", MAX_SIZE) ?? MAX_SIZE;
  const repeated = page > 1 && fire("page_repeated") !== undefined;
  return {
    page,
    size,
    from: (repeated ? page - 2 : page - 1) * size,
    takes: ({ account_id, date }) => {
      const day = date.slice(0, 10);
      return day >= first && day <= last && (accounts === undefined || accounts.includes(account_id));
    },
  };
}

/** The page index of a list, for faults. */
export function pageIndex(query: URLSearchParams, first = 1): number {
  return Math.max(0, Number(query.get("page") ?? first) - first) || 0;
}
