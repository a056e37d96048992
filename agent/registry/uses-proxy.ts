import { proxyEnvironment } from "../client/network.ts";
import type { Environment } from "../config/environment.ts";

/** Whether a proxy makes connections for programs with this environment. */
export function usesProxy(env: Environment): boolean {
  const { http_proxy, https_proxy } = proxyEnvironment(env);
  return http_proxy !== undefined || https_proxy !== undefined;
}
