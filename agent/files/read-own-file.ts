import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** What is asked of a file of the agent's owner. */
type Asked = {
  readonly mostBytes: number;
  /** Others may read it, and not write it. */
  readonly isPublic?: boolean;
  /** The error of the words: what is wrong with the file, which they name. */
  readonly fault: (words: string) => Error;
};

/** Reads a file that the agent's owner keeps to itself, as ssh takes its keys; throws what `fault` makes of what is wrong with it. */
export async function readOwnFile(file: string, asked: Asked): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const { code = "" } = error as { readonly code?: string }; // of the system
      throw asked.fault(`${file} cannot be read (${code})`);
    },
  );
  try {
    return await readChecked(handle, file, asked);
  } finally {
    await handle.close();
  }
}

async function readChecked(handle: FileHandle, file: string, asked: Asked): Promise<string> {
  const stat = await handle.stat();
  const { mostBytes, isPublic = false, fault } = asked;
  const words = whyNotOwn(stat, { file, isPublic, ...thisProcess(stat) });
  if (words !== undefined) throw fault(words);
  if (stat.size > mostBytes) throw fault(`${file} has more than ${mostBytes / 1024} KiB`);
  return await handle.readFile("utf8");
}

const thisProcess = ({ uid, gid }: Stats) => ({
  user: process.geteuid?.() ?? uid,
  groups: [process.getegid?.() ?? gid, ...(process.getgroups?.() ?? [])],
});

type Reader = {
  readonly file: string;
  readonly isPublic: boolean;
  readonly user: number;
  readonly groups: readonly number[];
};

/**
 * Why such a file is not the agent's own: it is a regular file of its user or of root that nobody else can read or write. A group
 * of the agent's may read one of root: so pods are given theirs, by fsGroup.
 */
export function whyNotOwn(
  stat: Pick<Stats, "isFile" | "mode" | "uid" | "gid">,
  { file, isPublic, user, groups }: Reader,
): string | undefined {
  const { mode, uid, gid } = stat;
  if (!stat.isFile()) return `${file} is no file`;
  const isGiven = uid === 0 && gid !== 0 && groups.includes(gid);
  const others = mode & (isPublic ? 0o022 : isGiven ? 0o037 : 0o077);
  if (others !== 0 && isPublic) return `other users may write ${file}: chmod 644 ${file}`;
  if (others !== 0) return `other users may read or write ${file}: chmod 600 ${file}`;
  if (uid === user || uid === 0) return undefined;
  return `${file} belongs to another user: chown it to the agent's`;
}
