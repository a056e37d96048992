/** What a command's exit code says; docs/cli.md lists these, scripts rely on them. */
export const exitCodes = {
  ok: { code: 0, means: "Done." },
  failed: {
    code: 1,
    means: "It could not be done, or the job that was asked about did not finish.",
  },
  usage: { code: 2, means: "The command line is wrong, or the broker refused what it says." },
  notFound: { code: 3, means: "There is no such thing, or it belongs to another org." },
  denied: { code: 4, means: "No valid token, or one that may not do this." },
  conflict: { code: 5, means: "It does not fit what is: another state, version or name is there." },
  unavailable: {
    code: 6,
    means: "No broker or database answered, or it is busy or limits the rate: try again.",
  },
  drift: {
    code: 7,
    means:
      "svc terraform drift found that something is not as the state says; with --detailed-exitcode, something would change.",
  },
  timeout: { code: 124, means: "The time to wait is over." },
  interrupted: { code: 130, means: "Ctrl-C." },
} as const;

/** The exit code for an HTTP status that is no success. */
export function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.denied.code;
  if (status === 404) return exitCodes.notFound.code;
  if (status === 409 || status === 412 || status === 423) return exitCodes.conflict.code;
  if (status === 429 || status >= 500) return exitCodes.unavailable.code;
  return status >= 400 ? exitCodes.usage.code : exitCodes.failed.code;
}
