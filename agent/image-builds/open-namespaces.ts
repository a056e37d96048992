import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { isRoot } from "../job-users/run-as-user.ts";
import { IsolationFault } from "./isolation-fault.ts";

/** A user namespace, with a network of its own, as long as it is held open. */
export type Namespaces = {
  readonly pid: number;
  /** Whether it has many ids, its root's too, or only that of the agent's user, which is its root then. */
  readonly hasManyIds: boolean;
  /** What a command begins with to run in it, as its root. */
  readonly enter: readonly string[];
  readonly close: () => void;
};

type Wish = {
  /** The first id of a range for it, where this process is root. */
  readonly firstId: number | undefined;
  readonly path: string;
};

/** How many ids a build has: as many as images use. */
export const idsOfBuild = 65_536;

/**
 * Opens namespaces whose root is nobody on the host: for root by a range of ids that are nobody's, for others by what
 * /etc/subuid gives them, or else by their own id alone. Throws IsolationFault.
 */
export async function openNamespaces({ firstId, path }: Wish): Promise<Namespaces> {
  if (isRoot()) return await openAsRoot(firstId, path);
  const many = await hold(["--map-auto"], path).catch(() => undefined);
  if (many !== undefined) return namespacesOf(many, { hasManyIds: true, as: asItsRoot });
  const one = await hold(["--map-root-user"], path);
  return namespacesOf(one, { hasManyIds: false, as: ["--preserve-credentials"] });
}

async function openAsRoot(firstId: number | undefined, path: string): Promise<Namespaces> {
  if (firstId === undefined) throw new IsolationFault("no ids are set for it (build-ids)");
  const held = await hold([], path);
  try {
    for (const kind of ["uid", "gid"])
      writeFileSync(`/proc/${held.pid}/${kind}_map`, `0 ${firstId} ${idsOfBuild}\n`);
  } catch (error) {
    held.child.kill("SIGKILL");
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const words = `the ids from ${firstId} on cannot be used here (${code}): set build-ids to ids that this host has`;
    throw new IsolationFault(words);
  }
  return namespacesOf(held, { hasManyIds: true, as: asItsRoot });
}

const asItsRoot = ["--setuid", "0", "--setgid", "0"];

type Held = { readonly child: ChildProcess; readonly pid: number };

/** A process in new namespaces that ends with this one. */
async function hold(maps: readonly string[], path: string): Promise<Held> {
  const child = spawn("unshare", ["--user", ...maps, "--net", "--", "cat"], {
    cwd: "/",
    env: { PATH: path, LC_ALL: "C" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(0, 500)));
  child.stdin.on("error", () => {}); // it has ended, which is seen below
  child.stdin.write("ready\n");
  const ended = Promise.withResolvers<string>();
  child.once("error", ({ message }) => ended.resolve(message));
  child.once("close", () => ended.resolve(said.split("\n")[0] || "unshare failed"));
  const isReady = once(child.stdout, "data").then(() => undefined);
  const why = await Promise.race([isReady, ended.promise]);
  const { pid } = child;
  if (why === undefined && pid !== undefined) return { child, pid };
  throw new IsolationFault(`user namespaces cannot be made: ${why ?? "no process"}`);
}

type How = { readonly hasManyIds: boolean; readonly as: readonly string[] };

function namespacesOf({ child, pid }: Held, { hasManyIds, as }: How): Namespaces {
  return {
    pid,
    hasManyIds,
    enter: ["nsenter", "--user", "--net", "--target", `${pid}`, ...as, "--"],
    close: () => void child.kill("SIGKILL"),
  };
}
