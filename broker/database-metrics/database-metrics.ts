import { connect, type Db } from "../database/connect.ts";
import type { Metrics } from "../metrics.ts";
import { registerGauges } from "./register-gauges.ts";
import { type FiguresTaken, takeFigures } from "./take-figures.ts";

export type DatabaseMetrics = {
  /** Takes new figures; a scrape shows the last ones. Rejects when the database fails. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type FiguresParts = {
  readonly metrics: Metrics;
  readonly url: string;
  readonly pool: Db;
  /** The application name of the pool's connections. */
  readonly poolName: string;
};

const statementTimeoutMs = 2_000;

/** Registers the figures; nothing is connected before the first refresh. */
export function makeDatabaseMetrics({
  metrics,
  url,
  pool,
  poolName,
}: FiguresParts): DatabaseMetrics {
  // A connection of its own: the metrics must work when the pool has no free connection.
  const db = connect(url, { max: 1, applicationName: "svc figures", statementTimeoutMs });
  let taken: FiguresTaken | undefined;
  registerGauges(metrics, () => taken);
  return {
    refresh: async () => {
      taken = await takeFigures(db, pool, poolName);
    },
    stop: () => db.end({ timeout: 1 }),
  };
}
