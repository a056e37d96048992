import type { Broker } from "../../broker.ts";
import type { LimitName } from "../../limits/limit-settings.ts";
import { onClose } from "../answer/on-close.ts";
import type { AppContext } from "../app-types.ts";

type HeldName = Extract<LimitName, `${"followers" | "waits"}_of_token`>;

const ofOrg = {
  followers_of_token: "followers_of_org",
  waits_of_token: "waits_of_org",
} as const satisfies Record<HeldName, LimitName>;

/**
 * Counts a long request of its token and of its org, until the returned function is called or the
 * connection has closed; 429 when one of them has reached its limit.
 */
export function limitConcurrency(c: AppContext, { limits }: Broker, name: HeldName): () => void {
  const { tokenId, id, orgId } = c.get("actor");
  const releaseToken = limits.hold(name, tokenId ?? id);
  try {
    const releaseOrg = limits.hold(ofOrg[name], orgId);
    const release = (): void => {
      releaseToken();
      releaseOrg();
    };
    onClose(c, release);
    return release;
  } catch (error) {
    releaseToken();
    throw error;
  }
}
