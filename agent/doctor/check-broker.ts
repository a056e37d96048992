import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { formatDuration } from "../../shared/duration.ts";
import { makeBrokerClock } from "../client/broker-clock.ts";
import type { Received } from "../client/send.ts";
import { askBroker } from "./ask-broker.ts";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";

const mostSkewMs = 30_000;
const quickMs = 500;
const mostAnswers = 5;

/** Whether a broker answers, and not something in between, such as a login page. */
export async function checkBroker(context: DoctorContext): Promise<Found> {
  try {
    const { received, code } = await askBroker(context, getOwnTokenRoute, {});
    if (received.status === 401 && code !== undefined) {
      return ok(`A broker answers at ${context.broker.href} in ${received.tookMs.toFixed(0)} ms.`);
    }
    const type = received.headers["content-type"] ?? "no type";
    return failed(
      `The server at ${context.broker.href} is not a broker: ${received.status}, ${type}.`,
      "Check broker-url. The login page of a proxy can also be the cause.",
    );
  } catch (error) {
    return failed((error as Error).message, "See the checks above.");
  }
}

/** How far this host's clock is from the broker's. */
export async function checkClock(context: DoctorContext): Promise<Found> {
  const received = await quickAnswer(context);
  if (received.headers.date === undefined)
    return leftOut("The broker's answer has no Date header.");
  const clock = makeBrokerClock();
  if (!clock.learn(received)) return leftOut("Answers are too slow to compare the clocks.");
  const skewMs = clock.skewMs();
  const byMs = Math.abs(skewMs);
  if (byMs < mostSkewMs) return ok("It agrees with the broker's clock.");
  const words = `This host's clock is ${formatDuration(byMs * 1e6)} ${skewMs > 0 ? "ahead of" : "behind"} the broker's.`;
  return warning(
    words,
    "Synchronize it with NTP. Deadlines use the broker's clock, but cloud credentials and certificates use this one.",
  );
}

/** The fastest of several answers, or the first that is fast enough to compare seconds. */
async function quickAnswer(context: DoctorContext): Promise<Received> {
  let quickest: Received | undefined;
  for (let nth = 1; ; nth += 1) {
    const { received } = await askBroker(context, getOwnTokenRoute, {});
    if (quickest === undefined || received.tookMs < quickest.tookMs) quickest = received;
    if (quickest.tookMs < quickMs || nth === mostAnswers) return quickest;
  }
}
