import path from "node:path";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import { fetchChart } from "./fetch-chart.ts";
import type { Chart, HelmContext } from "./helm-context.ts";
import { setValues } from "./set-values.ts";

/** Fetches the chart and writes the values of the plan to files in memory. Throws JobFailure. */
export async function openChart(context: HelmContext): Promise<Chart> {
  const { job, run } = context;
  const { secrets, owner } = job.directories;
  const { folder, revision } = await fetchChart(context);
  const files: string[] = [];
  const keep = async (text: string): Promise<void> => {
    const file = path.join(secrets, `values-${files.length + 1}.yaml`);
    await writeJobFileOnce(file, text, owner);
    files.push(file);
  };
  for (const given of run.valuesFiles) {
    // One line without a colon is the name of a file in the chart.
    const isName = !/[\n:{]/.test(given);
    await keep(isName ? await fileOf(folder, given, job) : given);
  }
  if (run.values.length > 0) await keep(JSON.stringify(setValues(run.values)));
  if (run.override.trim() !== "") await keep(run.override);
  return { folder, revision, valuesArgs: files.flatMap((file) => ["-f", file]) };
}

const mostValuesBytes = 4 * 2 ** 20;

async function fileOf(folder: string, name: string, job: Job): Promise<string> {
  const parent = await folderWithin(folder, path.dirname(name), "The values file");
  const file = path.join(parent, path.basename(name));
  const text = await readJobText(file, job.directories.owner, mostValuesBytes);
  if (text !== "") return text;
  throw deployFailure(`The chart has no values file ${name}.`, "not_found");
}
