import type { RegistryClient } from "./registry-client.ts";
import { RegistryFault } from "./registry-fault.ts";

/** The same client, whose faults name its host: for whoever talks to several. */
export function sayingHost(client: RegistryClient): RegistryClient {
  const host = new URL(client.origin).host;
  const named = (error: unknown): unknown =>
    error instanceof RegistryFault
      ? new RegistryFault(
          error.class,
          error.message.replace(/^the registry\b/, `the registry ${host}`),
        )
      : error;
  return {
    ...client,
    ask: async (call) =>
      await client.ask(call).catch((error: unknown) => {
        throw named(error);
      }),
    get: async (at, headers) =>
      await client.get(at, headers).catch((error: unknown) => {
        throw named(error);
      }),
    refusal: async (answer) => named(await client.refusal(answer)) as RegistryFault, // it is one
  };
}
