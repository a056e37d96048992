import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";

// What the driver `postgres` 3.4.9 does not do, or does wrongly, and how this broker lives with it. Nothing elsewhere
// works around it. A newer version of the driver: read its changes, and take out here what it does by itself.

type Pool = postgres.Sql<{ bigint: number }>;

/**
 * The driver waits 20 s to reconnect when the whole pool failed often enough, and a statement that was given to a
 * connection waits as long, even when the database is back. Half a second at most is enough.
 */
export function reconnectDelayS(failures: number): number {
  return Math.min(0.01 * 2 ** failures, 0.5) * (0.5 + Math.random() / 2);
}

/** The driver's types lack this option: 0 gives a connection no statement while it has one. */
export const noPipeline: object = { max_pipeline: 0 };

/**
 * The driver reads the array types on every new connection, into what all of them share. A backend that dies in that
 * moment rejects a promise that nobody can catch, which ends the process: so only while nothing is known.
 */
export function readTypesOnce({ options }: Pool): void {
  const { shared } = options as unknown as { shared: { typeArrayMap: object } }; // not in its types
  Object.defineProperty(options, "fetch_types", {
    get: () => Object.keys(shared.typeArrayMap).length === 0,
  });
}

/**
 * The driver counts an answer's rows by connection and does not begin anew after a statement that failed between two of
 * its rows: the next answer on that connection, whosever it is, begins with as many holes. So rows are appended, by what
 * the driver calls with each row where a statement has one.
 */
export function appendRows(db: Pool): void {
  const statements: unknown = Object.getPrototypeOf(db`select`); // all have it, it is not sent
  Object.assign(statements as object, {
    forEachFn: (row: unknown, result: unknown[]) => result.push(row),
  });
}

/** Longer than any statement may run: what is not settled by then was lost with its connection. */
const lostAfterMs = 35_000;

/**
 * The promise, or after 35 s the error of a connection timeout. The driver can lose a statement for good when
 * backends die again and again, and does not say when a COPY's connection is lost at its very end; nobody may wait for
 * it for ever.
 */
export async function settleWithin<T>(promise: Promise<T>, ms = lostAfterMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_, reject) => {
    // An error is made only where it is needed: each one costs as much as a small statement.
    timer = setTimeout(() => reject(lostStatement("ETIMEDOUT")), ms);
  });
  try {
    return await Promise.race([promise, lost]);
  } finally {
    clearTimeout(timer);
  }
}

function lostStatement(code: string): Error {
  const message = "the database connection was lost during a statement";
  return Object.assign(new Error(message), { code });
}

/**
 * Tells of each time after the first that a LISTEN connection listens: the driver reconnects by itself and says nothing
 * of the notifications that were missed meanwhile. Give `onListen` to `listen`.
 */
export function watchReconnects(): {
  readonly onListen: () => void;
  /** Called at once where it has happened already. */
  readonly onReopened: (tell: () => void) => void;
} {
  let timesOpened = 0;
  let tellOf: (() => void) | undefined;
  return {
    onListen: () => {
      timesOpened += 1;
      if (timesOpened > 1) tellOf?.();
    },
    onReopened: (tell) => {
      tellOf = tell;
      if (timesOpened > 1) tell();
    },
  };
}

/**
 * An error that says where in a text of SQL something is wrong. The driver's own error holds the whole text, and would
 * show it to whoever prints the error's cause.
 */
export function withoutText(name: string, text: string, error: postgres.PostgresError): Error {
  const line = text.slice(0, Number(error.position ?? 0)).split("\n").length;
  return new Error(`${name}, near line ${line}: ${error.message} ${error.where ?? ""}`);
}

/** What runs statements of one transaction. */
export type Tx = postgres.ISql<{ bigint: number }>;

/**
 * Runs the work in one transaction of a pool of one connection. The driver's own `begin` goes on with a transaction
 * whose connection is lost: it sends a rollback, or the work's next statement, to a socket that is gone, which throws
 * where nobody can catch it and ends the process. Here each statement that is not answered by then is rejected, as is each
 * later one, and nothing is rolled back that Postgres has rolled back already. After a loss the pool is ended: the driver
 * answers the first statement of a new connection with the error that ended the old one, and loses a connection that it
 * should reserve.
 */
export async function inTransaction<T>(db: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.options.max !== 1) throw new Error("a transaction needs a pool of one connection");
  let isLost = false;
  const unanswered = new Set<Statement>();
  Object.assign(db.options, {
    onclose: () => {
      isLost = true; // the driver has rejected what it knows to be lost: its own error says more
      for (const statement of unanswered) statement.reject(lostStatement("CONNECTION_CLOSED"));
    },
  });
  const connection = await db.reserve();
  isLost = false;
  const tx = watchStatements(connection, { isLost: () => isLost, unanswered });
  try {
    await tx`begin`;
    const result = await work(tx);
    await tx`commit`;
    return result;
  } catch (error) {
    if (endsConnection(error)) await untilLost(() => isLost);
    if (!isLost) await tx`rollback`.catch(() => {});
    throw error;
  } finally {
    if (!isLost) connection.release(); // a lost one is not the driver's to give to others
    else await db.end({ timeout: 0 }); // it would wait for the statement that was lost
  }
}

/** A statement of the driver: it is sent by its handler when it is awaited, and its promise is settled by these. */
type Statement = Promise<unknown> & {
  handler: (statement: Statement) => unknown;
  reject: (error: Error) => void;
};

type Watch = { readonly isLost: () => boolean; readonly unanswered: Set<Statement> };

/** The same, but every statement is refused that would be sent after the connection is lost. */
function watchStatements(connection: Tx, watch: Watch): Tx {
  const run = (target: object, self: unknown, args: unknown[]): unknown => {
    const made: unknown = Reflect.apply(target as (...given: unknown[]) => unknown, self, args); // both are called
    if (made instanceof Promise) watchStatement(made as Statement, watch); // the others are parts of a text
    return made;
  };
  return new Proxy<Tx>(connection, {
    apply: run,
    get: (target, name): unknown => {
      const member: unknown = Reflect.get(target, name);
      const runsText = name === "unsafe" && typeof member === "function";
      return runsText ? new Proxy(member, { apply: run }) : member;
    },
  });
}

function watchStatement(statement: Statement, { isLost, unanswered }: Watch): void {
  const { handler } = statement;
  statement.handler = () => {
    if (isLost()) return statement.reject(lostStatement("CONNECTION_CLOSED"));
    unanswered.add(statement);
    const forget = () => void unanswered.delete(statement);
    void Promise.prototype.then.call(statement, forget, forget); // its own `then` would send it
    return handler(statement);
  };
}

/** Postgres says this before it closes the connection. */
const endsConnection = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && /^(FATAL|PANIC)$/.test(error.severity);

const closesWithinMs = 2_000;

async function untilLost(isLost: () => boolean): Promise<void> {
  const endMs = performance.now() + closesWithinMs;
  while (!isLost() && performance.now() < endMs) await pause(5);
}
