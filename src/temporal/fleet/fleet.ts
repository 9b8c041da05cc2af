import type { Standing } from "../../domain/service/pace/call-pace.js";
import { lookEvery } from "./look-every.js";

const LOOK_EVERY_MS = 10_000;
/** By then the others have looked at least once. */
const NOTICED_AFTER_MS = LOOK_EVERY_MS + 2_000;

/** A worker among others that share one budget (docs/run/configuration.md, "Rate and pauses"). */
export class Fleet {
  #noticedAt = 0;
  #stop = (): void => undefined;

  /**
   * @param names the workers that poll the task queue
   * @param own this worker's name
   * @param tell is told how it stands, whenever it was looked
   */
  constructor(
    private readonly names: () => Promise<readonly string[]>,
    private readonly own: string,
    private readonly tell: (standing: Standing) => void,
  ) {}

  /** Looks before this worker polls, and then every ten seconds. */
  async join(): Promise<void> {
    const others = await this.#others();
    // Others may have begun at the same moment.
    this.#noticedAt = Date.now() + NOTICED_AFTER_MS;
    this.#tell(others);
    // Where Temporal does not answer, the last share stays.
    this.#stop = lookEvery(LOOK_EVERY_MS, async () => this.#tell(await this.#others()));
  }

  leave(): void {
    this.#stop();
  }

  async #others(): Promise<number> {
    return (await this.names()).filter((name) => name !== this.own).length;
  }

  #tell(others: number): void {
    this.tell({ workers: others + 1, isNew: Date.now() < this.#noticedAt });
  }
}
