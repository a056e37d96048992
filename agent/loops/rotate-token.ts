import { rotateOwnTokenRoute } from "../../shared/api/tokens.ts";
import { keepEnrolled, readEnrolled } from "../client/enrolled-token.ts";
import { pause } from "../client/pause.ts";
import type { TokenSource } from "../client/token-source.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";

const lookEveryMs = 3_600_000;
/** A third of the ninety days that an enrolled token is valid: enough to bridge a few weeks without the broker. */
const beforeEndMs = 30 * 86_400_000;

/**
 * Rotates an enrolled token long before it expires, until the signal aborts. The new token is on disk before it is
 * used; until then the broker accepts both. Tokens from a file are rotated by whoever provides the file.
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
      await agent.management?.shareToken(token); // the install agent may have the former one
      tokens.replace(token);
      log.info("the token was rotated");
    }
    turn();
    await pause(lookEveryMs, signal);
  }
}
