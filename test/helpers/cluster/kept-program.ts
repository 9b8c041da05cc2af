import { setTimeout as sleep } from "node:timers/promises";
import type { ChildCommand } from "../command/command-process.js";

/** Before a program that ended by itself is started again. */
const AGAIN_MS = 500;
/** A program that ends so often by itself is not started again. */
const MOST_ENDS = 200;
/** Characters of what it printed last. */
const SAID = 3_000;

export interface ClusterPart {
  readonly name: string;
  kill(): Promise<void>;
  /** Starts it again; resolves when it works, or is killed before. */
  start(): Promise<void>;
}

interface Kept {
  readonly name: string;
  launch(): ChildCommand;
  /** Resolves when it works, rejects when it ended before. */
  works(child: ChildCommand): Promise<unknown>;
  /** The codes with which it may end by itself, as when what it needs is down. */
  readonly mayEndWith: readonly number[];
  /** Takes away what is lost with it. */
  lose?(): Promise<void>;
}

/** A program that is started again whenever it ends, as Compose and Kubernetes do. */
export class KeptProgram implements ClusterPart {
  readonly name: string;
  readonly problems: string[] = [];
  /** How often it ended by itself since it was started. */
  #ends = 0;
  #child: ChildCommand | undefined;
  /** Counts starts and kills: what belongs to an earlier one is over. */
  #turn = 0;

  constructor(readonly kept: Kept) {
    this.name = kept.name;
  }

  start(): Promise<void> {
    this.#turn += 1;
    this.#ends = 0;
    return this.#keep(this.#turn);
  }

  async kill(): Promise<void> {
    this.#turn += 1;
    await this.#child?.end("SIGKILL");
    await this.kept.lose?.();
  }

  async #keep(turn: number): Promise<void> {
    while (this.#turn === turn) {
      const child = this.kept.launch();
      this.#child = child;
      const works = await this.kept.works(child).then(
        () => true,
        () => false,
      );
      const again = this.#ended(child, turn);
      if (works) {
        void again.then(() => this.#keep(turn));
        return;
      }
      await again;
    }
  }

  /** Waits until it has ended, and a moment longer where that was by itself. */
  async #ended(child: ChildCommand, turn: number): Promise<void> {
    const { code, stdout, stderr } = await child.ended;
    if (this.#turn !== turn) return;
    this.#ends += 1;
    const isLast = this.#ends > MOST_ENDS;
    if (isLast || !this.kept.mayEndWith.includes(code ?? -1)) {
      this.problems.push(`${this.name} ended with ${code}: ${stdout.slice(-SAID)}${stderr.slice(-SAID)}`);
    }
    if (isLast) this.#turn += 1;
    else await sleep(AGAIN_MS);
  }
}
