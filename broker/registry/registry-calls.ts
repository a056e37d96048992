import { type Call, type CallResult, makeCallOut } from "../egress/call-out.ts";
import { type EgressRules, targetOf } from "../egress/egress-rules.ts";
import { type OpenedReceiver, readOpened } from "../egress/opened-receivers.ts";
import { makeResolver } from "../egress/resolver.ts";
import type { RegistryConfig } from "./registry-settings.ts";

/** Calls the registry of the settings; what happens is the result. */
export type RegistryCalls = (call: Call) => Promise<CallResult>;

/** Where the registry is. */
export const registryUrl = ({ server, isPlain }: RegistryConfig): string =>
  `${isPlain ? "http" : "https"}://${server}`;

/**
 * Calls by which a broker reaches its registry: where calls for orgs may go and, besides, the registry's own address, which whoever runs
 * the broker has set. Link-local addresses and cloud metadata stay closed, and orgs' calls reach no more by it.
 */
export function makeRegistryCalls(registry: RegistryConfig, egress: EgressRules): RegistryCalls {
  const rules = { ...egress, opened: [...egress.opened, ...openedFor(registry)] };
  return makeCallOut({ rules, resolve: makeResolver(rules) });
}

function openedFor(registry: RegistryConfig): readonly OpenedReceiver[] {
  const { hostname, port } = targetOf(new URL(registryUrl(registry)));
  const opened = readOpened([`${hostname}:${port}`]);
  return "fault" in opened ? [] : opened;
}
