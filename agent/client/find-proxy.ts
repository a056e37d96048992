import type { Environment } from "../config/environment.ts";

/** The proxy that Node uses for a request to the URL; undefined for none. Throws for an invalid URL. */
export function findProxy(url: URL, env: Environment): URL | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = env[name] || env[name.toUpperCase()];
  if (!proxy) return undefined;
  const exceptions = env["no_proxy"] || env["NO_PROXY"] || "";
  return exceptions.split(",").some((rule) => isMatch(rule.trim().toLowerCase(), url))
    ? undefined
    : new URL(proxy);
}

/** `*`, a host with or without its port, `.suffix`, `*.suffix`, or a range of IPv4 addresses. */
function isMatch(rule: string, url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (rule === "") return false;
  if (rule === "*" || rule === host || rule === url.host.toLowerCase()) return true;
  if (rule.startsWith("*.")) return host.endsWith(rule.slice(1));
  if (rule.startsWith(".")) return host.endsWith(rule);
  const [from, to] = rule.split("-").map(ipv4);
  const address = ipv4(host);
  if (from === undefined || to === undefined || address === undefined) return false;
  return from <= address && address <= to;
}

function ipv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text.trim());
  return match?.slice(1).reduce((sum, part) => sum * 256 + Number(part), 0);
}
