import { z } from "zod";
import { readYaml } from "../../kubernetes/read-yaml.ts";
import { chartWithin, readChartText } from "../helm/fetch-chart.ts";
import { readValues, writeValues } from "../helm/open-chart.ts";
import { helmFailure, type HelmCaller, runHelm } from "../helm/run-helm.ts";
import { valuesWithin } from "../helm/values-within.ts";
import { asBuildFailure, buildFailure } from "./build-failure.ts";
import type { BuildContext, Proved } from "./builder.ts";
import { isMissing } from "./pack-chart.ts";
import { putAside } from "./put-aside.ts";
import { placehold } from "./template-placeholders.ts";

/**
 * Renders the unpacked chart with the plan's values. What only a deploy can render has a word in its place; a template of
 * the chart that does not like such a word is told, and no reason against the artifact.
 */
export async function proveChart(
  { job, run }: BuildContext,
  helm: HelmCaller,
  unpacked: string,
): Promise<Proved> {
  const folder = chartWithin(unpacked);
  const given = run.plan.helm_build_plan ?? {};
  const own = { key: "proved-chart", folder, names: valuesWithin(folder) };
  const aside = await putAside(job, own, run.brands);
  const texts = await readValues(job, folder, {
    valuesFiles: given.values_files ?? [],
    values: (given.values ?? []).map(({ name, value, type }) => ({
      name: name ?? "",
      value: value ?? "",
      isText: type === "string",
    })),
    override: "",
  });
  const read = texts.map((text) => placehold(text, run.brands));
  const usable = read.filter(({ hasBlocks }) => !hasBlocks).map(({ text }) => text);
  const hasTemplates = aside.length > 0 || read.some((one) => one.hasTemplates);
  const files = await writeValues(job, usable);
  const args = ["template", "proof", folder, ...files.flatMap((file) => ["-f", file])];
  const answer = await runHelm(helm, { key: "template", args });
  const doing = "The packed chart cannot be rendered";
  if (!answer.isGood && isMissing(answer.complaint)) {
    const words = `${doing}: ${answer.complaint}.`;
    throw buildFailure(words, "dependency_missing", "Chart.yaml");
  }
  const isTheirs = hasTemplates && !/parse error|YAML parse/i.test(answer.complaint);
  if (!answer.isGood && !(isTheirs && answer.end.why === "exited")) {
    throw asBuildFailure(helmFailure(answer, doing));
  }
  if (!answer.isGood) {
    const words = `With words in place of the templates in its values, the chart says: ${answer.complaint}`;
    job.log(words, "warn", "prove", "theirs");
  }
  return await provedOf(await readChartText(job, folder));
}

const metadata = z.looseObject({ name: z.string(), version: z.string() });

async function provedOf(chart: string): Promise<Proved> {
  const [document] = await readYaml(chart);
  const told = metadata.parse(document?.value); // helm has read it
  const { name, version } = told;
  const config = "application/vnd.cncf.helm.config.v1+json";
  return {
    artifactType: config,
    config: { mediaType: config, text: JSON.stringify(told) },
    layer: {
      mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
      title: undefined,
    },
    annotations: {
      "org.opencontainers.image.title": name,
      "org.opencontainers.image.version": version,
    },
    outputs: { chart: name, chart_version: version },
  };
}
