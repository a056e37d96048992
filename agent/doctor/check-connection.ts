import { type DoctorContext, failed, type Found, ok } from "./finding.ts";
import { connectTo, openLine, portOf, TunnelRefused } from "./open-line.ts";

/** Whether a TCP connection to the broker, or to the proxy, can be opened. */
export async function checkConnection({
  broker,
  proxy,
  patienceMs,
}: DoctorContext): Promise<Found> {
  const target = proxy ?? broker;
  const place = `${target.hostname}:${portOf(target)}`;
  const startedMs = performance.now();
  try {
    (await connectTo(target, patienceMs)).destroy();
    return ok(`${place} answers in ${(performance.now() - startedMs).toFixed(0)} ms.`);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") {
      return failed(
        `${place} refuses connections.`,
        "Check that the port is right and that the broker is running.",
      );
    }
    const isSilent = name === "AbortError" || name === "TimeoutError" || code === "ETIMEDOUT";
    if (!isSilent)
      return failed(`${place} cannot be reached (${code}).`, "Check the network routes.");
    return failed(
      `${place} does not answer within ${patienceMs / 1000} s.`,
      `A firewall may drop the connection: allow outgoing TCP port ${portOf(target)}.`,
    );
  }
}

/** Which proxy is used, if any, and whether it allows the connection. */
export async function checkProxy(context: DoctorContext): Promise<Found> {
  const { broker, proxy } = context;
  if (proxy === undefined) return ok("No proxy is configured (HTTPS_PROXY, NO_PROXY).");
  const place = proxy.host;
  if (broker.protocol === "http:") return ok(`Requests go through ${place}.`);
  try {
    (await openLine(context)).destroy();
    return ok(`Requests go through ${place}, which opens a tunnel to ${broker.host}.`);
  } catch (error) {
    if (!(error instanceof TunnelRefused)) {
      const { code, message } = error as NodeJS.ErrnoException;
      return failed(
        `${place} does not open a tunnel (${code ?? message}).`,
        "Is it an HTTP proxy?",
      );
    }
    const advice =
      error.status === 407
        ? "It requires a user name and a password: HTTPS_PROXY=http://name:password@host:port."
        : `Allow ${broker.host} in the proxy, or add it to NO_PROXY.`;
    return failed(`${place} refuses a tunnel to ${broker.host} (${error.status}).`, advice);
  }
}
