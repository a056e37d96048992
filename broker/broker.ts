import type { DatabaseClock } from "./clocks/database-clock.ts";
import type { Config } from "./config.ts";
import type { DatabaseMetrics } from "./database-metrics/database-metrics.ts";
import type { Db } from "./database/connect.ts";
import type { Limiter } from "./database/limiter.ts";
import type { ConfirmExecution } from "./executions/confirm-execution.ts";
import type { ReportExecution } from "./executions/report-executions.ts";
import type { Health } from "./health.ts";
import type { BodyReader } from "./http/body/body-reader.ts";
import type { HttpMetrics } from "./http/http-metrics.ts";
import type { ByteBudget } from "./http/limits/byte-budget.ts";
import type { DecompressionBudget } from "./http/limits/decompression-budget.ts";
import type { LimitGuesses } from "./http/limits/limit-guesses.ts";
import type { RateLimiter } from "./http/limits/rate-limit.ts";
import type { EnqueueSingle } from "./jobs/enqueue-jobs.ts";
import type { EventFeed } from "./jobs/event-feed.ts";
import type { Limits } from "./limits/limits.ts";
import type { Permits } from "./limits/permits.ts";
import type { Log } from "./log.ts";
import type { LogIntake } from "./logs/intake/log-intake.ts";
import type { LogFeed } from "./logs/tail/log-feed.ts";
import type { Metrics } from "./metrics.ts";
import type { Polls } from "./polls/polls.ts";
import type { Beats } from "./processes/beat-processes.ts";
import type { Seals } from "./seals/seals.ts";
import type { Collector } from "./telemetry/collector.ts";
import type { Authenticator } from "./tokens/authenticator.ts";
import type { Wakes } from "./wake/wakes.ts";

/** The parts of one running broker, handed to every route and loop. */
export type Broker = {
  readonly config: Config;
  readonly db: Db;
  /** Connections that are kept for what is hot. */
  readonly hotDb: Db;
  /** The database's time, without asking it. */
  readonly clock: DatabaseClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly httpMetrics: HttpMetrics;
  readonly health: Health;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  /** What one owner may have at once. */
  readonly limits: Limits;
  /** Who may use the database now. */
  readonly permits: Permits;
  /** Idempotency keys of requests that are under way here: what each is for. */
  readonly pendingIdempotencyKeys: Map<string, string>;
  readonly limitGuesses: LimitGuesses;
  readonly wakes: Wakes;
  /** The hot ways in: calls that arrive together share a statement. */
  readonly enqueueSingle: EnqueueSingle;
  readonly report: ReportExecution;
  /** Where polls are parked. */
  readonly polls: Polls;
  /** Takes beats and signs of life; those that come together are written together. */
  readonly beats: Beats;
  /** Job events for who is parked here. */
  readonly events: EventFeed;
  /** Reads large bodies in a thread of its own. */
  readonly bodies: BodyReader;
  /** Room for large bodies while they are taken, and for large answers while they are sent. */
  readonly uploads: ByteBudget;
  readonly downloads: ByteBudget;
  /** For statements that bring much, and for those that fetch much: neither waits for the other. */
  readonly largeWrites: Limiter;
  readonly largeReads: Limiter;
  /** Room for compressed bodies while they are read. */
  readonly decompressions: DecompressionBudget;
  /** The way into log streams. */
  readonly logs: LogIntake;
  /** Log streams for who follows them here. */
  readonly logFeed: LogFeed;
  /** What /metrics shows of the database. */
  readonly databaseMetrics: DatabaseMetrics;
  /** Where the runners' traces and metrics are passed on to. */
  readonly collector: Collector;
  /** Takes a runner's request as the sign that it received an execution. */
  readonly confirm: ConfirmExecution;
  /** Seals and opens what must not be readable in the database. */
  readonly seals: Seals;
  /** What a stop ends before the server: loops, parked polls, streams. Run from the last to the first. */
  readonly drain: (() => Promise<void>)[];
};
