import fc from "fast-check";
import { expect, test } from "vitest";
import { GIVE_UP_AFTER_MS } from "../../../../src/domain/backoff.js";
import { USERS_AT_ONCE } from "../../../../src/domain/sync/run/limits.js";
import type { Range, UserResult } from "../../../../src/domain/sync/run/slice-work.js";
import { Users } from "../../../../src/domain/sync/run/users.js";
import { freshUser, type UserOutcome, type UserProgress } from "../../../../src/domain/sync/user-reading.js";
import { placeIn } from "../../../helpers/sync/slice-results.js";

const jitter = () => 0.5;
const TIMEOUT = { kind: "transient", stream: "accounts", reason: "timeout", retryAfterMs: null } as const;
const left = (
  user: number | UserProgress,
  outcome: UserOutcome,
  failed: string | null = null,
): UserResult => {
  return { progress: typeof user === "number" ? freshUser(user) : user, outcome, failed };
};
/** What a slice says that read all that it was given but these. */
const read = (fresh: Range | null, users: readonly UserResult[] = [], at = 0, reached = fresh?.to ?? 0) => {
  const usersRead = reached - (fresh?.from ?? 0) - users.length;
  return { usersRead, users, reached, at };
};

test("users are taken at most so many, in order, and no more than there are", () => {
  const users = new Users(5);
  expect(users.take(0, 3)).toEqual({ users: [], fresh: { from: 0, to: 3 } });
  expect(users.take(0, 0)).toEqual({ users: [], fresh: null });
  expect(users.nextDue()).toBe(0);
  expect(users.take(0, 3)).toEqual({ users: [], fresh: { from: 3, to: 5 } });
  expect(users.nextDue()).toBeUndefined();
  expect(users.take(0, 3)).toEqual({ users: [], fresh: null });
  expect(new Users(0).take(0, 3)).toEqual({ users: [], fresh: null });
});

test("users that no slice reached come back and are taken once", () => {
  const users = new Users(10);
  const { fresh } = users.take(0, 4);
  const { fresh: second } = users.take(0, 4);
  users.apply({ fresh }, read(fresh, [], 0, 1), jitter);
  expect(users.nextDue()).toBe(0);
  expect(users.take(0, 2).fresh).toEqual({ from: 1, to: 3 });
  expect(users.take(0, 9).fresh).toEqual({ from: 3, to: 4 });
  users.apply({ fresh: second }, read(second), jitter);
  expect(users.take(0, 9).fresh).toEqual({ from: 8, to: 10 });
  expect(users.take(0, 9).fresh).toBeNull();
  expect(users.ended).toBe(5);
});

test("a user who waits is due when the time has come, before users that nobody came to", () => {
  const users = new Users(3);
  const { fresh } = users.take(0, 1);
  const progress = { ...freshUser(0), staged: [placeIn(0)] };
  users.apply({ fresh }, read(fresh, [left(progress, TIMEOUT)], 1_000), jitter);
  expect(users.ended).toBe(0);
  expect(users.take(1_749, 1)).toEqual({ users: [], fresh: { from: 1, to: 2 } });
  const again = { ...progress, streak: { count: 1, since: 1_000 }, notBefore: 1_750 };
  expect(users.again.map((user) => user.progress)).toEqual([again]);
  expect(users.take(1_750, 2)).toEqual({ users: [again], fresh: { from: 2, to: 3 } });
  expect(users.nextDue()).toBeUndefined();
});

test("a user who waits is due at once where the run is to continue now", () => {
  const users = new Users(1);
  const { fresh } = users.take(0, 1);
  const progress = { ...freshUser(0), staged: [placeIn(0)] };
  users.apply({ fresh }, read(fresh, [left(progress, TIMEOUT)], 1_000), jitter);
  users.tryNow();
  expect(users.take(1_001, 1).users).toHaveLength(1);
});

test("who waits keeps the name of the failure; who fails is told with stream and reason, under their own name", () => {
  const users = new Users(3);
  const { fresh } = users.take(0, 3);
  const failure = { name: { owner: "fp_1" }, reason: "timeout" };
  const old = { ...freshUser(1), streak: { count: 9, since: 0 } };
  const results = [
    { ...left(0, TIMEOUT), failure },
    left(old, TIMEOUT, "fp_1"),
    left(2, { kind: "failed", reason: "bank_links: user not found" }, "fp_2"),
  ];
  expect(users.apply({ fresh }, read(fresh, results, GIVE_UP_AFTER_MS), jitter)).toEqual({
    failed: [
      { stream: "accounts", owner: "fp_1", reason: "accounts: gave_up timeout" },
      { stream: "bank_links", owner: "fp_2", reason: "bank_links: user not found" },
    ],
    refused: false,
  });
  expect(users.ended).toBe(2);
  expect(users.again).toMatchObject([{ progress: { user: 0 }, failure }]);
});

