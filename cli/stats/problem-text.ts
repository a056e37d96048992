import {
  type ProblemKind,
  type StatsOverview,
  waitingText,
} from "../../shared/api/stats-overview.ts";
import { formatAge } from "../output/format-age.ts";

type Problem = StatsOverview["problems"][number];

/** How many of a kind are named; the figure above them counts all. */
const mostNamed = 5;

type Kind = {
  readonly title: string;
  /** What is counted beside each of them. */
  readonly counted: string;
  /** The same of one, where the words differ. */
  readonly countedOne?: string;
  /** What to type next for one of them, and to what end. */
  readonly next: (id: string) => string;
};

const kinds: Readonly<Record<ProblemKind, Kind>> = {
  "jobs-failed": {
    title: "jobs that did not succeed in the last hour",
    counted: "",
    next: (id) => `Why it did not succeed: svc job get ${id}`,
  },
  "jobs-without-taker": {
    title: "runners with jobs that no process takes",
    counted: "waiting",
    next: (id) => `Which groups its processes serve: svc runner get ${id}`,
  },
  "queue-paused": {
    title: "paused queues in which signals wait",
    counted: "waiting",
    next: (id) => `Let it go on: svc queue resume ${id}`,
  },
  "runner-offline": {
    title: "runners that are not online, while jobs wait",
    counted: "waiting",
    next: (id) => `Start its agent, or enrol one: svc runner enrol ${id}`,
  },
  "runner-paused": {
    title: "paused runners, for which jobs wait",
    counted: "waiting",
    next: (id) => `Let it go on: svc runner resume ${id}`,
  },
  "shutdown-stuck": {
    title: "runners whose processes do not obey a shutdown",
    counted: "",
    next: (id) => `What they do: svc runner get ${id}`,
  },
  "signals-dead": {
    title: "queues with dead signals",
    counted: "dead",
    next: (id) => `Why they died: svc signal list --queue ${id} --status dead`,
  },
  "webhook-disabled": {
    title: "disabled webhooks, which get nothing until a ping arrives",
    counted: "events failed before",
    countedOne: "event failed before",
    next: (id) => `Enable it, once its receiver answers: svc webhook ping ${id}`,
  },
  "webhook-failing": {
    title: "webhooks that fail",
    counted: "events did not arrive at once",
    countedOne: "event did not arrive at once",
    next: (id) => `Whether its receiver answers: svc webhook ping ${id}`,
  },
  "workflow-waiting": {
    title: "workflows that wait for a person",
    counted: "",
    next: (id) => `What it waits for: svc workflow get ${id}`,
  },
  "workspace-blocked": {
    title: "blocked workspaces",
    counted: "",
    next: (id) => `Why, and what is lost: svc workspace show ${id}`,
  },
};

/** What needs a look, kind by kind: how many there are, and some of them. */
export function problemsText(problems: readonly Problem[]): string {
  return problems.length === 0 ? "none" : problems.map(kindText).join("\n");
}

/** A line for each kind: what to type about the first of them. */
export function nextSteps(problems: readonly Problem[]): string[] {
  return problems.flatMap(({ kind, items: [first] }) => {
    return first === undefined ? [] : [kinds[kind].next(first.id)];
  });
}

function kindText({ kind, count, items }: Problem): string {
  const { title, counted, countedOne = counted } = kinds[kind];
  const named = items.slice(0, mostNamed);
  const lines = named.map(({ id, name, since, waiting }) => {
    const facts = [
      id,
      name === id ? "" : name,
      waiting === null || counted === ""
        ? ""
        : `${waitingText(kind, waiting)} ${waiting === 1 ? countedOne : counted}`,
      since === null ? "" : `since ${formatAge(since)}`,
    ];
    return `  ${facts.filter((fact) => fact !== "").join("  ")}`;
  });
  const more = count > named.length ? [`  and ${count - named.length} more`] : [];
  return [`${title} (${count}):`, ...lines, ...more].join("\n");
}
