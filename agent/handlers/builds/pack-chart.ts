import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { isWithin } from "../../artifacts/place-modules.ts";
import { invalidPlan, JobFailure } from "../../jobs/job-failure.ts";
import { fetchDependencies, readChartText, repositoriesIn } from "../helm/fetch-chart.ts";
import { askHelm, type HelmCaller, helmFailure, runHelm } from "../helm/run-helm.ts";
import { asBuildFailure, buildClassOf, buildFailure } from "./build-failure.ts";

type Chart = {
  readonly folder: string;
  /** The whole source: what the chart depends on may be anywhere in it. */
  readonly root: string;
  readonly into: string;
};

/** Has helm pack a chart, with what it depends on: what is not in its `charts/` is fetched, by its lock file if it has one. */
export async function packChart(helm: HelmCaller, chart: Chart): Promise<void> {
  const { folder, root, into } = chart;
  const text = await readChartText(helm.job, folder);
  const repositories = await repositoriesIn(text);
  const given = { folder, root: realpathSync(root), text };
  for (const url of repositories) refuseOutside(url, given);
  const args = ["package", folder, "--destination", into];
  const first = await runHelm(helm, { key: "package", args });
  if (first.isGood) return;
  if (!isMissing(first.complaint)) throw helmFailure(first, "The chart cannot be packed");
  try {
    await fetchDependencies(helm, folder, repositories);
  } catch (error) {
    throw missingFailure(error);
  }
  await askHelm(helm, { key: "package-2", args }, "The chart cannot be packed");
}

export const isMissing = (complaint: string): boolean =>
  /missing in charts\/|dependencies.*(?:missing|not found)/i.test(complaint);

type Where = { readonly folder: string; readonly root: string; readonly text: string };

function refuseOutside(url: string, { folder, root, text }: Where): void {
  const place = url.startsWith("file://") ? url.slice("file://".length) : undefined;
  if (place === undefined) return;
  const at = path.resolve(folder, place);
  if (isWithin(root, existsSync(at) ? realpathSync(at) : at)) return;
  const line = text.split("\n").findIndex((one) => one.includes(url)) + 1;
  const named = `Chart.yaml:${line}`;
  const words = `${named}: the dependency at ${url} is outside of the source.`;
  throw buildFailure(words, "outside", named);
}

/** A dependency that a repository does not have is a class of its own. */
function missingFailure(error: unknown): unknown {
  const failure = asBuildFailure(error);
  if (!(failure instanceof JobFailure) || failure.reason !== "build_failed") return failure;
  const of = buildClassOf(failure.metadata["class"]);
  const isThere = of === "auth" || of === "network" || of === "canceled";
  return isThere ? failure : buildFailure(failure.message, "dependency_missing", "Chart.yaml");
}

type Named = { readonly chart: string; readonly repository: string; readonly version: string };

/** Has helm download a chart of a repository, over HTTP or of a registry (`oci://`); answers its version. */
export async function pullChart(helm: HelmCaller, named: Named, into: string): Promise<string> {
  const { chart, repository, version } = named;
  for (const [member, value] of Object.entries({ chart, repoURL: repository, version })) {
    if (/^-|[\s\p{Cc}]/u.test(value)) {
      const words = `helm_build_plan.helmRepoConfig.${member} must not begin with - or contain spaces`;
      throw invalidPlan(words);
    }
  }
  const isRegistry = repository.startsWith("oci://");
  if (!isRegistry && !/^https?:\/\//.test(repository)) {
    throw invalidPlan("helm_build_plan.helmRepoConfig.repoURL is not an http, https or oci URL");
  }
  if (/^\w+:\/\/[^/]*@/.test(repository)) {
    throw invalidPlan("helm_build_plan.helmRepoConfig.repoURL must not contain a user or password");
  }
  const base = repository.replace(/\/+$/, "");
  const where = isRegistry ? [`${base}/${chart}`] : [chart, "--repo", base];
  const isPlain = /^oci:\/\/(?:localhost|127\.[0-9.]+|\[::1\])(?::\d+)?\//.test(repository);
  const args = [
    "pull",
    ...where,
    ...(version === "" ? [] : ["--version", version]),
    ...(isRegistry && isPlain ? ["--plain-http"] : []),
    "--destination",
    into,
  ];
  await askHelm(helm, { key: "pull", args }, `The chart ${chart} of ${base}`);
  return version;
}
