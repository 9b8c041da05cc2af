import { mapConcurrent } from "../../domain/concurrent-work.js";
import { InputError } from "../../domain/failures.js";
import { jsonObjectOf } from "../../domain/json/value.js";
import { bindAs, COPY_KEY, readBinding, type ServiceBinding } from "../service-binding.js";
import type { ObjectStore } from "../store/object-store.js";
import {
  aboutLake,
  amountOf,
  fetchObject,
  isAboutLake,
  lakeParts,
  neverChanges,
  type TakenFolder,
  type TakeObject,
  withScratch,
} from "./lake-parts.js";

const AT_ONCE = 8;

/**
 * Copies a lake to a place where none is, or continues such a copy. No job may use it before {@link endCopy}.
 * @throws InputError where there is no lake, where the place is taken, or where its store can't be relied on
 */
export async function copyLake(
  from: ObjectStore,
  to: ObjectStore,
  tell: (copied: TakenFolder) => void,
): Promise<ServiceBinding> {
  const binding = await bindingOf(from);
  await claimPlace(to, { lake: binding.lake, from: from.address, of: "copy" });
  const there = new Map((await to.list("")).map(({ key, size }) => [key, size]));
  const isThere = (key: string, size: number) => neverChanges(key) && there.get(key) === size;
  await copying(from, to, async (take) => {
    const unlessThere: TakeObject = async (entry) => (isThere(entry.key, entry.size) ? "kept" : take(entry));
    for await (const part of lakeParts(from, unlessThere)) {
      for (const { key } of part.entries) there.delete(key);
      tell(amountOf(part));
    }
  });
  // What an earlier attempt took, and the lake has erased since.
  const gone = [...there.keys()].filter((key) => key.includes("/") && !isAboutLake(key));
  await mapConcurrent(AT_ONCE, gone, (key) => to.delete(key));
  return binding;
}

/** Makes the copy a lake that jobs may use, under the id of the first one. */
export async function endCopy(from: ObjectStore, to: ObjectStore, binding: ServiceBinding): Promise<void> {
  await copying(from, to, (take) => aboutLake(from, take));
  await bindCopy(to, binding);
}

/** Lets jobs use what is in a place that was claimed. */
export async function bindCopy(to: ObjectStore, binding: ServiceBinding): Promise<void> {
  await bindAs(to, binding);
  await to.delete(COPY_KEY);
}

/** @throws InputError where there is no lake */
export async function bindingOf(from: ObjectStore): Promise<ServiceBinding> {
  const binding = await readBinding(from);
  if (binding !== undefined) return binding;
  throw new InputError(`${from.address} is no lake: no job has bound it to a service. Nothing was copied.`);
}

function copying<R>(from: ObjectStore, to: ObjectStore, work: (take: TakeObject) => Promise<R>): Promise<R> {
  return withScratch((scratch) =>
    work(async (entry) => {
      const fetched = await fetchObject(from, entry, scratch);
      await fetched?.put(to, entry.key);
      return fetched === undefined ? "gone" : "taken";
    }),
  );
}

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
 * Takes a place where nothing is, or continues what was begun there; with `lookOnly` it writes nothing.
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
