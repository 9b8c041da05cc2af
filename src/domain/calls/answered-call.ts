/** A call that has its answer. */
export interface AnsweredCall<A> {
  readonly body: A;
  readonly at: number;
  /** Requests that may have reached the service until then, this one included. */
  readonly asked: number;
  /** `found`: an earlier attempt had kept it. `settled`: the effect of a lost request was found. */
  readonly repeated: "no" | "found" | "settled";
}

/** `_staging/calls/<name>/`: where the request of a durable call and its answer are staged. */
export function durableCallPrefix(name: string): string {
  return `_staging/calls/${name}/`;
}

/** `call/<scope>/<name>`; the name is made of the request's id, which may say something about people. */
export function callWorkflowId(scope: string, name: string): string {
  return `call/${scope}/${name}`;
}
