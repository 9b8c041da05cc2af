import type { Dependencies } from "./dependencies.js";

export interface MaterializeInput {
  readonly runId: string;
}

export async function materialize(_deps: Dependencies, _input: MaterializeInput): Promise<void> {}
