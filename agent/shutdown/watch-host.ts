import { spawn } from "node:child_process";
import type { Environment } from "../config/environment.ts";
import type { Log } from "../log.ts";

/**
 * Programs that print the D-Bus signals of systemd-logind. Without one of them, or without logind, a shutdown cannot
 * be foreseen.
 */
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

/**
 * A listener that lived at least this long is restarted when it ends; one that ends sooner has nothing to listen to.
 */
const livedMs = 10_000;
const againMs = 5_000;

/**
 * Calls `onShutdown` when the host shuts down, and delays that with an inhibitor lock, as long as logind allows. The
 * helper processes end with this process, however it ends.
 */
export function watchHost(env: Environment, log: Log, onShutdown: () => void): HostNotice {
  const closed = new AbortController();
  const mark = { env: { ...env }, signal: closed.signal };
  const listen = ([first, ...others]: typeof listeners): void => {
    if (closed.signal.aborted) return;
    if (first === undefined) return log.debug("the host does not announce its shutdown");
    const startedMs = performance.now();
    // It dies with its parent; without setpriv it must notice that nobody reads its output.
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
/** Held as long as this process keeps its standard input open. */
const delay = [
  "--what=shutdown",
  "--mode=delay",
  "--who=svc-agent",
  "--why=running jobs must be stopped first",
  "cat",
];

/** Matches `PrepareForShutdown (true,)` or `"PrepareForShutdown",…"data":[true]`; false cancels it. */
export function saysShutdown(printed: string): boolean {
  return /PrepareForShutdown\s*\(true|"PrepareForShutdown".*"data":\[true\]/.test(printed);
}
