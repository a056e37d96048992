/** What a command's exit code says; docs/cli.md lists these, scripts rely on them. */
export const exitCodes = {
  ok: { code: 0, means: "Done." },
  failed: {
    code: 1,
    means: "The command failed, or the job did not finish.",
  },
  usage: {
    code: 2,
    means: "Invalid command line, setting or request.",
  },
  notFound: { code: 3, means: "Not found, or in another org." },
  denied: {
    code: 4,
    means: "There is no token, the broker does not accept it, or it lacks a permission.",
  },
  conflict: {
    code: 5,
    means: "Conflict with the current state: a different state, version or name exists.",
  },
  unavailable: {
    code: 6,
    means: "The broker or database is unreachable, busy, or limits the rate. Try again.",
  },
  drift: {
    code: 7,
    means: "svc terraform drift found drift, or with --detailed-exitcode something would change.",
  },
  timeout: { code: 124, means: "Timed out while waiting." },
  interrupted: { code: 130, means: "Interrupted by Ctrl-C." },
} as const;

/** The exit code for an HTTP status that is no success. */
export function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.denied.code;
  if (status === 404) return exitCodes.notFound.code;
  if (status === 409 || status === 412 || status === 423) return exitCodes.conflict.code;
  if (status === 429 || status >= 500) return exitCodes.unavailable.code;
  return status >= 400 ? exitCodes.usage.code : exitCodes.failed.code;
}
