/** Why a link in this state is not read, and what its owner can do; undefined for a connected one. */
interface LinkObstacle {
  readonly reason: string;
  readonly action: string;
}

const ACTION_BY_ERROR: Readonly<Record<string, string>> = {
  auth_expired: "ask the customer to reconnect the bank",
  invalid_credentials: "ask the customer to reconnect the bank",
  user_oauth_denied: "ask the customer to grant access again",
  user_setup_required: "ask the customer to finish the set-up at the bank",
  user_input_incorrect: "ask the customer to reconnect the bank",
  user_error: "ask the customer to reconnect the bank",
  incomplete: "ask the customer to finish linking",
  no_accounts: "ask the customer to link a bank with an account",
  institution_error: "wait: the bank has a fault; the next run tries again",
  provider_error: "wait: the data provider has a fault; the next run tries again",
  system_error: "wait: the service has a fault; the next run tries again",
};

/**
 * Only `connected` links are read (docs/service.md, "Bank links"). A link that reports an error does so in
 * its state, not as an HTTP failure, so it is skipped with a reason.
 */
export function linkObstacle(state: string, errorCode: string | null): LinkObstacle | undefined {
  switch (state) {
    case "connected":
      return undefined;
    case "connecting":
      return { reason: "state connecting", action: "wait: the next run tries again" };
    case "deleted":
      return { reason: "state deleted", action: "nothing: the customer removed the link" };
    case "error": {
      const reason = errorCode === null ? "state error" : `state error ${errorCode}`;
      return { reason, action: ACTION_BY_ERROR[errorCode ?? ""] ?? "look at the link in the dashboard" };
    }
    default:
      return { reason: `state ${state}`, action: "look at the link in the dashboard" };
  }
}
