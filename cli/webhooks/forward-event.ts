import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowEventItem } from "../../shared/api/follow-workflow-events.ts";
import type { Screen } from "../output/screen.ts";
import { postEvent, type PostAnswer, type PostTo } from "./post-event.ts";

/** A receiver that is down is tried again after the first time, then after twice as long, up to the longest. */
const againMs = { first: 500, longest: 15_000 } as const;
/** A receiver that takes a call and never answers holds up a workflow for as long as it would a broker's. */
const mostTimeouts = 4;

export type Forwarding = {
  readonly screen: Screen;
  readonly to: PostTo;
  /** What a status means, where more is known of it than its number. */
  readonly wordOf: (status: number) => string;
  /** No other try begins. */
  readonly stop: AbortSignal;
  /** The try under way is given up. */
  readonly cut: AbortSignal;
};

/** Sends events to a receiver, each until it is answered, whatever the answer is; answers what sends one and says so. */
export function forwardEvent({ screen, to, wordOf, stop, cut }: Forwarding) {
  let isDown = false;

  return async ({ sequence, body }: WorkflowEventItem): Promise<void> => {
    const startMs = performance.now();
    for (let [attempt, pauseMs] = [1, againMs.first as number]; !stop.aborted; attempt++) {
      const answer = await postEvent(to, { body, sequence, attempt, signal: cut });
      if (cut.aborted) return;
      const isLast = "status" in answer || (answer.isTimeout && attempt >= mostTimeouts);
      if (isLast) {
        isDown = false;
        const tookMs = Math.round(performance.now() - startMs);
        tell({ sequence, body, attempt, tookMs, answer });
        return;
      }
      if (!isDown) screen.say(`${to.url.href} does not answer (${answer.failure}). Trying again.`);
      isDown = true;
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, againMs.longest);
    }
  };

  function tell({ sequence, body, attempt, tookMs, answer }: Attempt): void {
    if (screen.format === "json" || screen.format === "ndjson") {
      screen.out(JSON.stringify({ sequence, attempt, duration_ms: tookMs, ...answer, body }));
      return;
    }
    const words = "status" in answer ? `${answer.status}` : `failed: ${answer.failure}`;
    const tries = attempt === 1 ? "" : ` at try ${attempt}`;
    const word = "status" in answer ? wordOf(answer.status) : "";
    screen.out(`${wordsOf(body)}  → ${words} in ${tookMs} ms${tries}${word}`);
  }
}

type Attempt = WorkflowEventItem & {
  readonly attempt: number;
  readonly tookMs: number;
  readonly answer: PostAnswer;
};

/** What is told of what, in one line. */
function wordsOf(body: string): string {
  const { time, svctransition, data } = JSON.parse(body) as {
    time: string;
    svctransition: string;
    data: { workflow: { id: string; type: string }; step?: { name: string } };
  }; // an envelope
  const { workflow, step } = data;
  const what = step === undefined ? `workflow ${workflow.type}` : `step ${step.name}`;
  return `${time.slice(11, 23)}  ${what} ${svctransition}  ${workflow.id}`;
}
