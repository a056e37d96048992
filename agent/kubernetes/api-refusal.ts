import { z } from "zod";

const status = z.looseObject({
  reason: z.string().nullish(),
  message: z.string().nullish(),
  details: z
    .looseObject({
      retryAfterSeconds: z.number().nullish(),
      causes: z
        .array(
          z.looseObject({
            reason: z.string().nullish(),
            message: z.string().nullish(),
            field: z.string().nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

export type RefusalCause = {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
};

/** The error that a cluster answered with. */
export class ApiRefusal extends Error {
  readonly status: number;
  /** The reason in the server's status: NotFound, Conflict, Invalid. */
  readonly reason: string;
  readonly causes: readonly RefusalCause[];
  readonly retryAfterMs: number | undefined;

  constructor(httpStatus: number, text: string, retryAfter?: string) {
    const said = status.safeParse(parsed(text)).data;
    super(said?.message || `the answer was ${httpStatus}`);
    this.status = httpStatus;
    this.reason = said?.reason ?? "";
    this.causes = (said?.details?.causes ?? []).map(({ reason, message, field }) => ({
      reason: reason ?? "",
      message: message ?? "",
      field: field ?? "",
    }));
    const seconds = Number(retryAfter ?? said?.details?.retryAfterSeconds ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  }
}

/** Whether an error is an ApiRefusal with this status. */
export function isRefusal(error: unknown, httpStatus: number): error is ApiRefusal {
  return error instanceof ApiRefusal && error.status === httpStatus;
}

/** Whether the object does not match the schema of its kind: servers answer such an apply with 500. */
export function isOfSchema({ status, message }: ApiRefusal): boolean {
  return (
    status === 500 && /failed to create typed patch object|not declared in schema/.test(message)
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
