import type { Bench } from "./support/bench.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { givenLargeJobs } from "./support/given-large-jobs.ts";
import { runAbuse } from "./support/run-abuse.ts";
import { withStage } from "./support/stage.ts";

/** Ten clients that store results of 50 MB and sixty that read a plan of 15 MB, all at once, without a rest. */
export const largeBodies: Bench = {
  what: "10 uploads of 50 MB and 60 downloads of 15 MB at once: another org's latency, the broker's memory",
  run: async ({ seconds }, tell) => {
    await withStage(async (stage) => {
      const neighbour = await givenFleet(stage.db, 1, 100);
      const broker = await stage.startBroker();
      const { reader, uploads, plan } = await givenLargeJobs(stage.db, broker.url);
      const abuses = [
        {
          kind: "results of 50 MB",
          clients: 10,
          method: "POST",
          paths: uploads.map((execution) => `${broker.url}${execution}/result`),
          token: reader.token,
          body: '{"success":true,"contents_compressed":"@50"}',
        },
        {
          kind: "plans of 15 MB",
          clients: 60,
          method: "GET",
          paths: [`${broker.url}${plan}`],
          token: reader.adminToken,
        },
      ];
      await runAbuse({ broker, neighbour, abuses, seconds }, tell);
    });
  },
};
