import type { Client } from "@temporalio/client";
import type { CustomerNews } from "../domain/onboarding/follow/shard.js";
import { type NamedCustomer, OpenCustomers } from "../lake/onboarding/open-customers.js";
import type { SealedStore } from "../lake/store/sealed-store.js";
import { type FollowPlace, tellFollow } from "../temporal/onboarding/tell-follow.js";
import { Bundles } from "./bundles.js";
import { inTime } from "./in-time.js";

/** Gives the open rows of customers their news. */
export class CustomerNotice {
  readonly #open: OpenCustomers;
  readonly #bundles: Bundles<CustomerNews>;

  constructor(client: Client, sealed: SealedStore, place: FollowPlace) {
    this.#open = new OpenCustomers(sealed);
    this.#bundles = new Bundles((news) => inTime(client, () => tellFollow(client, place, "news", news)));
  }

  /** Resolves once Temporal has the news; whether a row was open that waits for them. */
  async tell(customer: NamedCustomer, news: Omit<CustomerNews, "key">): Promise<boolean> {
    const keys = await this.#open.keysOf(customer);
    if (keys.length > 0) await this.#bundles.add(...keys.map((key) => ({ key, ...news })));
    return keys.length > 0;
  }
}
