import { listItems } from "./lists/list-items.ts";
import { followLog, type FollowOptions } from "./logs/follow-log.ts";
import { type ClientOptions, openConnection } from "./requests/connection.ts";
import { type AnyInput, makeRequest, type Request } from "./requests/make-request.ts";
import type { Answer } from "./requests/read-answer.ts";
import type {
  AnswerAt,
  AnswerOf,
  AnyPaths,
  InputArgs,
  InputOf,
  ItemOf,
  ListPath,
  Method,
  OperationOf,
  PathWith,
  QueryAt,
} from "./route-types.ts";
import type { WaitOptions } from "./waits/look-until.ts";
import { waitForJob } from "./waits/wait-for-job.ts";
import { waitForWorkflow, type WorkflowWaitOptions } from "./waits/wait-for-workflow.ts";

type Op<Paths, P extends string, M extends Method> = OperationOf<Paths, P, M>;
type Args<Paths, P extends string, M extends Method> = InputArgs<InputOf<Op<Paths, P, M>>>;

/** Calls one method of a path, and answers the body. */
export type BodyCall<Paths, M extends Method> = <P extends PathWith<Paths, M>>(
  path: P,
  ...input: Args<Paths, P, M>
) => Promise<AnswerOf<Op<Paths, P, M>>>;

type Job<Paths> = AnswerAt<Paths, "/v1/runner-jobs/{job_id}/wait", "get">;
type Workflow<Paths> = AnswerAt<Paths, "/v1/workflows/{workflow_id}/await", "get">;
type LogRecord<Paths> = ItemOf<AnswerAt<Paths, "/v1/log-streams/{log_stream_id}/logs", "get">>;
/** With `wait` it would answer once, and no events. */
type TailQuery<Paths> = Omit<QueryAt<Paths, "/v1/log-streams/{log_stream_id}/logs/tail">, "wait">;

/** A broker's API, by the paths of its document. */
export type Client<Paths = AnyPaths> = {
  readonly get: BodyCall<Paths, "get">;
  readonly post: BodyCall<Paths, "post">;
  readonly put: BodyCall<Paths, "put">;
  readonly patch: BodyCall<Paths, "patch">;
  readonly delete: BodyCall<Paths, "delete">;
  /** As the others, and answers status and headers, too: an ETag, say. */
  readonly call: <M extends Method, P extends PathWith<Paths, M>>(
    method: M,
    path: P,
    ...input: Args<Paths, P, M>
  ) => Promise<Answer<AnswerOf<Op<Paths, P, M>>>>;
  /** A route that these types do not know. */
  readonly request: Request;
  /** All items of a list, which is read page by page as they are asked for; a feed without an end is followed. */
  readonly list: <P extends ListPath<Paths>>(
    path: P,
    ...input: Args<Paths, P, "get">
  ) => AsyncGenerator<ItemOf<AnswerAt<Paths, P, "get">>, void, undefined>;
  /** The job when it has ended, however it did. */
  readonly waitForJob: (id: string, options?: WaitOptions<Job<Paths>>) => Promise<Job<Paths>>;
  /** The workflow when it has finished, however it did. */
  readonly waitForWorkflow: (
    id: string,
    options?: WorkflowWaitOptions<Workflow<Paths>>,
  ) => Promise<Workflow<Paths>>;
  /** A log's records as they come, to the end of the log. */
  readonly followLog: (
    logStreamId: string,
    options?: FollowOptions<TailQuery<Paths>>,
  ) => AsyncGenerator<LogRecord<Paths>, void, undefined>;
};

/**
 * A client of one broker. Nothing is sent before it is asked for, and nothing has to be closed. `keyedPosts` are the
 * paths whose POSTs are known again by their idempotency key.
 */
export function createClient<Paths = AnyPaths>(
  options: ClientOptions,
  keyedPosts: ReadonlySet<string> = new Set(),
): Client<Paths> {
  const connection = openConnection(options, keyedPosts);
  const request = makeRequest(connection);
  const bodyOf =
    (method: Method) =>
    async (path: string, input?: AnyInput): Promise<unknown> =>
      (await request(method, path, input)).body;
  const client = {
    get: bodyOf("get"),
    post: bodyOf("post"),
    put: bodyOf("put"),
    patch: bodyOf("patch"),
    delete: bodyOf("delete"),
    call: request,
    request,
    list: (path: string, input?: AnyInput) => listItems(request, path, input),
    waitForJob: (id: string, given?: WaitOptions<unknown>) => waitForJob(request, id, given),
    waitForWorkflow: (id: string, given?: WorkflowWaitOptions<unknown>) =>
      waitForWorkflow(request, id, given),
    followLog: (id: string, given?: FollowOptions) => followLog(connection, id, given),
  };
  return client as unknown as Client<Paths>; // the document says what routes take and answer
}
