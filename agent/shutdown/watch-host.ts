import { spawn } from "node:child_process";
import type { Environment } from "../config/environment.ts";
import type { Log } from "../log.ts";

/** Programs that print systemd-logind's signals; where neither is there, or no logind, nothing can be foreseen. */
const listeners: readonly (readonly [program: string, ...args: string[]])[] = [
  [
    "gdbus",
    "monitor",
    "--system",
    "--dest=org.freedesktop.login1",
    "--object-path=/org/freedesktop/login1",
  ],
  [
    "busctl",
    "--system",
    "--json=short",
    "--match=type='signal',interface='org.freedesktop.login1.Manager'",
    "monitor",
  ],
];

export type HostNotice = { readonly close: () => void };

/** What a listener must have lived for to be started again when it ends; one that ends at once has nothing to listen to. */
const livedMs = 10_000;
const againMs = 5_000;

/**
 * Calls `onShutdown` when the host says that it shuts down, and asks the host to wait for this process then, as long as
 * logind lets anybody delay it. What listens ends with this process, however that ends.
 */
export function watchHost(env: Environment, log: Log, onShutdown: () => void): HostNotice {
  const closed = new AbortController();
  const mark = { env: { ...env }, signal: closed.signal };
  const listen = ([first, ...others]: typeof listeners): void => {
    if (closed.signal.aborted) return;
    if (first === undefined) return log.debug("the host does not announce its shutdown");
    const startedMs = performance.now();
    // Its parent's death is its own; without setpriv it has to notice that nobody reads.
    const child = spawn("sh", ["-c", withParent, "sh", ...first], {
      ...mark,
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.on("error", () => {});
    child.stdout.on("data", (bytes: Buffer) => {
      if (saysShutdown(bytes.toString())) onShutdown();
    });
    child.on("close", () => {
      const hasLived = performance.now() - startedMs >= livedMs;
      if (hasLived) setTimeout(() => listen([first, ...others]), againMs).unref();
      else listen(others);
    });
    child.unref();
  };
  listen(listeners);
  const inhibitor = spawn("systemd-inhibit", delay, {
    ...mark,
    stdio: ["pipe", "ignore", "ignore"],
  });
  inhibitor.on("error", () => {});
  inhibitor.stdin.on("error", () => {});
  inhibitor.unref();
  return { close: () => closed.abort() };
}

const withParent =
  'if command -v setpriv >/dev/null; then exec setpriv --pdeathsig TERM "$@"; fi; exec "$@"';
/** Held for as long as its standard input is open: by this process. */
const delay = [
  "--what=shutdown",
  "--mode=delay",
  "--who=svc-agent",
  "--why=running jobs must be stopped first",
  "cat",
];

/** `PrepareForShutdown (true,)` or `"PrepareForShutdown",…"data":[true]`; false takes it back. */
export function saysShutdown(printed: string): boolean {
  return /PrepareForShutdown\s*\(true|"PrepareForShutdown".*"data":\[true\]/.test(printed);
}
