/** Longer than any statement may run: what is not settled by then was lost with its connection. */
const lostAfterMs = 35_000;

/**
 * The promise, or after 35 s an error as of a connection that timed out. The driver can lose a statement for
 * good when backends die again and again; nobody may wait for it for ever.
 */
export async function settleWithin<T>(promise: Promise<T>, ms = lostAfterMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error("the database connection was lost during a statement"), {
      code: "ETIMEDOUT",
    });
    timer = setTimeout(() => reject(error), ms);
  });
  try {
    return await Promise.race([promise, lost]);
  } finally {
    clearTimeout(timer);
  }
}
