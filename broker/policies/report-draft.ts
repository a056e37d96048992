import type { Judgement } from "../../shared/policies/judge-policies.ts";
import { newId } from "../database/new-id.ts";

/** What was judged, as reports name it. */
export type ReportInput = Readonly<Record<"id" | "name" | "type", string>>;

/** Whose report it is. */
export type ReportAbout = {
  readonly app_id: string;
  readonly component_id: string | null;
  readonly component_name: string;
  readonly install_id: string | null;
  readonly created_by_id: string;
  readonly inputs: readonly ReportInput[];
};

/** A report as it is written. */
export type ReportDraft = ReturnType<typeof draftReport>;

/** A report of what policies said. */
export function draftReport(about: ReportAbout, judgement: Judgement) {
  const { detail, policies, ...counts } = judgement;
  return {
    id: newId("plr"),
    ...about,
    ...counts,
    status_description: detail,
    policies,
    policy_ids: [...new Set(policies.map(({ policy_id: id }) => id))],
  };
}
