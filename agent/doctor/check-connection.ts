import { type DoctorScene, failed, type Found, ok } from "./finding.ts";
import { connectTo, openLine, portOf, TunnelRefused } from "./open-line.ts";

/** Whether a TCP connection can be had to the broker, or to the proxy. */
export async function checkConnection({ broker, proxy, patienceMs }: DoctorScene): Promise<Found> {
  const target = proxy ?? broker;
  const place = `${target.hostname}:${portOf(target)}`;
  const startedMs = performance.now();
  try {
    (await connectTo(target, patienceMs)).destroy();
    return ok(`${place} answers in ${(performance.now() - startedMs).toFixed(0)} ms.`);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") {
      return failed(`${place} refuses connections.`, "Is this the right port, and does it run?");
    }
    const isSilent = name === "AbortError" || name === "TimeoutError" || code === "ETIMEDOUT";
    if (!isSilent) return failed(`${place} cannot be reached (${code}).`, "Look at the routes.");
    return failed(
      `${place} does not answer within ${patienceMs / 1000} s.`,
      `A firewall drops it: let TCP port ${portOf(target)} out.`,
    );
  }
}

/** Which proxy requests go by, if any, and whether it lets them through. */
export async function checkProxy(scene: DoctorScene): Promise<Found> {
  const { broker, proxy } = scene;
  if (proxy === undefined) return ok("None stands between: HTTPS_PROXY and NO_PROXY say so.");
  const place = proxy.host;
  if (broker.protocol === "http:") return ok(`Requests go by ${place}.`);
  try {
    (await openLine(scene)).destroy();
    return ok(`Requests go by ${place}, which opens a tunnel to ${broker.host}.`);
  } catch (error) {
    if (!(error instanceof TunnelRefused)) {
      const { code, message } = error as NodeJS.ErrnoException;
      return failed(`${place} opens no tunnel (${code ?? message}).`, "Is it an HTTP proxy?");
    }
    const advice =
      error.status === 407
        ? "It wants a name and a password: HTTPS_PROXY=http://name:password@host:port."
        : `Have ${broker.host} allowed there, or name it in NO_PROXY.`;
    return failed(`${place} refuses a tunnel to ${broker.host} (${error.status}).`, advice);
  }
}
