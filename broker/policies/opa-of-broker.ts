import { findOpa } from "../../shared/policies/find-opa.ts";
import { makeOpa, type Opa, type RegoFault } from "../../shared/policies/opa.ts";
import { PolicyUnavailable } from "../../shared/policies/policy-unavailable.ts";
import { FairQueue, type Release } from "../limits/fair-queue.ts";
import type { OpaPlaces } from "./opa-settings.ts";

/** OPA at this broker. */
export type OpaOfBroker = {
  /** Undefined where there is none: it is looked for anew each time. */
  readonly find: () => Promise<Opa | undefined>;
  /** What is wrong with each of an org's texts; an org's texts one after the other, orgs in turn. Undefined where it cannot be told. */
  readonly check: (
    opa: Opa,
    texts: { readonly orgId: string; readonly contents: readonly string[] },
    signal: AbortSignal,
  ) => Promise<readonly (readonly RegoFault[] | undefined)[]>;
};

/** How many orgs' texts are checked at once; how long one waits, and how long its texts may take together. */
const atOnce = 2;
const patienceMs = 20_000;

const tooLate = (): Error => new PolicyUnavailable("Other policies are being checked.");
const nothing: Release = () => {};

/** Looks for OPA when it is first needed. */
export function makeOpaOfBroker({ named, search }: OpaPlaces): OpaOfBroker {
  let known: Opa | undefined;
  const queue = new FairQueue({ permits: atOnce, mostOfOrg: 1, patienceMs, tooLate, admit() {} });
  return {
    async find() {
      if (known !== undefined) return known;
      const program = await findOpa(named, search);
      return program === undefined ? undefined : (known ??= makeOpa(program));
    },
    async check(opa, { orgId, contents }, signal) {
      const faults: (readonly RegoFault[] | undefined)[] = [];
      const onLeave = (leave: () => void): void =>
        signal.addEventListener("abort", leave, { once: true });
      let release = nothing;
      try {
        release = await queue.take({ orgId, token: "policies" }, onLeave);
        const endMs = performance.now() + patienceMs;
        for (const text of contents)
          faults.push(performance.now() > endMs ? undefined : await checked(opa, text, signal));
      } catch (error) {
        if (!(error instanceof PolicyUnavailable)) throw error;
      } finally {
        release();
      }
      return contents.map((_, at) => faults[at]);
    },
  };
}

async function checked(
  opa: Opa,
  contents: string,
  signal: AbortSignal,
): Promise<readonly RegoFault[] | undefined> {
  try {
    return await opa.check(contents, signal);
  } catch (error) {
    if (error instanceof PolicyUnavailable) return undefined;
    throw error;
  }
}
