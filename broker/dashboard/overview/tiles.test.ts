import { expect, test } from "vitest";
import type { ProblemKind, StatsOverview } from "../../../shared/api/stats-overview.ts";
import { problemList } from "./tiles.ts";

const items = (count: number): StatsOverview["problems"][number]["items"] =>
  Array.from({ length: count }, (_, at) => {
    return { id: `id_${at}`, name: `name ${at}`, since: null, waiting: null };
  });

test("many failures leave room for what else needs a look, and lead to the list of all", async () => {
  const overview = {
    as_of: "2027-01-01T00:00:00.000Z",
    problems: [
      { kind: "jobs-failed", count: 49, items: items(10) },
      { kind: "workflow-waiting", count: 1, items: items(1) },
    ],
  } as unknown as StatsOverview; // the tiles' figures are not shown here
  const page = String(await problemList(overview, Date.now()));
  expect(page.match(/href="\/jobs\/id_\d+"/g)).toHaveLength(4);
  expect(page.replaceAll(/\s+/g, " ")).toContain(
    '<a href="/jobs?status=unsuccessful">one of 49 jobs that failed in the last hour</a>',
  );
  expect(page).toContain('href="/workflows/id_0"');
});

test("what waits is told as far as it was counted, and not of webhooks", async () => {
  const one = (kind: ProblemKind, waiting: number) => {
    return { kind, count: 1, items: items(1).map((item) => ({ ...item, waiting })) };
  };
  const shown = async (kind: ProblemKind, waiting: number) => {
    const overview = { as_of: null, problems: [one(kind, waiting)] } as unknown as StatsOverview; // the same
    const page = String(await problemList(overview, Date.now()));
    return /<td[^>]*>([^<]*)<\/td>\s*<\/tr>/.exec(page)?.[1]?.trim();
  };
  expect(await shown("signals-dead", 99)).toBe("99");
  expect(await shown("signals-dead", 100)).toBe("100+");
  expect(await shown("queue-paused", 100)).toBe("100");
  expect(await shown("webhook-failing", 3)).toBe("");
  expect(await shown("webhook-disabled", 3)).toBe("");
});
