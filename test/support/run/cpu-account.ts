import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
    // Another version's has other rows.
    const places = await Promise.all(
      rows.map((_, at) => withProcesses(path.join(folder, String(at))).catch(() => [])),
    );
    const found = await Promise.all(places.flat().map(pidsIn));
    if (found.flat().length === 0) await removeCgroups(folder).catch(() => {});
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

/**
 * Has a test file's process, and all that it starts, counted under the file's kind, in a cgroup of the process's own: one after the
 * other has it, so that what it grows by is what a file costs. Answers with what tells that, in CPU seconds.
 */
export function countFile(account: CpuAccount, file: string, pid: number): () => number {
  if (account.folder === "") return () => 0;
  const place = path.join(account.folder, String(rows.indexOf(kindOf(file))), String(pid));
  try {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, "cgroup.procs"), String(pid));
    const before = secondsIn(place);
    return () => secondsIn(place) - before;
  } catch {
    return () => 0; // the account has ended
  }
}

function enter({ folder }: CpuAccount, row: string, pid: number): void {
  writeFileSync(path.join(folder, String(rows.indexOf(row)), "cgroup.procs"), String(pid));
}

/** CPU seconds so far, by row. */
export function readCpuAccount({ folder }: CpuAccount): ReadonlyMap<string, number> {
  if (folder === "") return new Map();
  return new Map(rows.map((row, at) => [row, secondsIn(path.join(folder, String(at)))]));
}

/** Removes it; what still runs goes back to where this process was. What cannot be removed just now, the next run removes. */
export async function closeCpuAccount({ folder }: CpuAccount): Promise<void> {
  if (folder !== "") await removeCgroups(folder).catch(() => {});
}

async function removeCgroups(folder: string): Promise<void> {
  for (const row of rows.map((_, at) => path.join(folder, String(at)))) {
    for (const place of await withProcesses(row)) {
      for (const pid of await pidsIn(place)) moveBack(path.dirname(folder), pid);
      await rmdir(place);
    }
  }
  await rmdir(folder);
}

/** The cgroups of a row's files, and then the row's own. */
async function withProcesses(row: string): Promise<string[]> {
  const below = await readdir(row, { withFileTypes: true });
  const files = below.filter((entry) => entry.isDirectory());
  return [...files.map(({ name }) => path.join(row, name)), row];
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

function secondsIn(folder: string): number {
  const older = textOf(path.join(folder, "cpuacct.usage"));
  if (older !== undefined) return Number(older) / 1e9;
  const stat = textOf(path.join(folder, "cpu.stat"));
  return Number(/^usage_usec (\d+)$/m.exec(stat ?? "")?.[1] ?? 0) / 1e6;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
