import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { makeJobFolders, readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
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

/** A packed chart has its files one directory deeper. */
function chartWithin(directory: string): string {
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

/** A chart with a lock file can only be built when helm knows every repository that it names. */
async function buildDependencies({ job, helm }: HelmContext, folder: string): Promise<void> {
  const { owner, secrets } = job.directories;
  const text = await readJobText(path.join(folder, "Chart.yaml"), owner, mostChartBytes);
  if (!/^dependencies:/m.test(text) || existsSync(path.join(folder, "charts"))) return;
  const what = "The chart's dependencies cannot be fetched";
  const urls = [...new Set(await repositoriesIn(text))];
  const entries = urls.map((url, at) => ({ name: `needed-${at}`, url }));
  const file = path.join(secrets, "needed-repositories.yaml");
  const repositories = { apiVersion: "", repositories: entries };
  await writeJobFileOnce(file, JSON.stringify(repositories), owner);
  const where = ["--repository-config", file];
  if (urls.length > 0) await updateRepositories(helm, { key: "needed", where, what });
  const args = ["dependency", "build", folder, ...where];
  await askHelm(helm, { key: "dependencies", args }, what);
}

const needing = z.looseObject({
  dependencies: z.array(z.looseObject({ repository: z.string().nullish() })).nullish(),
});

/** An unreadable chart has none here: helm itself reports what is wrong with it. */
async function repositoriesIn(chart: string): Promise<string[]> {
  const documents = await readYaml(chart).catch(() => []);
  const { data } = needing.safeParse(documents[0]?.value);
  const named = (data?.dependencies ?? []).map(({ repository }) => repository ?? "");
  return named.filter((url) => /^https?:\/\//.test(url));
}
