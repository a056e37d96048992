import path from "node:path";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import { renderFiles } from "../../templates/render-files.ts";
import { renderTexts } from "../../templates/render-texts.ts";
import { fetchChart } from "./fetch-chart.ts";
import type { Chart, HelmContext } from "./helm-context.ts";
import type { HelmRun } from "./helm-run.ts";
import { setValues } from "./set-values.ts";
import { valuesWithin } from "./values-within.ts";

/** Fetches the chart and writes the values of the plan to files in memory. Throws JobFailure. */
export async function openChart(context: HelmContext): Promise<Chart> {
  const { job, run } = context;
  const { folder, revision } = await fetchChart(context);
  await renderFiles(job, { key: "chart", folder, names: valuesWithin(folder) }, run.known);
  const files = await writeValues(job, await readValues(job, folder, run));
  return { folder, revision, valuesArgs: files.flatMap((file) => ["-f", file]) };
}

type Values = Pick<HelmRun, "valuesFiles" | "values" | "override"> &
  Partial<Pick<HelmRun, "known">>;

/** One line without a colon is the name of a file in the chart; an empty text is a file without values. */
export const isValuesFileName = (given: string): boolean =>
  given.trim() !== "" && !/[\n:{]/.test(given);

/**
 * The texts of the values of a plan, each overriding those before it. Files of the chart that it names are rendered, its own texts
 * were. Throws JobFailure.
 */
export async function readValues(job: Job, folder: string, given: Values): Promise<string[]> {
  const texts: string[] = [];
  for (const file of given.valuesFiles.filter((one) => one.trim() !== "")) {
    texts.push(isValuesFileName(file) ? await fileOf(folder, file, { job, given }) : file);
  }
  if (given.values.length > 0) texts.push(JSON.stringify(setValues(given.values)));
  return given.override.trim() === "" ? texts : [...texts, given.override];
}

/** Writes texts of values to files in memory; answers these. */
export async function writeValues(
  { directories: { secrets, owner } }: Job,
  texts: readonly string[],
): Promise<string[]> {
  const files = texts.map((_, at) => path.join(secrets, `values-${at + 1}.yaml`));
  for (const [at, text] of texts.entries()) {
    const file = files[at];
    if (file !== undefined) await writeJobFileOnce(file, text, owner);
  }
  return files;
}

const mostValuesBytes = 4 * 2 ** 20;

async function fileOf(
  folder: string,
  name: string,
  { job, given }: { readonly job: Job; readonly given: Values },
): Promise<string> {
  const parent = await folderWithin(folder, path.dirname(name), "The values file");
  const file = path.join(parent, path.basename(name));
  const text = await readJobText(file, job.directories.owner, mostValuesBytes);
  const [rendered] = await renderTexts(job, [{ name, text }], given.known);
  if (text !== "") return rendered?.text ?? "";
  throw deployFailure(`The chart has no values file ${name}.`, "not_found");
}
