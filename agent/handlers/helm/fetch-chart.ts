import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { makeJobFolders, readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { readYaml } from "../../kubernetes/read-yaml.ts";
import { fetchSource } from "../../sources/fetch-source.ts";
import type { HelmContext } from "./helm-context.ts";
import type { RepositoryChart } from "./helm-run.ts";
import { askHelm, type HelmCaller, helmFailure, runHelm } from "./run-helm.ts";

type Fetched = { readonly folder: string; readonly revision: string };

/** Fetches the chart of a job with its dependencies. Throws JobFailure. */
export async function fetchChart(context: HelmContext): Promise<Fetched> {
  const { job, run, env } = context;
  if (run.chart === undefined) {
    throw deployFailure("The plan names no chart.", "config_invalid");
  }
  if ("repository" in run.chart) return await pullChart(context, run.chart);
  const how = { name: "chart", key: "source", step: "fetch", title: "The chart", env };
  const { directory, revision } = await fetchSource(job, run.chart, how);
  const folder = chartWithin(directory);
  // A chart in the plan itself has no revision.
  if (revision !== "" && run.chart.kind !== "archive")
    job.log(`The chart is at ${revision}.`, "info", "fetch", "at");
  await buildDependencies(context, folder);
  return { folder, revision };
}

const isChart = (folder: string): boolean => existsSync(path.join(folder, "Chart.yaml"));

/** The folder of the chart in a source: a packed chart has its files one directory deeper. Throws JobFailure. */
export function chartWithin(directory: string): string {
  if (isChart(directory)) return directory;
  const inner = readdirSync(directory, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => path.join(directory, name))
    .filter(isChart);
  const [only] = inner;
  if (only !== undefined && inner.length === 1) return only;
  throw deployFailure("The chart's source has no Chart.yaml.", "not_found");
}

/** The repository's credentials are in a file in memory, so that they do not appear in the list of processes. */
async function pullChart(context: HelmContext, chart: RepositoryChart): Promise<Fetched> {
  const { job, helm } = context;
  const { secrets, workspace, owner } = job.directories;
  if (chart.password !== "") job.addSecret(chart.password);
  const file = path.join(secrets, "repositories.yaml");
  const { repository: url, username, password } = chart;
  const entry = { name: "plan", url, ...(username && { username, password }) };
  const repositories = { apiVersion: "", repositories: [entry] };
  await writeJobFileOnce(file, JSON.stringify(repositories), owner);
  const into = path.join(workspace, "sources", "pulled");
  await makeJobFolders([into], owner);
  const where = ["--repository-config", file];
  const what = `The chart ${chart.name} of ${url}`;
  await updateRepositories(helm, { key: "repo", where, what });
  const version = chart.version === "" ? [] : ["--version", chart.version];
  const args = ["pull", `plan/${chart.name}`, ...version, "--untar", "--untardir", into, ...where];
  await askHelm(helm, { key: "pull", args }, what);
  return { folder: chartWithin(into), revision: "" };
}

type Update = { readonly key: string; readonly where: readonly string[]; readonly what: string };

/** Helm prints the reason why a repository is unreachable beside its error. */
async function updateRepositories(helm: HelmCaller, { key, where, what }: Update): Promise<void> {
  const answer = await runHelm(helm, { key, args: ["repo", "update", ...where] });
  if (answer.isGood) return;
  const why = /Unable to get an update[^\n]*\n\s*([^\n]+)/.exec(answer.out)?.[1];
  const complaint = why === undefined ? answer.complaint : helm.job.redact(why);
  throw helmFailure({ ...answer, complaint }, what);
}

const mostChartBytes = 2 ** 20;

async function buildDependencies({ job, helm }: HelmContext, folder: string): Promise<void> {
  const text = await readChartText(job, folder);
  if (!/^dependencies:/m.test(text) || existsSync(path.join(folder, "charts"))) return;
  await fetchDependencies(helm, folder, await repositoriesIn(text));
}

/** The text of a chart's Chart.yaml. */
export async function readChartText({ directories }: Job, folder: string): Promise<string> {
  return await readJobText(path.join(folder, "Chart.yaml"), directories.owner, mostChartBytes);
}

/** A chart with a lock file can only be built when helm knows every repository that it names. Throws JobFailure. */
export async function fetchDependencies(
  helm: HelmCaller,
  folder: string,
  repositories: readonly string[],
): Promise<void> {
  const { owner, secrets } = helm.job.directories;
  const what = "The chart's dependencies cannot be fetched";
  const urls = [...new Set(repositories)].filter((url) => /^https?:\/\//.test(url));
  const entries = urls.map((url, at) => ({ name: `needed-${at}`, url }));
  const file = path.join(secrets, "needed-repositories.yaml");
  const known = { apiVersion: "", repositories: entries };
  await writeJobFileOnce(file, JSON.stringify(known), owner);
  const where = ["--repository-config", file];
  if (urls.length > 0) await updateRepositories(helm, { key: "needed", where, what });
  const args = ["dependency", "build", folder, ...where];
  await askHelm(helm, { key: "dependencies", args }, what);
}

const needing = z.looseObject({
  dependencies: z.array(z.looseObject({ repository: z.string().nullish() })).nullish(),
});

/** Where a chart's dependencies are. An unreadable chart has none here: helm itself reports what is wrong with it. */
export async function repositoriesIn(chart: string): Promise<string[]> {
  const documents = await readYaml(chart).catch(() => []);
  const { data } = needing.safeParse(documents[0]?.value);
  return (data?.dependencies ?? []).map(({ repository }) => repository ?? "");
}
