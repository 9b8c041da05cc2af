import { isJsonObject } from "../../src/domain/json/value.js";
import type { SandboxState } from "../assemble.js";
import { notFound, okJson, refuse } from "../http/answer.js";
import type { Operation, Subject } from "../http/router.js";
import { onboardingResult } from "../onboarding/onboarding.js";
import { keptData } from "../onboarding/playbook-store.js";
import { Fields } from "../vault/fields.js";

const FIELDS = ["key", "fp_id", "external_id", "prerequisite_data", "synchronous_timeout_secs"];

/** POST /onboardings (docs/reference/service.md, "Onboarding creation"). */
export const createOnboarding: Operation = {
  name: "create_onboarding",
  method: "POST",
  path: "/onboardings",
  body: "whole",
  about: subjectOf,
  async handle(call) {
    const { state } = call;
    const body = new Fields(call.body.json(), FIELDS);
    const key = body.required("key");
    const fpId = body.text("fp_id");
    const externalId = body.text("external_id");
    if (fpId !== undefined && externalId !== undefined) refuse("fp_id and external_id exclude each other");
    if (fpId === undefined && externalId === undefined) refuse("fp_id or external_id is needed");
    const seconds = body.integer("synchronous_timeout_secs", 1, 30);
    const { playbook, version } = state.playbooks.find(key);
    const data = keptData(playbook, body.object("prerequisite_data"));
    const entity = entityOf(state, fpId ?? state.world.externalIds.get(externalId ?? ""));
    if (entity.kind !== playbook.kind) refuse(`the playbook is ${playbook.kind}, the entity is not`);
    const onboarding = state.onboardings.start({
      entityId: entity.id,
      entityExternalId: entity.externalId,
      idempotencyId: externalId,
      playbook,
      version,
      data,
      synchronous: seconds !== undefined,
    });
    if (seconds !== undefined) await state.onboardings.waitFor(onboarding, seconds * 1000);
    return okJson(onboardingResult(onboarding, state.clock.now()));
  },
};

interface Entity {
  readonly id: string;
  readonly kind: "kyc" | "kyb";
  readonly externalId: string | undefined;
}

function entityOf({ world, businesses }: SandboxState, id: string | undefined): Entity {
  const user = world.users.get(id ?? "");
  if (user) return { id: user.fpId, kind: "kyc", externalId: user.externalId };
  const business = businesses.find(id ?? "") ?? notFound("no such user or business");
  return { id: business.id, kind: "kyb", externalId: business.external_id };
}

function subjectOf(body: unknown, { world, businesses }: SandboxState): Subject {
  if (!isJsonObject(body)) return {};
  const given = typeof body.fp_id === "string" ? body.fp_id : body.external_id;
  if (typeof given !== "string") return {};
  const id = given === body.fp_id ? given : (world.externalIds.get(given) ?? given);
  return businesses.has(id) ? { business: id } : { user: id };
}
