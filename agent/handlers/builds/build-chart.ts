import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { PackPart } from "../../artifacts/pack-request.ts";
import { makeJobFolders } from "../../job-users/job-files.ts";
import { readYaml } from "../../kubernetes/read-yaml.ts";
import type { SourceHere } from "../../sources/fetch-source.ts";
import { chartWithin, readChartText } from "../helm/fetch-chart.ts";
import { isValuesFileName } from "../helm/open-chart.ts";
import type { HelmCaller } from "../helm/run-helm.ts";
import { valuesWithin } from "../helm/values-within.ts";
import { asBuildFailure, buildFailure } from "./build-failure.ts";
import type { BuildContext, Builder, Prepared } from "./builder.ts";
import { packArtifact } from "./pack-artifact.ts";
import { packChart, pullChart } from "./pack-chart.ts";
import { proveChart } from "./prove-chart.ts";
import { putAside } from "./put-aside.ts";

/** A chart of a folder or of a repository of charts, with what it depends on, packed as helm packs it. */
export const buildChart: Builder = async (context) => {
  try {
    const helm = await openHelm(context);
    return await (context.source === undefined
      ? pulled(context, helm)
      : packaged(context, helm, context.source));
  } catch (error) {
    throw asBuildFailure(error);
  }
};

const part = { to: "", leaveOut: [], followsLinks: false };
const chartPlaces = ({ directories }: BuildContext["job"]) => {
  const built = path.join(directories.workspace, "built");
  return { packed: path.join(built, "packed"), chart: path.join(built, "chart") };
};

async function openHelm({ job, env }: BuildContext): Promise<HelmCaller> {
  const { workspace, owner } = job.directories;
  const names = ["helm-cache", "helm-config", "helm-data"];
  const [cache = "", config = "", own = ""] = names.map((name) => path.join(workspace, name));
  const { packed } = chartPlaces(job);
  await makeJobFolders([cache, config, own, packed], owner);
  const homes = { HELM_CACHE_HOME: cache, HELM_CONFIG_HOME: config, HELM_DATA_HOME: own };
  // What is built asks no cluster.
  return { job, env: { ...env, ...homes, KUBECONFIG: path.join(workspace, "no-kubeconfig") } };
}

async function packaged(
  context: BuildContext,
  helm: HelmCaller,
  source: SourceHere,
): Promise<Prepared> {
  const { job, run } = context;
  const folder = chartWithin(source.directory);
  const looked = await packArtifact(job, "look", {
    within: source.folder,
    parts: [{ ...part, from: folder, isSource: true }],
    texts: [],
    files: [],
    templates: [],
    planTexts: [],
    brands: [],
  });
  const name = await nameOf(context, folder);
  const lock = path.join(folder, "Chart.lock");
  const hadLock = await job.once("chart/lock", async () => await Promise.resolve(existsSync(lock)));
  // Helm reads the values of what it packs.
  const values = { key: "chart", folder, names: valuesWithin(folder) };
  const aside = await putAside(job, values, run.brands);
  await packChart(helm, { folder, root: source.folder, into: chartPlaces(job).packed });
  const named = namedFiles(run.plan.helm_build_plan?.values_files);
  const files = named.map((file) => ({
    from: insideOf(folder, file),
    to: `${name}/${path.posix.normalize(file)}`,
    isSource: false,
  }));
  const chart: PackPart = {
    ...part,
    from: chartPlaces(job).chart,
    isSource: false,
    // A lock that was made just now says when that was.
    leaveOut: [
      ...(hadLock ? [] : [`${name}/Chart.lock`]),
      ...aside.map((one) => `${name}/${one.name}`),
    ],
  };
  for (const one of aside)
    files.unshift({ from: one.kept, to: `${name}/${one.name}`, isSource: false });
  return { ...preparedOf(context, helm, { chart, files }), sourceChecksum: looked.sourceChecksum };
}

async function pulled(context: BuildContext, helm: HelmCaller): Promise<Prepared> {
  const { job, run } = context;
  const { chart = "", repoURL = "", version = "" } = run.plan.helm_build_plan?.helmRepoConfig ?? {};
  const named = { chart: chart ?? "", repository: repoURL ?? "", version: version ?? "" };
  const revision = await pullChart(helm, named, chartPlaces(job).packed);
  const from: PackPart = { ...part, from: chartPlaces(job).chart, isSource: true };
  return { ...preparedOf(context, helm, { chart: from, files: [] }), revision };
}

type Contents = {
  readonly chart: PackPart;
  readonly files: Prepared["pack"]["files"];
};

function preparedOf(context: BuildContext, helm: HelmCaller, contents: Contents): Prepared {
  const { job, run } = context;
  const { packed, chart } = chartPlaces(job);
  const archive = readdirSync(packed).find((file) => file.endsWith(".tgz"));
  if (archive === undefined) throw buildFailure("helm has packed no chart.", "not_found");
  const given = run.plan.helm_build_plan;
  const named = namedFiles(given?.values_files);
  const values = (given?.values ?? []).map(({ value }) => value ?? "");
  const inPlan = (given?.values_files ?? []).filter((file) => !isValuesFileName(file));
  return {
    pack: {
      unpack: { archive: path.join(packed, archive), into: chart },
      parts: [contents.chart],
      texts: [],
      files: [...contents.files],
      templates: ["*/values.yaml", ...named.map((file) => `*/${path.posix.normalize(file)}`)],
      planTexts: [...inPlan, ...values],
    },
    members: { helmRepoConfig: given?.helmRepoConfig ?? null, values_files: named },
    isMade: true,
    prove: async (unpacked) => await proveChart(context, helm, unpacked),
  };
}

const namedFiles = (files: readonly string[] | null | undefined): string[] =>
  (files ?? []).filter(isValuesFileName);

/** The deploy looks for a values file in the chart. */
function insideOf(folder: string, file: string): string {
  const place = path.resolve(folder, file);
  if (!place.startsWith(`${folder}${path.sep}`)) {
    const words = `The values file ${file} is outside of the chart's directory: move it there.`;
    throw buildFailure(words, "outside", file);
  }
  if (existsSync(place)) return place;
  throw buildFailure(`The chart has no values file ${file}.`, "not_found", file);
}

const metadata = z.looseObject({ name: z.string().regex(/^[\w.-]+$/) });

async function nameOf({ job }: BuildContext, folder: string): Promise<string> {
  const documents = await readYaml(await readChartText(job, folder)).catch(() => []);
  const { data } = metadata.safeParse(documents[0]?.value);
  if (data !== undefined) return data.name;
  throw buildFailure(
    "Chart.yaml has no valid name, or is not YAML.",
    "config_invalid",
    "Chart.yaml",
  );
}
