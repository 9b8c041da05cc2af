import type { ServerResponse } from "node:http";

/** Tells open pages that something has changed; looks only while a page is open. */
export class Changes {
  readonly #pages = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;

  /**
   * @param look gives a text that differs when something has changed
   * @param most pages that may be open at once
   */
  constructor(
    private readonly look: () => Promise<string>,
    private readonly everyMs: number,
    private readonly most: number,
  ) {}

  /** Keeps a page informed until it is closed; false where too many are open. */
  follow(page: ServerResponse): boolean {
    if (this.#pages.size >= this.most) return false;
    page.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    page.write("retry: 5000\n\n");
    this.#pages.add(page);
    page.on("close", () => this.#pages.delete(page));
    if (this.#timer === undefined) this.#lookLater();
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const page of this.#pages) page.end();
  }

  #lookLater(): void {
    this.#timer = setTimeout(async () => {
      this.#timer = undefined;
      if (this.#pages.size === 0) return;
      // What can't be read now is looked at again.
      const found = await this.look().catch(() => this.#seen);
      const hasChanged = this.#seen !== undefined && found !== this.#seen;
      this.#seen = found;
      // A comment tells a page whose connection is gone from one where nothing happens.
      for (const page of this.#pages) page.write(hasChanged ? "event: change\ndata:\n\n" : ":\n\n");
      this.#lookLater();
    }, this.everyMs);
  }
}
