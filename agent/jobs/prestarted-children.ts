import { readdirSync } from "node:fs";
import type { ChildSpec } from "../processes/child.ts";
import { isAbsence } from "../processes/process-identity.ts";
import { type ReadyChild, readyChild } from "../processes/ready-child.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** The spec of a child without its number. */
export type UnnumberedChild = Omit<ChildSpec, "step">;

/** The next child of a job, prestarted while the one before it still runs. */
export type PrestartedChildren = {
  /** A number that no child of the execution had, including children that an earlier agent process prestarted. */
  readonly nextNumber: () => number;
  /** Prestarts a child in the background and drops an earlier one. Nothing of the command runs yet. */
  readonly make: (key: string, spec: UnnumberedChild) => void;
  /** The prestarted child, if it has exactly this spec and can begin. */
  readonly take: (key: string, spec: UnnumberedChild) => Promise<ReadyChild | undefined>;
  /** Resolves when nothing of an unused child is left. */
  readonly close: () => Promise<void>;
};

type Ahead = {
  readonly key: string;
  readonly text: string;
  readonly ready: Promise<ReadyChild | undefined>;
};

/**
 * Starts without a prestarted child. A child that cannot be prestarted is started normally later, and reports its
 * error then.
 */
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
  /** The number is assigned at once. Errors do not affect the child that runs meanwhile. */
  const makeNext = async (spec: UnnumberedChild): Promise<ReadyChild> =>
    await readyChild({ ...spec, step: nextNumber() });
  const drop = ({ ready }: Ahead): void => {
    const dropped = ready.then((made) => made?.drop()).catch(() => {}); // its folder is removed with the job's
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
