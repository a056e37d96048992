import { findAddressBlock } from "../../shared/network/find-block.ts";
import type { AddressGuard } from "./exchange.ts";
import { RegistryFault } from "./registry-fault.ts";

/** Why an address is none to go to: `internal` for everybody, `strict` for those that the public network leads there. */
export type FindBlock = (address: string, mode: "internal" | "strict") => string | undefined;

/** Which addresses a registry, its token server and what they redirect to may have. */
export type AddressRules = {
  /** Nobody has business with a machine's metadata. */
  readonly always: AddressGuard | undefined;
  /** A registry at a public address leads to public addresses alone; a private one wherever it likes. */
  readonly after: (address: string) => AddressGuard | undefined;
};

/** Makes the rules; with a proxy, which finds the addresses itself and may have a private one, there are none. */
export function addressRules(
  isProxied: boolean,
  findBlock: FindBlock = findAddressBlock,
): AddressRules {
  if (isProxied) return { always: undefined, after: () => undefined };
  const guardOf =
    (mode: "internal" | "strict"): AddressGuard =>
    (address) => {
      const block = findBlock(address, mode);
      if (block === undefined) return;
      throw new RegistryFault(
        "refused",
        `the registry leads to ${address} (${block}), where nothing is asked for`,
      );
    };
  const [always, strict] = [guardOf("internal"), guardOf("strict")];
  return {
    always,
    after: (address) => (findBlock(address, "strict") === undefined ? strict : always),
  };
}
