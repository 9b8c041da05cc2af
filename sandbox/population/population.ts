import type { World } from "../world/world.js";
import { type BerkaPopulation, populateBerka } from "./berka.js";
import { populateSynthetic, type SyntheticPopulation } from "./synthetic.js";
import { populateVolume, type VolumePopulation } from "./volume.js";

/** Who is in the world at the start; `empty` for tests that script everything. */
export type Population = { kind: "empty" } | SyntheticPopulation | VolumePopulation | BerkaPopulation;

/** Fills a world. @throws InputError from `berka`, when its directory can't be read. */
export function populate(world: World, population: Population): void {
  if (population.kind === "synthetic") populateSynthetic(world, population);
  if (population.kind === "volume") populateVolume(world, population);
  if (population.kind === "berka") populateBerka(world, population);
}
