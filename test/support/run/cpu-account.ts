import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import path from "node:path";

/**
 * What the CPU seconds of a run are counted under: the kernel counts each cgroup's processes, those too that outlive who
 * started them. A folder of cgroups, empty where none can be made.
 */
export type CpuAccount = { readonly folder: string };

/** The rows of the account: where tests are, and what all of them share. The first that fits a file is its kind. */
const kinds: readonly (readonly [name: string, files: RegExp])[] = [
  ["unit tests and the runner", /^(?!test\/.+\/)/],
  ["real tools", /^test\/(?:tools|agent\/(?:handlers|cluster-jobs|executor-kubernetes))\//],
  ["models and storms", /^test\/.*(?:model|storm|races|walks|clocks-never-stuck)\.test\.ts$/],
  ["faults and upgrades", /^test\/(?:faults|upgrades)\//],
  ["builds", /^test\/(?:build|deploy)\//],
  ["agent", /^test\/agent\//],
  ["pages", /^test\/broker\/dashboard\//],
  ["command line", /^test\/cli\//],
  ["SQL", /^test\/database\//],
  ["API", /^test\//],
];
const shared = {
  postgres: "Postgres that all share",
  cluster: "the cluster that all share",
} as const;
const prefix = "svc-tests-";
const rows = [...kinds.map(([name]) => name), ...Object.values(shared)];

/** Of which kind a test file is, by its path from the root. */
export function kindOf(file: string): string {
  return kinds.find(([, files]) => files.test(file))?.[0] ?? "";
}

/** Opens an account below the cgroup of this process, and counts this process under the first kind. */
export async function openCpuAccount(): Promise<CpuAccount> {
  for (const place of await ownCgroups()) {
    try {
      await sweep(place);
      const folder = path.join(place, `${prefix}${process.pid}`);
      mkdirSync(folder);
      rows.forEach((_, at) => mkdirSync(path.join(folder, String(at))));
      enter({ folder }, rows[0] ?? "", process.pid);
      return { folder };
    } catch {
      // not ours to make: the next
    }
  }
  return { folder: "" };
}

/** Removes what runs that were killed left behind: a run that goes on has its own process in there. */
async function sweep(place: string): Promise<void> {
  const left = (await readdir(place)).filter((name) => name.startsWith(prefix));
  for (const folder of left.map((name) => path.join(place, name))) {
    const found = await Promise.all(rows.map((_, at) => pidsIn(path.join(folder, String(at)))));
    if (found.flat().length === 0) await removeCgroups(folder).catch(() => {}); // another version's has other rows
  }
}

/** Has a process, and all that it starts from now on, counted under a row; where that is not possible, it is not counted. */
export function countUnder(account: CpuAccount, row: string, pid: number): void {
  if (account.folder === "") return;
  try {
    enter(account, row in shared ? shared[row as keyof typeof shared] : row, pid);
  } catch {
    // the process has ended, or the account
  }
}

function enter({ folder }: CpuAccount, row: string, pid: number): void {
  writeFileSync(path.join(folder, String(rows.indexOf(row)), "cgroup.procs"), String(pid));
}

/** CPU seconds so far, by row. */
export async function readCpuAccount({ folder }: CpuAccount): Promise<ReadonlyMap<string, number>> {
  if (folder === "") return new Map();
  const read = rows.map(
    async (row, at) => [row, await secondsOf(path.join(folder, String(at)))] as const,
  );
  return new Map(await Promise.all(read));
}

/** Removes it; what still runs goes back to where this process was. What cannot be removed just now, the next run removes. */
export async function closeCpuAccount({ folder }: CpuAccount): Promise<void> {
  if (folder !== "") await removeCgroups(folder).catch(() => {});
}

async function removeCgroups(folder: string): Promise<void> {
  for (const row of rows.map((_, at) => path.join(folder, String(at)))) {
    for (const pid of await pidsIn(row)) moveBack(path.dirname(folder), pid);
    await rmdir(row);
  }
  await rmdir(folder);
}

async function pidsIn(cgroup: string): Promise<string[]> {
  const text = await readFile(path.join(cgroup, "cgroup.procs"), "utf8").catch(() => "");
  return text.split("\n").filter((pid) => pid !== "");
}

function moveBack(above: string, pid: string): void {
  try {
    writeFileSync(path.join(above, "cgroup.procs"), pid);
  } catch {
    // it has ended
  }
}

/** Where cgroups that count CPU are mounted, with this process's place there: the older kind first, where there is one. */
async function ownCgroups(): Promise<string[]> {
  try {
    const [mounts, own] = await Promise.all([
      readFile("/proc/self/mountinfo", "utf8"),
      readFile("/proc/self/cgroup", "utf8"),
    ]);
    const placeOf = (controller: RegExp): string =>
      own
        .split("\n")
        .map((line) => line.split(":"))
        .find(([, names = ""]) => controller.test(names))?.[2] ?? "/";
    return mounts
      .split("\n")
      .map((line) => line.split(" "))
      .flatMap((words) => {
        const [at = "", type] = [words[4], words[words.indexOf("-") + 1]];
        if (type === "cgroup" && /(?:^|,)cpuacct(?:,|$)/.test(words.at(-1) ?? ""))
          return [path.join(at, placeOf(/(?:^|,)cpuacct(?:,|$)/))];
        return type === "cgroup2" ? [path.join(at, placeOf(/^$/))] : [];
      });
  } catch {
    return []; // no Linux
  }
}

async function secondsOf(folder: string): Promise<number> {
  const older = await readFile(path.join(folder, "cpuacct.usage"), "utf8").catch(() => undefined);
  if (older !== undefined) return Number(older) / 1e9;
  const stat = await readFile(path.join(folder, "cpu.stat"), "utf8");
  return Number(/^usage_usec (\d+)$/m.exec(stat)?.[1] ?? 0) / 1e6;
}
