import type { EgressMode } from "../../shared/network/egress-mode.ts";
import { findAddressBlock, findHostBlock } from "../../shared/network/find-block.ts";
import { isOpened, type OpenedReceiver } from "./opened-receivers.ts";

/** Where a broker's calls for orgs may go: the mode, and what its operator opened besides. */
export type EgressRules = {
  readonly mode: EgressMode;
  readonly opened: readonly OpenedReceiver[];
};

/** A host of a URL, and the port. */
export type CallTarget = { readonly hostname: string; readonly port: number };

/** Why no call may go somewhere, in a few words, and what somebody can do about it. */
export type Block = { readonly reason: string; readonly advice: string };

/** Whom a URL calls. */
export function targetOf({ hostname, port, protocol }: URL): CallTarget {
  const usual = protocol === "https:" ? 443 : 80;
  return { hostname, port: port === "" ? usual : Number(port) };
}

/** Why no call may go there, as far as the URL itself says it: what a name resolves to is another question. */
export function findTargetBlock(rules: EgressRules, target: CallTarget): Block | undefined {
  return toBlock(target, (mode) => findHostBlock(target.hostname, mode), modeFor(rules, target));
}

/** Why no call may go to a name with these addresses. With an opened name its addresses are opened, but for those that never are. */
export function findNameBlock(
  rules: EgressRules,
  target: CallTarget,
  addresses: readonly string[],
): Block | undefined {
  const ofName = modeFor(rules, target);
  for (const address of addresses) {
    const own = { hostname: address, port: target.port };
    const mode = ofName === "strict" ? modeFor(rules, own) : ofName;
    const block = toBlock(target, (by) => findAddressBlock(address, by), mode);
    if (block !== undefined) return block;
  }
  return undefined;
}

/** The mode that counts there: what was opened is judged as in `internal`, so link-local addresses and cloud metadata stay closed. */
function modeFor({ mode, opened }: EgressRules, { hostname, port }: CallTarget): EgressMode {
  return mode === "strict" && isOpened(opened, hostname, port) ? "internal" : mode;
}

function toBlock(
  { hostname, port }: CallTarget,
  find: (mode: EgressMode) => string | undefined,
  mode: EgressMode,
): Block | undefined {
  const reason = find(mode);
  if (reason === undefined) return undefined;
  const advice =
    find("internal") === undefined
      ? `Whoever operates this broker can open it with SVC_EGRESS_ALLOW=${hostname}:${port}.`
      : "SVC_EGRESS_ALLOW does not open it.";
  return { reason, advice };
}
