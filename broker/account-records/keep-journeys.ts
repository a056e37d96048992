import type { UserJourney } from "../../shared/api/user-journey.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import {
  type AccountRecord,
  changeSteps,
  insertRecord,
  mostJourneyBytes,
  type StepChange,
} from "./queries.ts";

/** Of 64 KiB each: an account's answer has all of them. */
const mostJourneys = 16;
const mostWaits = 50;

type Titled = { readonly name: string; readonly title: string };

/** Adds a journey to an account, or finds the one that is the same; 409 for another of its name. */
export async function createJourney(
  db: Db,
  accountId: string,
  { name, title, steps }: Titled & { readonly steps: readonly Titled[] },
): Promise<{ readonly isNew: boolean }> {
  const id = newId("acr");
  const begun = steps.map((step) => ({ ...step, complete: false, metadata: {} }));
  const contents = { title, steps: begun };
  const record = { id, kind: "journey", name, contents, most: mostJourneys } as const;
  const made = await insertRecord(db, accountId, record);
  if (made === undefined) {
    const detail = `An account has at most ${mostJourneys} journeys.`;
    throw problem.conflict("too_many_journeys", detail);
  }
  if (made.id === id) return { isNew: true };
  const there = made.contents as Omit<UserJourney, "name">; // as it was made
  const outline = (one: { readonly title: string; readonly steps: readonly Titled[] }) =>
    JSON.stringify([one.title, one.steps.map((step) => [step.name, step.title])]);
  if (outline(there) === outline(contents)) return { isNew: false };
  throw problem.conflict(
    "name_taken",
    "This account has a journey of this name, with other steps.",
  );
}

/** Changes a step of a journey, or all; 404 where there is none of this name, 422 for more metadata than it takes. */
export async function changeJourney(db: Db, accountId: string, change: StepChange): Promise<void> {
  const changed = await changeSteps(db, accountId, change);
  if (changed === undefined) throw problem.notFound("user journey");
  if (change.step !== undefined && !changed.names.includes(change.step))
    throw problem.notFound("journey step", "This journey has no step of this name.");
  if (changed.is_changed) return;
  const detail = `A journey has at most ${mostJourneyBytes / 1024} KiB with the metadata of its steps.`;
  throw problem.invalid([{ pointer: "#/metadata", code: "too_large", detail }]);
}

/** Notes that an account waits for an org of this name. */
export async function joinWaitlist(
  db: Db,
  accountId: string,
  orgName: string,
): Promise<AccountRecord> {
  const id = newId("acr");
  const record = { id, kind: "waitlist", name: orgName, contents: {}, most: mostWaits } as const;
  const made = await insertRecord(db, accountId, record);
  if (made !== undefined) return made;
  const detail = `An account waits for at most ${mostWaits} orgs.`;
  throw problem.conflict("too_many_waits", detail);
}
