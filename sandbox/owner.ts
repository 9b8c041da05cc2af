import type { Business } from "./businesses/business-store.js";
import { Refusal } from "./http/answer.js";
import type { Call } from "./http/router.js";
import type { ClientToken } from "./vault/client-token.js";
import type { BankLink } from "./world/bank-link.js";
import type { User } from "./world/world.js";

/** The user that a call is about. @throws Refusal 404 */
export function userOf({ params, state }: Call): User {
  const user = state.world.users.get(params.fp_id ?? "");
  if (!user) throw new Refusal(404, "not_found", "no such user");
  return user;
}

/** The business that a call is about. @throws Refusal 404 */
export function businessOf({ params, state }: Call): Business {
  const business = state.businesses.find(params.fp_bid ?? "");
  if (!business) throw new Refusal(404, "not_found", "no such business");
  return business;
}

/** The link that a call is about. @throws Refusal 404, also by a `link_gone` fault */
export function linkOf(call: Call): BankLink {
  const link = call.state.world.links.get(call.params.link_id ?? "");
  if (!link || call.fire("link_gone")) throw new Refusal(404, "not_found", "no such bank link");
  return link;
}

/** The client token that a client operation came with: the request handler refuses one without. */
export function tokenOf({ token }: Call): ClientToken {
  return token!;
}
