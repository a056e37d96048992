import type { Job } from "../jobs/handler.ts";
import type { RegistryLogin } from "./log-in.ts";
import { loginOf, secretsOf } from "./login-of.ts";
import { RegistryFault } from "./registry-fault.ts";
import type { RegistryIdentity } from "./registry-identity.ts";

type Where = { readonly identity: RegistryIdentity; readonly origin: string };
type Whose = Pick<Job, "addSecret" | "signal"> & {
  readonly agent: {
    readonly config: Pick<Job["agent"]["config"], "env"> &
      Partial<Pick<Job["agent"]["config"], "brokerUrl">>;
  };
};

/**
 * Gets the credentials for a registry of a plan, in the environment of the agent, whatever is done there, and hides them
 * in the job's log. Throws RegistryFault, also as soon as `signal` aborts, the job's own by default.
 */
export async function signIn(
  job: Whose,
  { identity, origin }: Where,
  signal: AbortSignal = job.signal,
): Promise<RegistryLogin> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void =>
    stopped.reject(new RegistryFault("network", "it was stopped before it had signed in"));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    const asked = loginOf(identity, origin, job.agent.config.env);
    const login = await Promise.race([stopped.promise, asked]);
    for (const secret of secretsOf(login)) job.addSecret(secret);
    const { brokerUrl } = job.agent.config;
    if (identity.kind !== "login" || brokerUrl === undefined) return login;
    return { ...login, tokenServer: new URL(brokerUrl).origin };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