test("a refused key is told, and its user is not a failure", () => {
  const users = new Users(2);
  const { fresh } = users.take(0, 2);
  const results = [left(0, { kind: "unauthorized" }), left(1, { kind: "open" })];
  expect(users.apply({ fresh }, read(fresh, results), jitter)).toEqual({ failed: [], refused: true });
  expect([users.ended, users.again.length]).toEqual([0, 1]);
});

test("while many wait, no others are begun, and the next one is due when the first of them is", () => {
  const users = new Users(3 * USERS_AT_ONCE);
  const { fresh } = users.take(0, USERS_AT_ONCE);
  const results = Array.from({ length: USERS_AT_ONCE }, (_, user) => left(user, TIMEOUT));
  users.apply({ fresh }, read(fresh, results, 1_000), jitter);
  expect(users.take(1_000, 5)).toEqual({ users: [], fresh: null });
  expect(users.nextDue()).toBe(1_750);
  expect(users.take(1_750, 5)).toMatchObject({ users: [{}, {}, {}, {}, {}], fresh: null });
  expect(users.nextDue()).toBe(0);
  expect(users.take(1_750, USERS_AT_ONCE).fresh).toMatchObject({ from: USERS_AT_ONCE });
});

test("in whatever slices, every user ends exactly once", () => {
  fc.assert(
    fc.property(fc.nat(40), fc.infiniteStream(fc.nat(1_000)), (total, numbers) => {
      const draw = (below: number) => Number(numbers.next().value) % below;
      let users = new Users(total);
      const ended = new Map<number, number>();
      const end = (user: number) => ended.set(user, (ended.get(user) ?? 0) + 1);
      const under: ReturnType<Users["take"]>[] = [];
      let now = 0;
      for (let step = 0; ; step += 1) {
        if (step > 3_000) throw new Error("the users don't come to an end");
        const work = under.length < 3 ? users.take(now, 1 + draw(7)) : undefined;
        if (work !== undefined && (work.users.length > 0 || work.fresh !== null)) under.push(work);
        else if (under.length > 0) {
          const [{ users: again, fresh }] = under.splice(draw(under.length), 1) as [(typeof under)[number]];
          const { from = 0, to = 0 } = fresh ?? {};
          const reached = from + (to === from ? 0 : draw(to - from + 1));
          const begun = [...again, ...Array.from({ length: reached - from }, (_, n) => freshUser(from + n))];
          const results: UserResult[] = [];
          for (const progress of begun) {
            const chance = draw(10);
            if (chance < 2) results.push(left(progress, { kind: "open" }));
            else if (chance < 4) results.push(left(progress, TIMEOUT));
            else end(progress.user);
            if (chance === 4) results.push(left(progress, { kind: "failed", reason: "accounts: x" }, "fp"));
          }
          const usersRead = begun.length - results.length;
          const { failed } = users.apply({ fresh }, { usersRead, users: results, reached, at: now }, jitter);
          expect(failed).toHaveLength(results.filter((one) => one.failed !== null).length);
          expect(users.ended).toBe([...ended.values()].reduce((sum, count) => sum + count, 0));
        } else {
          const next = new Users(total, JSON.parse(JSON.stringify(users.carry())));
          expect(next.carry()).toEqual(users.carry());
          users = next;
          const due = users.nextDue();
          if (due === undefined) break;
          expect(due).toBeGreaterThan(now);
          now = due;
        }
      }
      expect([...ended].sort(([a], [b]) => a - b)).toEqual(Array.from({ length: total }, (_, n) => [n, 1]));
      expect([users.ended, users.again.length]).toEqual([total, 0]);
    }),
  );
});

test("what is left is shared among the slices at once, so that other workers have as much; few are not torn apart", () => {
  const takenOf = (users: Users) => [1, 2, 3].map(() => users.take(0, USERS_AT_ONCE).fresh?.to);
  expect(takenOf(new Users(400))).toEqual([134, 223, 282]);
  expect(takenOf(new Users(40))).toEqual([32, 40, undefined]);
});
