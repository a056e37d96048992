import { parseAddress } from "../../shared/network/parse-address.ts";
import type { Limiter } from "../database/limiter.ts";
import { blockedName, checkUrl, type UrlCheck } from "./check-url.ts";
import { type EgressRules, findNameBlock, targetOf } from "./egress-rules.ts";
import type { Resolve } from "./resolver.ts";

type Parts = {
  readonly rules: EgressRules;
  readonly resolve: Resolve;
  readonly limiter: Limiter;
};

const patienceMs = 1000;

/**
 * Whether an org may have this URL called again and again. In the mode strict its name is resolved, only to tell: what does not resolve
 * within a second is taken, as each call checks the addresses to which it connects.
 */
export async function checkReceiver(
  text: string,
  { rules, resolve, limiter }: Parts,
): Promise<UrlCheck> {
  const checked = checkUrl(text, rules);
  // The other modes block no name but those that lead to link-local addresses, and there a look holds one of Node's threads.
  if (!checked.isOk || rules.mode !== "strict") return checked;
  const target = targetOf(checked.url);
  if (parseAddress(target.hostname.replaceAll(/^\[|\]$/g, "")) !== undefined) return checked;
  const signal = AbortSignal.timeout(patienceMs);
  const looking = limiter(async () =>
    signal.aborted ? [] : await resolve(target.hostname, signal),
  );
  const addresses = await Promise.race([looking, untilAborted(signal)]).catch(() => []);
  const block = findNameBlock(rules, target, addresses);
  if (block === undefined) return checked;
  return { isOk: false, code: "blocked_address", detail: blockedName(target.hostname, block) };
}

async function untilAborted(signal: AbortSignal): Promise<readonly string[]> {
  return await new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve([]), { once: true }),
  );
}
