import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type DoctorContext, failed, type Found, ok } from "./finding.ts";

/** Whether the host name of the broker, or of the proxy, resolves. */
export async function checkName({ broker, proxy }: DoctorContext): Promise<Found> {
  const host = (proxy ?? broker).hostname.replace(/^\[|\]$/g, "");
  const whose = proxy === undefined ? "" : ", the proxy (which finds the broker by itself)";
  if (isIP(host) !== 0) return ok(`${host} is an address already${whose}.`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} is ${found.map(({ address }) => address).join(", ")}${whose}.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = proxy === undefined ? "broker-url" : "HTTPS_PROXY";
    return failed(
      `The name ${host} cannot be resolved (${code}).`,
      `Check the spelling in ${where}, and the name servers in /etc/resolv.conf.`,
    );
  }
}
