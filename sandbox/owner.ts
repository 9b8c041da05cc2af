import type { Business } from "./businesses/business-store.js";
import { notFound, Refusal } from "./http/answer.js";
import type { Call } from "./http/router.js";
import type { ClientToken } from "./vault/token-store.js";
import { isConnected } from "./world/advance.js";
import type { BankLink } from "./world/bank-link.js";
import type { User } from "./world/world.js";

/** The user that a call is about. @throws Refusal 404 */
export function userOf({ params, state }: Call): User {
  return state.world.users.get(params.fp_id ?? "") ?? notFound("no such user");
}

/** The business that a call is about. @throws Refusal 404 */
export function businessOf({ params, state }: Call): Business {
  return state.businesses.find(params.fp_bid ?? "") ?? notFound("no such business");
}

/** The link that a call is about. @throws Refusal 404, also by a `link_gone` fault; 401 of the last connected link with `refused-link` */
export function linkOf(call: Call): BankLink {
  const { world, service } = call.state;
  const link = world.links.get(call.params.link_id ?? "");
  if (!link || call.fire("link_gone")) return notFound("no such bank link");
  if (service.behaves.has("refused-link") && link === [...world.links.values()].findLast(isConnected))
    throw new Refusal(401, "unauthorized", "the bank lets nobody see this link any more");
  return link;
}

/** The client token that a client operation came with: the request handler refuses one without. */
export function tokenOf({ token }: Call): ClientToken {
  return token!;
}
