import { afterEach, describe, expect, it, vi } from "vitest";
import { createOnboarding, getUser } from "../../../src/api/operations/index.js";
import { NOBODY } from "../../../src/domain/service/external-id.js";
import { type FaultServer, json, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => {
  vi.useRealTimers();
  return server.close();
});

/** A service that refuses the users of whom that holds. */
async function refusing(isRefused: (fp_id: string) => boolean, status = 401) {
  server = await startFaultServer((request, response) =>
    json(response, {}, isRefused(String(request.url).replace("/users/", "")) ? status : 200),
  );
  const client = server.client({ concurrency: 1 });
  const read = (fp_id: string, run = "run-1") => client.read(getUser, { path: { fp_id } }, { run });
  return { client, read, refusal: (fp_id: string) => rejection(read(fp_id)) };
}

describe("a refused key", () => {
  it.each([401, 403])(
    "ends its run's calls at the first %i, waiting ones too, and no other's",
    async (status) => {
      const { read, refusal } = await refusing((id) => id !== "other", status);
      const refused = refusal("a");
      const waiting = ["b", "c"].map(refusal);
      const other = read("other", "run-2");
      expect(await refused).toMatchObject({ name: "AuthError", status, sent: true, mayNot: undefined });
      for (const error of await Promise.all(waiting))
        expect(error).toMatchObject({ name: "AuthError", sent: false });
      await other;
      expect(await refusal("d")).toMatchObject({ sent: false });
      expect(server.requests).toEqual(["GET /users/a", `GET /users/${NOBODY}`, "GET /users/other"]);
    },
  );

  it("is asked about once by calls that are refused together", async () => {
    server = await startFaultServer((_, response) => json(response, {}, 401));
    const client = server.client({ concurrency: 4 });
    const read = (fp_id: string) => rejection(client.read(getUser, { path: { fp_id } }, { run: "r" }));
    await Promise.all(["a", "b", "c", "d"].map(read));
    expect(server.requests.filter((request) => request.endsWith(NOBODY))).toHaveLength(1);
  });

  it("stops nothing where the call is of no run", async () => {
    let status = 401;
    server = await startFaultServer((_, response) => json(response, {}, status));
    const client = server.client();
    expect(await rejection(client.read(getUser, { path: { fp_id: "a" } }))).toMatchObject({
      name: "AuthError",
    });
    status = 200;
    await client.read(getUser, { path: { fp_id: "a" } });
  });
});

describe("a call that is refused while the key is good", () => {
  it.each([401, 403])("fails its subject alone (%i), however often it is refused", async (status) => {
    const { read, refusal } = await refusing((id) => id === "a", status);
    for (let tries = 0; tries < 4; tries += 1) {
      expect(await refusal("a")).toMatchObject({ name: "RejectedError", status });
    }
    await read("b");
  });

  it("counts others only until one succeeds; the third in a row stops the run, and names the call", async () => {
    const { read, refusal } = await refusing((id) => id.length === 1);
    for (const id of ["a", "b"]) expect(await refusal(id)).toMatchObject({ name: "RejectedError" });
    await read("good");
    for (const id of ["c", "d"]) expect(await refusal(id)).toMatchObject({ name: "RejectedError" });
    const third = await refusal("e");
    expect(third).toMatchObject({ name: "AuthError", mayNot: "get_user", status: 401, sent: true });
    expect(third).toMatchObject({ message: expect.stringContaining("the key may not call get_user") });
    expect(await refusal("good")).toMatchObject({ name: "AuthError", sent: false });
  });

  it("is asked about once a minute, and once more before the run stops, though a clock was set back", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() });
    let isGood = true;
    const { refusal } = await refusing((id) => id !== NOBODY || !isGood);
    for (const id of ["a", "b"]) expect(await refusal(id)).toMatchObject({ name: "RejectedError" });
    const questions = () => server.requests.filter((request) => request.endsWith(NOBODY)).length;
    expect(questions()).toBe(1);
    vi.advanceTimersByTime(30_000);
    vi.setSystemTime(Date.now() - 86_400_000);
    isGood = false;
    expect(await refusal("c")).toMatchObject({ name: "AuthError", mayNot: undefined });
    expect(questions()).toBe(2);
  });

  it("counts no subject that is known to be in error", async () => {
    const { client, refusal } = await refusing((id) => id.length === 1);
    for (const fp_id of ["a", "b", "c", "d"]) {
      const call = client.read(getUser, { path: { fp_id } }, { run: "run-1", mayBeRefused: true });
      expect(await rejection(call)).toMatchObject({ name: "RejectedError", status: 401 });
    }
    expect(await refusal("e")).toMatchObject({ name: "RejectedError" });
  });

  it("tells subjects apart by the body where the address names none", async () => {
    const { client } = await refusing((id) => id !== NOBODY && id !== "good");
    const post = (fp_id: string) =>
      rejection(
        client.read(
          createOnboarding,
          { body: { fp_id, key: "pb_kyc" } },
          {
            run: "r",
          },
        ),
      );
    const names = [];
    for (const id of ["fp_a", "fp_a", "fp_a", "fp_b", "fp_c"]) names.push(((await post(id)) as Error).name);
    expect(names).toEqual([...Array(4).fill("RejectedError"), "AuthError"]);
  });
});
