import { z } from "zod";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/**
 * GET /users/{fp_id} (docs/reference/service.md, "User lookup"): the shape of the record isn't known,
 * so any object passes.
 */
export const getUser = defineOperation({
  name: "get_user",
  part: "users and vault",
  summary: "Reads the record of a user.",
  method: "GET",
  path: "/users/{fp_id}",
  params: { path: z.strictObject({ fp_id: pathId }), query: noQuery },
  response: z.looseObject({}, "not an object"),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: asked again.",
  answer: "any object",
  notShown: "The shape of the record: any JSON object passes, and nothing in it is relied on.",
});
