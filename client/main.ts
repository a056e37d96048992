import { type Client as AnyClient, createClient as create } from "./create-client.ts";
import type { components, paths } from "./generated/api.ts";
import { keyedPosts } from "./generated/keyed-posts.ts";
import type { ClientOptions } from "./requests/connection.ts";
import { Worker as AnyWorker } from "./worker/worker.ts";

export type { components, paths } from "./generated/api.ts";
export type { FollowOptions } from "./logs/follow-log.ts";
export type { ClientOptions } from "./requests/connection.ts";
export type { Answer } from "./requests/read-answer.ts";
export { type FaultPlace, SvcError } from "./svc-error.ts";
export type { WaitOptions } from "./waits/look-until.ts";
export type { WorkflowWaitOptions } from "./waits/wait-for-workflow.ts";
export { type Verified, type VerifiedUntimed, verifyWebhook } from "./webhooks/verify-webhook.ts";
export { SignalFailure } from "./worker/signal-failure.ts";
export type { HandleContext, WorkerOptions } from "./worker/worker-options.ts";

/** A broker's API, by the document that this package was made with. */
export type Client = AnyClient<paths>;

/** A client of one broker. Nothing is sent before it is asked for, and nothing has to be closed. */
export const createClient = (options: ClientOptions): Client => create<paths>(options, keyedPosts);

/** A signal as its worker gets it. */
export type ClaimedSignal = components["schemas"]["ClaimedSignal"];

/** Works on the signals of a queue, from `run()` until `stop()`. */
export class Worker extends AnyWorker<ClaimedSignal> {}
