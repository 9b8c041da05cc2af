export interface AnsweredCall<A> {
  readonly body: A;
  readonly at: number;
  /** Requests that may have reached the service until then, this one included. */
  readonly asked: number;
  /** `found`: an earlier attempt had kept it. `settled`: the effect of a lost request was found. */
  readonly repeated: "no" | "found" | "settled";
}
