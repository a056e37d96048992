import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { OperatorError } from "../../shared/operator-error.ts";

/** The user that Postgres runs as when we are root, which it refuses to run as. */
export type ServerUser = { readonly uid: number; readonly gid: number };

/** Where root keeps what that user could not reach in place. */
export const reachableRoot = "/var/lib/svc";

/** Makes a folder under that root which any user can pass through, and answers its path. */
export async function makeReachable(name: string): Promise<string> {
  const folder = path.join(reachableRoot, name);
  try {
    await mkdir(folder, { recursive: true });
    // Whatever our umask withheld.
    await chmod(reachableRoot, 0o755);
    await chmod(folder, 0o711);
    return folder;
  } catch {
    throw new OperatorError(
      `Postgres runs as another user than root, which cannot enter this folder, and ${reachableRoot} ` +
        "cannot be written: choose another data directory, or set DATABASE_URL.",
    );
  }
}

/** Undefined when the server can run as the user we are; otherwise who owns the cluster, or nobody. */
export async function findServerUser(dataDir: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const cluster = await stat(path.join(dataDir, "cluster")).catch(() => undefined);
  if (cluster !== undefined && cluster.uid !== 0) return { uid: cluster.uid, gid: cluster.gid };
  return await findNobody();
}

/** Where a data directory's cluster lives: in it, or under one root when the user cannot go there. */
export async function findHome(dataDir: string, user: ServerUser | undefined): Promise<string> {
  if (await isReachable(dataDir, user)) return dataDir;
  const hash = createHash("sha256").update(dataDir).digest("hex");
  return await makeReachable(`data-${hash.slice(0, 16)}`);
}

/** Whether the user may go through every folder down to the target. */
export async function isReachable(target: string, user: ServerUser | undefined): Promise<boolean> {
  if (user === undefined) return true;
  for (let at = target; ; at = path.dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    if ((mode & executeBit(user, uid, gid)) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

function executeBit(user: ServerUser, uid: number, gid: number): number {
  if (uid === user.uid) return 0o100;
  return gid === user.gid ? 0o010 : 0o001;
}

async function findNobody(): Promise<ServerUser> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  const [, , uid, gid] = lines.find((line) => line.startsWith("nobody:"))?.split(":") ?? [];
  if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  throw new OperatorError(
    'Postgres refuses to run as root, and there is no user "nobody": run as another user, or set DATABASE_URL.',
  );
}
