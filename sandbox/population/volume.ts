import { Random } from "../world/random.js";
import type { World } from "../world/world.js";
import { TemplateCache, VolumeRows } from "./volume-rows.js";

export interface VolumePopulation {
  kind: "volume";
  users?: number;
  linksPerUser?: number;
  /** Rows of each link's history; made when asked for, never held. */
  rows?: number;
  /** Days over which the dates are spread, the last being today. */
  days?: number;
  seed?: number;
}

/** Fills a world with links of many plain rows for benchmarks; its memory does not grow with the rows. */
export function populateVolume(world: World, options: Omit<VolumePopulation, "kind">): void {
  const { users = 20, linksPerUser = 1, rows = 50_000, days = 730, seed = 1 } = options;
  const templates = new TemplateCache();
  for (let user = 1; user <= users; user++) {
    const fp_id = `fp_id_${String(user).padStart(6, "0")}`;
    for (let number = 1; number <= linksPerUser; number++) {
      const id = `link_${String(user).padStart(6, "0")}_${number}`;
      const accounts = [`acc_${id}_1`, `acc_${id}_2`] as const;
      const base = new VolumeRows({
        linkId: id,
        accounts,
        count: rows,
        today: world.today,
        days,
        salt: new Random(`${seed}/${id}`).int(1 << 30),
        templates,
      });
      world.addLink({ fp_id, id, base, accounts: accounts.map((account) => ({ id: account })) });
    }
  }
}
