import { expect } from "vitest";
import { until } from "../broker/given-polling.ts";
import { startSvc, svc } from "./svc.ts";

const begin = ["app sync", "install create", "webhook listen"];
/** Where there is terraform the app has a component. */
const deploy = ["workflow approve", "install outputs"];
const run = ["action run", "workflow approve"];

/** Takes the tour that svc dev offers, each command as it is printed; answers what the one that listens has heard by the run's end. */
export async function takeTour(
  lines: readonly string[],
  dataDir: string,
  hasTerraform: boolean,
): Promise<() => string> {
  const tour = [...begin, ...(hasTerraform ? deploy : []), ...run];
  expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(tour);
  const env = { SVC_DATA_DIR: dataDir };
  let heard = (): string => "";
  for (const line of lines) {
    if (line.endsWith(" &")) heard = await listen(line.slice(0, -2), dataDir);
    else {
      const { code, err } = await svc(line.split(" "), { env, input: "yes\n" });
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${err}`);
    }
  }
  const end =
    /workflow action_workflow_run succeeded {2}wfl_\w+ {2}→ 204 in \d+ ms, signature good/;
  await until(async () => Promise.resolve(end.test(heard())));
  return heard;
}

/** What ends with & stays until the test is over. */
async function listen(line: string, dataDir: string): Promise<() => string> {
  const listening = startSvc(line.split(" "), { env: { SVC_DATA_DIR: dataDir } });
  await until(async () => Promise.resolve(listening.said.err.includes("Ctrl-C ends it")));
  return () => listening.said.out;
}
