import { readdirSync } from "node:fs";
import type { ChildSpec } from "../processes/child.ts";
import { isAbsence } from "../processes/process-identity.ts";
import { type ReadyChild, readyChild } from "../processes/ready-child.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** A child that has no number yet. */
export type UnnumberedChild = Omit<ChildSpec, "step">;

/** The child of a job that is made ready while the one before it still runs. */
export type PrestartedChildren = {
  /** A number that no child of the execution has, or had: also none that a former process of the agent made ready. */
  readonly nextNumber: () => number;
  /** Makes a child ready, in place of another one; nobody waits for it, and nothing of it runs. */
  readonly make: (key: string, spec: UnnumberedChild) => void;
  /** The child that was made ready, if it is this very one and can begin. */
  readonly take: (key: string, spec: UnnumberedChild) => Promise<ReadyChild | undefined>;
  /** Resolves when nothing of a child that was not taken is left. */
  readonly close: () => Promise<void>;
};

type Ahead = {
  readonly key: string;
  readonly text: string;
  readonly ready: Promise<ReadyChild | undefined>;
};

/** Nothing is ready yet. A child that cannot be made ready is started later as any other, and tells then why it cannot. */
export function makePrestartedChildren(
  runDir: string,
  { execution_id, children }: Pick<StoredExecution, "execution_id" | "children">,
): PrestartedChildren {
  let ahead: Ahead | undefined;
  let last = 0;
  let isClosed = false;
  const dropping = new Set<Promise<unknown>>();
  const nextNumber = (): number => {
    const known = Object.values(children).map(({ number }) => number);
    last = Math.max(last, ...known, ...numbersIn(runDir, execution_id)) + 1;
    return last;
  };
  /** It has its number at once. What goes wrong then is nothing to the child that runs meanwhile. */
  const makeNext = async (spec: UnnumberedChild): Promise<ReadyChild> =>
    await readyChild({ ...spec, step: nextNumber() });
  const drop = ({ ready }: Ahead): void => {
    const dropped = ready.then((made) => made?.drop()).catch(() => {}); // its folder goes with the job's
    dropping.add(dropped);
    void dropped.then(() => dropping.delete(dropped));
  };
  const pull = (): Ahead | undefined => {
    const pulled = ahead;
    ahead = undefined;
    return pulled;
  };
  return {
    nextNumber,
    make(key, spec) {
      if (isClosed || ahead?.key === key) return;
      const former = pull();
      if (former !== undefined) drop(former);
      const ready = makeNext(spec).catch(() => undefined);
      ahead = { key, text: JSON.stringify(spec), ready };
    },
    async take(key, spec) {
      if (ahead?.key !== key) return undefined;
      const mine = pull();
      const made = mine?.text === JSON.stringify(spec) ? await mine.ready : undefined;
      if (made?.isWaiting() === true) return made;
      if (mine !== undefined) drop(mine);
      return undefined;
    },
    async close() {
      isClosed = true;
      const former = pull();
      if (former !== undefined) drop(former);
      await Promise.all(dropping);
    },
  };
}

function numbersIn(runDir: string, executionId: string): number[] {
  try {
    return readdirSync(runDir)
      .filter((name) => name.startsWith(`${executionId}.`))
      .map((name) => Number(name.slice(executionId.length + 1)))
      .filter(Number.isInteger);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
