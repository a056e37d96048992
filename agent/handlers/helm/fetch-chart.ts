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

/** Fetches the chart of a job, from wherever it is, with what it depends on. Throws JobFailure. */
export async function fetchChart(context: HelmContext): Promise<Fetched> {
  const { job, run, env } = context;
  if (run.chart === undefined) {
    throw deployFailure("The plan names no chart.", "config_invalid");
  }
  if ("repository" in run.chart) return await pullChart(context, run.chart);
  const how = { name: "chart", key: "source", step: "fetch", title: "The chart", env };
  const { directory, revision } = await fetchSource(job, run.chart, how);
  const folder = chartWithin(directory);
  // What came with the plan is nowhere.
  if (revision !== "" && run.chart.kind !== "archive")
    job.log(`The chart is at ${revision}.`, "info", "fetch", "at");
  await buildDependencies(context, folder);
  return { folder, revision };
}

const isChart = (folder: string): boolean => existsSync(path.join(folder, "Chart.yaml"));

/** A packed chart is one folder deeper. */
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

/** The repository's credentials go to a file in memory: nobody reads them in a list of processes. */
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

/** Why a repository cannot be had, helm says beside its error. */
async function updateRepositories(helm: HelmCaller, { key, where, what }: Update): Promise<void> {
  const answer = await runHelm(helm, { key, args: ["repo", "update", ...where] });
  if (answer.isGood) return;
  const why = /Unable to get an update[^\n]*\n\s*([^\n]+)/.exec(answer.out)?.[1];
  const complaint = why === undefined ? answer.complaint : helm.job.redact(why);
  throw helmFailure({ ...answer, complaint }, what);
}

const mostChartBytes = 2 ** 20;

/** What has a lock is only built where helm knows each repository that the chart names. */
async function buildDependencies({ job, helm }: HelmContext, folder: string): Promise<void> {
  const { owner, secrets } = job.directories;
  const text = await readJobText(path.join(folder, "Chart.yaml"), owner, mostChartBytes);
  if (!/^dependencies:/m.test(text) || existsSync(path.join(folder, "charts"))) return;
  const what = "What the chart depends on cannot be had";
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

/** Of a chart that cannot be read helm says itself what is wrong. */
async function repositoriesIn(chart: string): Promise<string[]> {
  const documents = await readYaml(chart).catch(() => []);
  const { data } = needing.safeParse(documents[0]?.value);
  const named = (data?.dependencies ?? []).map(({ repository }) => repository ?? "");
  return named.filter((url) => /^https?:\/\//.test(url));
}
