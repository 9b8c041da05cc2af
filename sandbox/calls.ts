/** One request. `status` and `duration_ms` are set once it is answered; it never holds credentials. */
export interface RecordedRequest {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly operation: string | undefined;
  readonly link: string | undefined;
  /** The user's `fp_id`, or the external id where only that was given. */
  user?: string | undefined;
  business?: string | undefined;
  readonly cursor: string | undefined;
  /** What it came with: the secret key, a client token, both, or neither. */
  readonly auth: "secret_key" | "client_token" | "both" | "none";
  /** Of the body as it came; unset until it has been read to its end. */
  body_bytes?: number;
  body_sha256?: string;
  status?: number | undefined;
  fault?: string;
  duration_ms?: number;
}

/** Selects recorded requests: every given field must match. */
export type RequestFilter = Partial<
  Omit<RecordedRequest, "sequence" | "at" | "query" | "body_bytes" | "duration_ms">
>;

/** Counts since the start or the last `clear`. */
interface CallCounts {
  total: number;
  in_flight: number;
  max_in_flight: number;
  by_operation: Record<string, number>;
  by_status: Record<string, number>;
}

interface Waiter {
  readonly filter: RequestFilter;
  readonly resolve: () => void;
  missing: number;
}

/** The requests that the service received: their counts, and up to a bound each one (the oldest are dropped first). */
export class CallLog {
  #requests: RecordedRequest[] = [];
  #counts: CallCounts = emptyCounts(0);
  #sequence = 0;
  #waiters: Waiter[] = [];

  /** @param keep how many requests are kept; 0 keeps counts only. */
  constructor(private readonly keep: number) {}

  begin(request: Omit<RecordedRequest, "sequence" | "at">): RecordedRequest {
    const counts = this.#counts;
    const name = request.operation ?? "unknown";
    counts.total++;
    counts.in_flight++;
    counts.max_in_flight = Math.max(counts.max_in_flight, counts.in_flight);
    counts.by_operation[name] = (counts.by_operation[name] ?? 0) + 1;
    const record: RecordedRequest = { sequence: ++this.#sequence, at: Date.now(), ...request };
    if (this.keep > 0) this.#requests.push(record);
    // Cut rarely: a shift for each request would cost as much as the request.
    if (this.#requests.length > this.keep * 2) this.#requests = this.#requests.slice(-this.keep);
    this.#tell(record);
    return record;
  }

  end(record: RecordedRequest, status: number | undefined): void {
    record.status = status;
    record.duration_ms = Date.now() - record.at;
    this.#counts.in_flight--;
    const name = String(status ?? "none");
    this.#counts.by_status[name] = (this.#counts.by_status[name] ?? 0) + 1;
  }

  requests(filter: RequestFilter = {}): RecordedRequest[] {
    return this.#requests.slice(-this.keep || undefined).filter((request) => fits(request, filter));
  }

  counts(): CallCounts {
    return structuredClone(this.#counts);
  }

  /** Forgets requests and counts; what is in flight stays counted. */
  clear(): void {
    this.#requests = [];
    this.#counts = emptyCounts(this.#counts.in_flight);
  }

  /** Resolves when so many more requests have come in, counted from now. */
  waitFor(count: number, filter: RequestFilter = {}): Promise<void> {
    return new Promise((resolve) => {
      if (count <= 0) resolve();
      else this.#waiters.push({ filter, resolve, missing: count });
    });
  }

  #tell(record: RecordedRequest): void {
    if (this.#waiters.length === 0) return;
    for (const waiter of this.#waiters) {
      if (fits(record, waiter.filter) && --waiter.missing === 0) waiter.resolve();
    }
    this.#waiters = this.#waiters.filter((waiter) => waiter.missing > 0);
  }
}

function emptyCounts(inFlight: number): CallCounts {
  return { total: 0, in_flight: inFlight, max_in_flight: inFlight, by_operation: {}, by_status: {} };
}

/** Whether a record has every value that a filter gives. */
export function fits<R extends object>(record: R, filter: Partial<R>): boolean {
  const names = Object.keys(filter) as (keyof R)[];
  return names.every((name) => filter[name] === undefined || record[name] === filter[name]);
}
