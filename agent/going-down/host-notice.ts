import { type ChildProcess, spawn } from "node:child_process";
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

/** Calls `onShutdown` when the host says that it goes down. */
export function watchHost(env: Environment, log: Log, onShutdown: () => void): HostNotice {
  let listening: ChildProcess | undefined;
  const listen = ([first, ...others]: typeof listeners): void => {
    if (first === undefined) return log.debug("the host's end cannot be foreseen");
    const [program, ...args] = first;
    const child = spawn(program, args, { env: { ...env }, stdio: ["ignore", "pipe", "ignore"] });
    listening = child;
    child.on("error", () => listen(others));
    child.stdout.on("data", (bytes: Buffer) => {
      if (saysShutdown(bytes.toString())) onShutdown();
    });
    child.unref();
  };
  listen(listeners);
  return { close: () => void listening?.kill() };
}

/** `PrepareForShutdown (true,)` or `"PrepareForShutdown",…"data":[true]`; false takes it back. */
export function saysShutdown(printed: string): boolean {
  return /PrepareForShutdown\s*\(true|"PrepareForShutdown".*"data":\[true\]/.test(printed);
}
