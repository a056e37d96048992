import { rotateOwnTokenRoute } from "../../shared/api/tokens.ts";
import { keepEnrolled, readEnrolled } from "../client/enrolled-token.ts";
import { pause } from "../client/pause.ts";
import type { TokenSource } from "../client/token-source.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";

const lookEveryMs = 3_600_000;
/** A third of the ninety days that an enrolled token lives: long enough to miss a few weeks of the broker. */
const beforeEndMs = 30 * 86_400_000;

/**
 * Replaces an enrolled token long before its end, until the signal aborts. The new one is on disk before it is used; the
 * broker lets both count until then. A token that was given by a file is for those to rotate who gave it.
 */
export async function rotateToken(
  { agent }: LoopContext,
  { signal, turn }: Loop,
  tokens: TokenSource,
): Promise<void> {
  const { client, config, log } = agent;
  while (!signal.aborted) {
    const kept = await readEnrolled(config.dataDir);
    const isOurs = kept?.token === tokens.current() && kept.expires_at !== null;
    if (isOurs && Date.parse(kept.expires_at ?? "") - Date.now() < beforeEndMs) {
      const { body } = await client.call(rotateOwnTokenRoute, {}, { scope: "agent", signal });
      const { secret: token, expires_at } = body;
      await keepEnrolled(config.dataDir, { ...kept, token, expires_at });
      if (!(await agent.keptState.untilKept(signal))) return;
      tokens.replace(token);
      log.info("the token was rotated");
    }
    turn();
    await pause(lookEveryMs, signal);
  }
}
