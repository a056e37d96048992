import { SvcError } from "../svc-error.ts";

/** The error of a call of what is not there, which this side knows without a broker's word. */
export const notFound = (words: string, cause?: unknown): SvcError =>
  new SvcError(words, { code: "not_found", status: 404, cause });
