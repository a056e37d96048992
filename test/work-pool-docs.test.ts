import { expect, test } from "vitest";
import type { MostWork } from "../broker/work-pool/admission.ts";
import { pools, shareBytes } from "../broker/work-pool/open-work-pools.ts";
import { workSettings } from "../broker/work-pool/work-settings.ts";
import { readRootFile } from "./support/run/source-files.ts";

const page = await readRootFile("docs/operations.md");

/** The cells of a table between two comments, without its head. */
function tableOf(name: string): string[][] {
  const [, table = ""] = new RegExp(`<!-- ${name} -->\n([^]*?)<!-- /${name} -->`).exec(page) ?? [];
  const rows = table.trim().split("\n").slice(2);
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

const rows = Object.entries(pools);
const childrenOf = (workProcesses: number): number[] =>
  rows.map(([, { most }]) => most(workProcesses));
const mib = (count: number): string => `${count.toLocaleString("en-US")} MiB`;

const atOnce = (most: MostWork, { status }: { readonly status: number }): string => {
  const bounds = [
    [most.ofKind, "of a kind of an org"],
    [most.ofOrg, "of an org"],
    [most.ofAll, "of all"],
  ].flatMap(([bound, of]) => (bound === undefined ? [] : [`${bound} ${of}`]));
  if (bounds.length === 0) return "as many as have memory (SVC_BODIES_MIB)";
  return `${bounds.join(", ")}; more get ${status}`;
};

test("operations.md has every pool of child processes with its bounds", () => {
  const told = rows.map(([name, pool]) => [
    name,
    [1, 2, 8].map(pool.most).join(", "),
    pool.isNice ? "`SVC_WORK_NICE`" : "as the broker",
    `${pool.cpuMs / 1000} s of CPU, ${pool.wallMs / 1000} s in all, ${mib(pool.rssMb)}`,
    atOnce(pool.mostWork, pool.refusals.tooMany()),
    `${pool.patienceMs / 1000} s, then ${pool.refusals.keptWaiting().status}`,
  ]);
  expect(tableOf("work-pools").map((cells) => cells.toSpliced(1, 1))).toEqual(told);
});

test("operations.md says how much memory a broker needs with its children", () => {
  const [, alone = "", full = ""] = /needs (\d+) MiB; (\d+) MiB hold all/.exec(page) ?? [];
  const [, usual = ""] = /The children need (\d+) MiB each/.exec(page) ?? [];
  const share = shareBytes / 1024 ** 2;
  expect(share).toBe(32);
  const gib = (count: number): string => `${(count / 1024).toFixed(1)} GiB`;
  const told = [1, 2, 3, 7].map((workProcesses) => {
    const children = childrenOf(workProcesses).reduce((sum, one) => sum + one);
    const greatest = rows.reduce(
      (sum, [, { most, rssMb }]) => sum + most(workProcesses) * rssMb,
      0,
    );
    const more = share * (workProcesses - 1);
    return [
      `${workProcesses}`,
      `${children}`,
      gib(Number(alone) + more + children * Number(usual)),
      mib(greatest),
      gib(Number(full) + more + greatest),
    ];
  });
  const shown = tableOf("work-memory");
  expect(shown.map((cells) => cells.toSpliced(1, 1))).toEqual(told);
  const [[, , , forUsual, , forGreatest] = []] = shown;
  expect(page).toContain(`need ${forUsual} on two cores, and ${forGreatest} for the greatest`);
});

test("the setting of the number of child processes says how much each may have", () => {
  const { doc } = workSettings.SVC_WORK_PROCESSES;
  expect(doc.match(/[\d,]+ MiB/g)).toEqual(rows.map(([, { rssMb }]) => mib(rssMb)));
});
