import { looseObject, strictObject } from "../schemas/fields.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineRead } from "./operation.js";

/**
 * GET /users/{fp_id} (docs/reference/service.md, "User lookup"): the shape of the record isn't known,
 * so any object passes.
 */
export const getUser = defineRead({
  name: "get_user",
  part: "users and vault",
  summary: "Reads the record of a user.",
  path: "/users/{fp_id}",
  params: { path: strictObject({ fp_id: pathId }), query: noQuery },
  response: looseObject({}),
  answer: "any object",
  notShown: "The shape of the record: any JSON object passes, and nothing relies on its contents.",
});
