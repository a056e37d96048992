import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import {
  cancelJobsRoute,
  countJobsRoute,
  finalStatuses,
  openStatuses,
  rerunJobsRoute,
} from "../../../shared/api/bulk-runner-jobs.ts";
import type { RunnerJobStatus } from "../../../shared/runner-job.ts";
import type { Action, Html, View } from "../page.ts";
import { type Choice, choices } from "../parts/choices.ts";
import { counted } from "../parts/counted.ts";
import { facts } from "../parts/facts.ts";
import { requireTyped, typedField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import {
  filterQuery,
  isNarrowed,
  jobFilters,
  readJobFilters,
  statusesAmong,
} from "./job-filters.ts";

const cancelPath = "/jobs/matching/cancel";
const rerunPath = "/jobs/matching/rerun";
/** A person waits so long for one answer; what is left is done by asking again. */
const patienceMs = 8_000;

/** Cancels all jobs that an address names. */
export const cancelMatching: Action = {
  path: cancelPath,
  permission: "jobs.cancel",
  back: listOf,
  async ask(view) {
    const { words: count, at } = await countMatching(view, openStatuses);
    return {
      title: `Cancel ${count}?`,
      text: html`${filterFacts(view)}
        <p>
          Those that wait never begin. Those in progress are told to stop; what they have changed so
          far stays changed. Cancelled jobs cannot be put back, but each can be run again.
        </p>`,
      fields: html`<input type="hidden" name="counted_at" value="${at}" />${typedField("cancel")}`,
      button: `Cancel ${count}`,
      isDangerous: true,
      back: listOf(view),
    };
  },
  async run(view, form) {
    requireTyped(form, "cancel");
    const body = { ...matching(view, openStatuses), ...enqueuedBefore(view, form) };
    const until = performance.now() + patienceMs;
    let [cancelled, stopping, hasMore] = [0, 0, true];
    while (hasMore && performance.now() < until) {
      const answer = await view.ask(cancelJobsRoute, { body });
      cancelled += answer.cancelled;
      stopping += answer.told_to_stop;
      hasMore = answer.has_more && answer.cancelled > 0;
    }
    const told = stopping === 0 ? "" : ` ${counted(stopping, "job")} of these ran: told to stop.`;
    return {
      said: `Cancelled ${counted(cancelled, "job")}.${told}${hasMore ? " More match." : ""}`,
      to: listOf(view),
      undo: hasMore
        ? { label: "Cancel the rest…", action: view.address }
        : {
            label: "Show cancelled jobs",
            action: `/jobs?${filterQuery(view.query, { status: "cancelled" })}`,
          },
    };
  },
};

/** Runs all ended jobs again that an address names; from `cursor` on, where a request before stopped. */
export const rerunMatching: Action = {
  path: rerunPath,
  permission: "jobs.write",
  back: listOf,
  async ask(view) {
    const { words: count } = await countMatching(view, finalStatuses);
    const isRest = view.query.has("cursor");
    return {
      title: isRest ? "Run the rest again?" : `Run ${count} again?`,
      text: html`${filterFacts(view)}
        <p>
          ${isRest ? `${count} match, of which the newest were run again already. The rest follow.` : ""}
          Each is enqueued as a new job with the same plan, timeouts and owner, for the same runner,
          the newest first. The old ones stay as they are. New jobs can be cancelled.
        </p>`,
      fields: html`<input type="hidden" name="key" value="${randomUUID()}" />`,
      button: isRest ? "Run the rest again" : `Run ${count} again`,
      back: listOf(view),
    };
  },
  async run(view, form) {
    const key = form.get("key") ?? "";
    const headers = /^[\w-]{8,64}$/.test(key) ? { "idempotency-key": key } : {};
    const filter = matching(view, finalStatuses);
    const until = performance.now() + patienceMs;
    let cursor = view.query.get("cursor");
    let enqueued = 0;
    const refused: string[] = [];
    do {
      const body = { ...filter, ...(cursor !== null && { cursor }) };
      const answer = await view.ask(rerunJobsRoute, { body, headers });
      enqueued += answer.enqueued;
      refused.push(...answer.refused.map(({ detail }) => detail));
      cursor = answer.next_cursor;
    } while (cursor !== null && performance.now() < until);
    const not =
      refused.length === 0 ? "" : ` ${counted(refused.length, "job")} not: ${refused[0] ?? ""}`;
    const rest = `${rerunPath}?${filterQuery(view.query)}&cursor=${cursor ?? ""}`;
    return {
      said: `Enqueued ${counted(enqueued, "job")} again.${not}${cursor === null ? "" : " More match."}`,
      to: listOf(view),
      undo:
        cursor === null
          ? {
              label: "Show open jobs",
              action: `/jobs?${filterQuery(view.query, { status: "open" })}`,
            }
          : { label: "Run the rest again…", action: rest },
    };
  },
};

function listOf({ query }: View): string {
  const asked = filterQuery(query);
  return asked === "" ? "/jobs" : `/jobs?${asked}`;
}

/** What can be done with all jobs of a list that is narrowed. */
export function bulkChoices(view: View): Html | string {
  if (!isNarrowed(view.query)) return "";
  const query = filterQuery(view.query);
  const all: readonly Choice[] = [
    {
      label: "Cancel all that match…",
      to: `${cancelPath}?${query}`,
      permission: "jobs.cancel",
      isOpen: statusesAmong(view.query, openStatuses).length > 0,
    },
    {
      label: "Run all that match again…",
      to: `${rerunPath}?${query}`,
      permission: "jobs.write",
      isOpen: statusesAmong(view.query, finalStatuses).length > 0,
    },
  ];
  return choices(view, all);
}

/** The filters as the API acts on them. */
function matching<Status extends RunnerJobStatus>(view: View, among: readonly Status[]) {
  if (!isNarrowed(view.query)) throw notNow("Choose a filter in the list of jobs first.");
  const status = statusesAmong(view.query, among);
  if (status.length === 0) throw notNow("No job in this status can be meant: choose another.");
  return { ...readJobFilters(view.query).filters, status };
}

/** Leaves out what was enqueued after the count that the person saw. */
function enqueuedBefore(view: View, form: URLSearchParams): { created_before?: string } {
  const countedMs = Date.parse(form.get("counted_at") ?? "");
  if (Number.isNaN(countedMs)) return {};
  const { created_before: before = "" } = readJobFilters(view.query).filters;
  const isEarlier = Date.parse(before) < countedMs;
  return { created_before: isEarlier ? before : new Date(countedMs).toISOString() };
}

/** "3 jobs", "10,000 or more jobs": of those in one of these statuses. */
async function countMatching(
  view: View,
  among: readonly RunnerJobStatus[],
): Promise<{ readonly words: string; readonly at: string }> {
  const {
    count,
    has_more: hasMore,
    counted_at: at,
  } = await view.ask(countJobsRoute, {
    query: matching(view, among),
  });
  if (count === 0) throw notNow("No job matches any more.");
  const words = hasMore ? `${count.toLocaleString("en")} or more jobs` : counted(count, "job");
  return { words, at };
}

const filterFacts = ({ query }: View): Html =>
  facts(
    Object.entries(jobFilters).flatMap(([name, { label }]) => {
      const value = query.get(name)?.trim();
      return value ? [[label, value] as const] : [];
    }),
  );
