import type { Audit } from "./audit/audit.ts";
import type { DatabaseClock } from "./clocks/database-clock.ts";
import type { Config } from "./config.ts";
import type { DatabaseMetrics } from "./database-metrics/database-metrics.ts";
import type { Db } from "./database/connect.ts";
import type { Limiter } from "./database/limiter.ts";
import type { Egress } from "./egress/egress.ts";
import type { WorkflowEventFeed } from "./events/workflow-event-feed.ts";
import type { ConfirmExecution } from "./executions/confirm-execution.ts";
import type { ReportExecution } from "./executions/report-executions.ts";
import type { Health } from "./health.ts";
import type { BodyReader } from "./http/body/body-reader.ts";
import type { HttpMetrics } from "./http/http-metrics.ts";
import type { ByteBudget } from "./http/limits/byte-budget.ts";
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
import type { OpaOfBroker } from "./policies/opa-of-broker.ts";
import type { Polls } from "./polls/polls.ts";
import type { Beats } from "./processes/beat-processes.ts";
import type { PublicUrl } from "./public-url.ts";
import type { Renderer } from "./rendering/renderer.ts";
import type { Seals } from "./seals/seals.ts";
import type { EnqueueSignal } from "./signals/enqueue-signals.ts";
import type { ReportSignal } from "./signals/report-signal.ts";
import type { SignalClaims } from "./signals/signal-claims.ts";
import type { Collector } from "./telemetry/collector.ts";
import type { Authenticator } from "./tokens/authenticator.ts";
import type { Wakes } from "./wake/wakes.ts";
import type { WorkKinds } from "./work-pool/work-kinds.ts";
import type { WorkPool } from "./work-pool/work-pool.ts";

/** The parts of one running broker. Routes get all of it; commands and queries get the parts that they use. */
export type Broker = {
  readonly config: Config;
  readonly db: Db;
  /** Connections reserved for the hot path. */
  readonly hotDb: Db;
  /** The database's time, without asking it. */
  readonly clock: DatabaseClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly httpMetrics: HttpMetrics;
  readonly health: Health;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  /** Writes the audit log. */
  readonly audit: Audit;
  /** What one owner (address, token, runner, org) may have at once. */
  readonly limits: Limits;
  /** Permits to use the database. */
  readonly permits: Permits;
  /** The idempotency keys of requests in progress at this broker. */
  readonly pendingIdempotencyKeys: Map<string, string>;
  readonly limitGuesses: LimitGuesses;
  readonly wakes: Wakes;
  /** The hot path: calls that arrive together share a statement. */
  readonly enqueueSingle: EnqueueSingle;
  readonly enqueueSignal: EnqueueSignal;
  readonly report: ReportExecution;
  /** Where polls are parked. */
  readonly polls: Polls;
  /** Where claims of signals are parked. */
  readonly signalClaims: SignalClaims;
  readonly reportSignal: ReportSignal;
  /** Takes heartbeats and other signs of life; those that arrive together share a statement. */
  readonly beats: Beats;
  /** Job events for the followers at this broker. */
  readonly events: EventFeed;
  /** Events of workflows for the followers at this broker. */
  readonly workflowEvents: WorkflowEventFeed;
  /** Reads large bodies, in child processes of their own. */
  readonly bodies: BodyReader;
  /** Does in child processes what may take long or much memory. */
  readonly work: WorkPool<WorkKinds>;
  /** Reads large states, in a child process of their own. */
  readonly states: WorkPool<WorkKinds>;
  /** Ends all child processes, and what they do. */
  readonly endWork: () => Promise<void>;
  /** Renders templates: here what takes a few milliseconds, else in a child process. */
  readonly render: Renderer;
  /** Memory budgets for large bodies while they are received and read, for configs while they are received and checked, and for large answers while they are sent. */
  readonly uploads: ByteBudget;
  readonly configUploads: ByteBudget;
  readonly downloads: ByteBudget;
  /** Limiters for statements with large values: writes and reads do not wait for each other. */
  readonly largeWrites: Limiter;
  readonly largeReads: Limiter;
  /** The memory budget for compressed bodies while they are read. */
  readonly decompressions: ByteBudget;
  /** Takes logs. */
  readonly logs: LogIntake;
  /** Log streams for the followers at this broker. */
  readonly logFeed: LogFeed;
  /** What /metrics shows of the database. */
  readonly databaseMetrics: DatabaseMetrics;
  /** Forwards the runners' traces and metrics. */
  readonly collector: Collector;
  /** The address that links to this broker have. */
  readonly publicUrl: PublicUrl;
  /** HTTP calls to addresses that orgs give. */
  readonly egress: Egress;
  /** Confirms an execution by a request of its runner. */
  readonly confirm: ConfirmExecution;
  /** OPA, which evaluates policies, if this broker has it. */
  readonly opa: OpaOfBroker;
  /** Encrypts what must not be readable in the database, and decrypts it. */
  readonly seals: Seals;
  /** What a stop ends before the server: loops, parked polls, streams. Run in reverse order. */
  readonly drain: (() => Promise<void>)[];
};
