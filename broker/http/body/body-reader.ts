import type { PlanFacts } from "../../../shared/plans/plan-facts.ts";
import { Problem } from "../../../shared/problem.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { RecordFacts } from "../../helm-releases/read-record.ts";
import { LargeText } from "../../seals/large-text.ts";
import type { SentPart } from "../../work-pool/frames.ts";
import type { WorkKinds } from "../../work-pool/work-kinds.ts";
import type { WorkPool } from "../../work-pool/work-pool.ts";
import { makeBase64Standard } from "./make-base64-standard.ts";
import type { AskedBody } from "./read-large-json.ts";
import { fromPieces } from "./value-pieces.ts";

/** A large body without its large texts, and these by their pointers. */
export type ReadBody = {
  readonly value: object;
  readonly longTexts: ReadonlyMap<string, LargeText>;
  readonly fingerprint?: string | undefined;
  /** What it keeps in memory: its texts are parts of the whole body, and its value is an answer's besides. */
  readonly heldBytes: number;
};

/** A plan, whose and what it is; it may be read while it is sent to the child. */
export type LargePlan = {
  readonly orgId: string;
  readonly type: RunnerJobType;
  readonly plan: SentPart;
};

/** What came in a large body, for whom, and whose leaving ends the work. */
export type GivenBody = {
  readonly orgId: string;
  readonly bytes: Buffer;
  readonly gone?: AbortSignal;
};

/**
 * Reads large bodies and plans in child processes, so that other requests are not delayed; the orgs take turns. The memory of what waits is
 * counted where it is received or sent. One that takes more memory than a child may have is refused: 413.
 */
export type BodyReader = {
  readonly read: (asked: AskedBody, body: GivenBody) => Promise<ReadBody>;
  readonly readRecord: (
    record: GivenBody,
  ) => Promise<{ readonly facts: RecordFacts; readonly text: LargeText }>;
  readonly planFacts: (plan: LargePlan) => Promise<PlanFacts>;
  /** The JSON of a plan without its secrets. */
  readonly maskedPlan: (plan: LargePlan) => Promise<Buffer>;
};

/** A reader by this pool. */
export function makeBodyReader(pool: Pick<WorkPool<WorkKinds>, "run">): BodyReader {
  return {
    async read(asked, { orgId, bytes, gone }) {
      const { told, bytes: answered } = await pool.run(
        { orgId, kind: "bodies.read", asked, bytes: [bytes], outOfMemory },
        gone,
      );
      const [made = none, value = none] = answered;
      await makeBase64Standard(bytes, told.urlBase64);
      const texts = told.longTexts.map(([pointer, parts]) => {
        const pieces = parts.map(([start, end, isMade]) =>
          (isMade === 1 ? made : bytes).subarray(start, end),
        );
        return [pointer, new LargeText(pieces)] as const;
      });
      const { fingerprint } = told;
      return {
        value: await fromPieces(told.value, value),
        longTexts: new Map(texts),
        fingerprint,
        heldBytes: bytes.length + made.length + 2 * value.length,
      };
    },
    async readRecord({ orgId, bytes, gone }) {
      const work = {
        orgId,
        kind: "bodies.record",
        asked: {},
        bytes: [bytes],
        outOfMemory,
      } as const;
      const { told } = await pool.run(work, gone);
      return { facts: told, text: new LargeText([bytes]) };
    },
    async planFacts({ orgId, type, plan }) {
      const asked = { type };
      const work = { orgId, kind: "plans.facts", asked, bytes: [plan], outOfMemory } as const;
      return (await pool.run(work)).told;
    },
    async maskedPlan({ orgId, type, plan }) {
      const asked = { type };
      const work = { orgId, kind: "plans.mask", asked, bytes: [plan], outOfMemory } as const;
      return (await pool.run(work)).bytes[0] ?? none;
    },
  };
}

const none = Buffer.alloc(0);

const outOfMemory = (): Problem =>
  new Problem({
    status: 413,
    code: "too_many_parts",
    detail: "The body has too many values. Split it into several requests.",
  });
