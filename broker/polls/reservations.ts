import type { Poll } from "./parked-polls.ts";
import { askerOf } from "./searches.ts";

/** Polls that somebody else than the dispatcher serves just now, and with them any other poll of their processes. */
export type Reservations = {
  readonly add: (polls: readonly Poll[]) => void;
  /** Whether the dispatcher is to pass it over; it looks again for its runner once the poll is released. */
  readonly passesOver: (poll: Poll) => boolean;
  /** Answers the runners whose polls were passed over meanwhile. */
  readonly release: (polls: readonly Poll[]) => string[];
};

/** Starts empty. */
export function makeReservations(): Reservations {
  const reserved = new Set<Poll | string>();
  const passedOver = new Set<string>();
  return {
    add(polls) {
      for (const poll of polls) reserved.add(askerOf(poll));
    },
    passesOver(poll) {
      if (!reserved.has(askerOf(poll))) return false;
      passedOver.add(poll.runnerId);
      return true;
    },
    release(polls) {
      for (const poll of polls) reserved.delete(askerOf(poll));
      const runnerIds = new Set(polls.map(({ runnerId }) => runnerId));
      return [...runnerIds].filter((runnerId) => passedOver.delete(runnerId));
    },
  };
}
