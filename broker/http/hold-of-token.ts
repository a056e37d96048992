import type { BoundName } from "../bounds/bound-settings.ts";
import type { Broker } from "../broker.ts";
import type { AppContext } from "./app-types.ts";

/**
 * Counts a request that stays among those of its token, until the returned function is called or the connection is done
 * with it; 429 when the token has as many as one may have.
 */
export function holdOfToken(c: AppContext, { bounds }: Broker, name: BoundName): () => void {
  const { tokenId, id } = c.get("actor");
  const release = bounds.hold(name, tokenId ?? id);
  c.env?.outgoing?.once("close", release);
  return release;
}
