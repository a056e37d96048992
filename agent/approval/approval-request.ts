import type { Job } from "../jobs/handler.ts";

/** A change that waits for a person or a program of the operator to approve it. */
export type ApprovalRequest = {
  /** The path of a program, or of a folder for requests and answers. */
  readonly approver: string;
  readonly job: Job;
  /** What the approver reads: JSON without secrets, the job and what it would do. */
  readonly text: string;
  readonly giveUpAtMs: number;
};

/** The approver's answer. It is stored with the job as JSON, so that a restarted agent does not ask again. */
export type ApprovalAnswer = { readonly isYes: boolean; readonly why: string };
