import { InputError } from "../../domain/failures.js";
import { jsonObjectOf } from "../../domain/json/value.js";
import { COPY_KEY, readBinding } from "../service-binding.js";
import type { ObjectStore } from "../store/object-store.js";

/** What a place is taken for. */
interface Claim {
  /** The lake's id. */
  readonly lake: string;
  /** Where it comes from. */
  readonly from: string;
  /** `copy`, `snapshots`, or the root of the snapshot that is restored. */
  readonly of: string;
}

/**
 * Takes a place where nothing is, or continues what was begun there; no job takes it for a lake then.
 *
 * @param lookOnly write nothing
 * @throws InputError where the place holds anything else, or where its store can't be relied on
 */
export async function claimPlace(to: ObjectStore, claim: Claim, lookOnly = false): Promise<void> {
  const taken = (why: string) =>
    new InputError(`${to.address} ${why}. Nothing was copied. Name a place where nothing is.`);
  const [outer, inner] = [claim.from, to.address].toSorted((a, b) => a.length - b.length);
  if (inner?.startsWith(`${outer}/`)) throw taken(`and ${claim.from} are in each other`);
  if ((await readBinding(to)) !== undefined) throw taken("is a lake already");
  const begun = await to.get(COPY_KEY);
  if (begun === undefined && (await to.list("")).length > 0) throw taken("is not empty");
  const { lake, of = "copy" } = jsonObjectOf(begun?.toString("utf8") ?? "") ?? {};
  if (begun !== undefined && lake !== claim.lake) throw taken("has a part of another lake");
  if (begun !== undefined && of !== claim.of)
    throw taken(
      `has a part of ${of === "copy" ? "a copy" : of === "snapshots" ? of : `the snapshot ${of}, which --root continues`}`,
    );
  if (lookOnly) return;
  await to.checkCommits();
  await to.put(COPY_KEY, JSON.stringify(claim), { durable: true });
}
