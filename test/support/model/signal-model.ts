import { BacklogModel } from "./backlog-model.ts";
import {
  byId,
  clockEvent,
  type Draft,
  earliest,
  firstWakeMs,
  freshSignal,
  isPast,
  latestRetryMs,
  leaseMs,
  leaseOf,
  liveOf,
  type ModelSignal,
  taskLeaseMs,
  wake,
} from "./model-signal.ts";

/** One queue as the contract tells it; time in milliseconds from its creation. */
export class SignalModel {
  readonly signals = new Map<string, ModelSignal>();
  /** Every lease that was handed out. */
  readonly leases: { readonly id: string; readonly leaseId: string }[] = [];
  now = 0;
  maxDepth = 6;
  maxInFlight = 1;
  isPaused = false;
  pausedUntil: number | null = null;
  readonly #backlog = new BacklogModel();
  #places = 0;

  live(...statuses: string[]): ModelSignal[] {
    return liveOf(this.signals.values(), statuses);
  }

  counts() {
    const waiting = this.live("queued");
    return {
      waiting: waiting.length,
      own_turns: waiting.filter(({ runs }) => runs !== "pull").length,
      delayed: this.live("retrying").filter(({ hasPlace }) => !hasPlace).length,
      in_flight: this.live().filter(({ hasPlace }) => hasPlace).length,
    };
  }

  liveWith(dedupeKey: string | null): ModelSignal | undefined {
    return this.live().find((one) => dedupeKey !== null && one.dedupeKey === dedupeKey);
  }

  /** One batch, all or none; answers what each came to. */
  enqueue(drafts: readonly Draft[]): { outcome: string; id?: string }[] {
    const { waiting, delayed } = this.counts();
    const counted = drafts.filter(
      ({ dedupeKey }, at) =>
        this.liveWith(dedupeKey) === undefined &&
        (dedupeKey === null || drafts.findIndex((one) => one.dedupeKey === dedupeKey) === at),
    );
    if (counted.length > 0 && waiting + delayed + counted.length > this.maxDepth)
      return [{ outcome: "full" }];
    const answers = drafts.toSorted(byId).map((draft) => {
      const kept = this.liveWith(draft.dedupeKey);
      if (kept !== undefined) return { outcome: "kept", id: kept.id };
      this.#enter(draft);
      return { outcome: "enqueued", id: draft.id };
    });
    this.#startTurns();
    return answers;
  }

  /** Which signals a worker that wants so many gets, in their order. */
  claim(wanted: number, claimId: string | null): string[] {
    const again = this.live("in-flight").filter(
      (one) => claimId !== null && one.claimId === claimId,
    );
    if (again.length > 0) {
      for (const one of again)
        one.deadlineAt = Math.max(this.now + leaseMs, (one.deadlineAt ?? 0) + 2);
      return again.map(({ id }) => id);
    }
    const mine = this.#firstInLine(wanted).filter(({ runs }) => runs === "pull");
    for (const one of mine) {
      this.#start(one, leaseMs);
      one.claimId = claimId;
    }
    return mine.map(({ id }) => id);
  }

  /** What a report comes to. What waits in the backlog is nobody's, and has no lease to extend. */
  report(signal: ModelSignal, leaseId: string | null, event: string): string {
    const isHeld = signal.runs === "hold";
    const isCurrent = signal.leaseId === leaseId || (isHeld && leaseId === null);
    if (signal.status !== "in-flight" || !isCurrent) {
      const isTold = leaseId !== null && leaseId === signal.reportedLease;
      return isTold && event !== "extend" ? "repeated" : "lost";
    }
    const mayRetry = !isHeld && signal.executions < signal.maxExecutions;
    if (event === "extend") {
      if (signal.deadlineAt !== null) signal.deadlineAt = this.now + leaseOf(signal);
      return "done";
    }
    if (event === "return") this.#sendBack(signal, "return");
    else if (event === "fail" && mayRetry) this.#sendBack(signal, "retry");
    else {
      this.#end([[signal, event === "finish" ? "finished" : "dead"]]);
      signal.reportedLease = signal.leaseId;
    }
    this.#startTurns();
    return "done";
  }

  /** Whether a broker may begin it by the lease it has. */
  begin(signal: ModelSignal): boolean {
    if (signal.isBegun || isPast(signal, this.now)) return false;
    Object.assign(signal, { isBegun: true, leaseId: null, backlogged: null }); // its lease is the beginner's
    signal.deadlineAt = this.now + taskLeaseMs;
    return true;
  }

  /** A broker has no room for it. */
  putOff(signal: ModelSignal): void {
    Object.assign(signal, { isBegun: false, deadlineAt: signal.expiresAt });
    this.#backlog.add(signal);
  }

  /** Which turns a broker gets that has room for so many. */
  takeBacklog(most: number): string[] {
    const taken = this.#backlog.take(most).filter((signal) => !isPast(signal, this.now));
    const end = (one: ModelSignal) => earliest(this.now + taskLeaseMs, one.expiresAt);
    for (const one of taken) Object.assign(one, { backlogged: null, deadlineAt: end(one) });
    return taken.map(({ id }) => id);
  }

  cancel(signals: readonly ModelSignal[]): void {
    this.#end(signals.map((signal) => [signal, "cancelled"]));
    this.#startTurns();
  }

  /** Puts the oldest dead signals back, as many as there is room for; answers which. */
  redrive(ids: readonly string[] | null): string[] {
    const { waiting, delayed } = this.counts();
    const dead = [...this.signals.values()]
      .filter(({ id, status }) => status === "dead" && (ids?.includes(id) ?? true))
      .filter(({ dedupeKey }) => this.liveWith(dedupeKey) === undefined)
      .toSorted(byId)
      .slice(0, Math.max(0, this.maxDepth - waiting - delayed));
    const back: ModelSignal[] = [];
    for (const one of dead) {
      if (this.liveWith(one.dedupeKey) !== undefined) continue; // of one before it
      const isOver = one.expiryAt !== null && one.expiryAt <= this.now;
      Object.assign(one, freshSignal((this.#places += 1), isOver ? null : one.expiryAt));
      if (one.callback?.status === "skipped") one.callback.status = "waiting";
      back.push(one);
    }
    this.#startTurns();
    return back.map(({ id }) => id);
  }

  setPause = (until: number | null) => Object.assign(this, { isPaused: true, pausedUntil: until });

  resume(): void {
    Object.assign(this, { isPaused: false, pausedUntil: null });
    this.#startTurns();
  }

  setBounds(bounds: { readonly maxDepth: number; readonly maxInFlight: number }): void {
    Object.assign(this, bounds);
    this.#startTurns();
  }

  /** Acts on every clock that is due, at the instant that it is now. */
  sweep(): void {
    const isDue = ({ deadlineAt }: ModelSignal) => deadlineAt !== null && deadlineAt <= this.now;
    for (let due = this.live().filter(isDue); due.length > 0; due = this.live().filter(isDue)) {
      const ends = due.flatMap((one) => this.#actOnClock(one));
      this.#end(ends);
      this.#startTurns();
    }
    if (this.isPaused && this.pausedUntil !== null && this.pausedUntil <= this.now) this.resume();
  }

  /** Sends back what stays in the queue; answers how it ends if it does not. */
  #actOnClock(one: ModelSignal): [ModelSignal, string][] {
    const event = clockEvent(one, this.now);
    if (event === "dead" || event === "expired") return [[one, event]];
    if (event === "wake") wake(one, this.now);
    else this.#sendBack(one, event);
    return [];
  }

  #enter({ expiresInMs, ...draft }: Draft): void {
    const expiryAt = expiresInMs === null ? null : this.now + expiresInMs;
    this.signals.set(draft.id, {
      ...draft,
      expiryAt,
      ...freshSignal((this.#places += 1), expiryAt),
    });
  }

  #firstInLine(most: number): ModelSignal[] {
    if (this.isPaused) return [];
    const free = Math.max(0, this.maxInFlight - this.counts().in_flight);
    return this.live("queued")
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > this.now)
      .slice(0, Math.min(free, most));
  }

  #startTurns(): void {
    const isHanded = this.#backlog.isEmpty;
    for (const one of this.#firstInLine(Infinity)) {
      if (one.runs === "hold") this.#start(one, (one.wakeMs = firstWakeMs));
      if (one.runs !== "task") continue;
      this.#start(one, isHanded ? taskLeaseMs : null);
      one.deadlineAt = earliest(one.deadlineAt, one.expiresAt);
      if (!isHanded) this.#backlog.add(one);
    }
  }

  #start(one: ModelSignal, forMs: number | null): void {
    const deadlineAt = forMs === null ? null : this.now + forMs;
    Object.assign(one, { status: "in-flight", hasPlace: true, leaseId: null, deadlineAt });
    Object.assign(one, { isBegun: false, backlogged: null, executions: one.executions + 1 });
  }

  #sendBack(one: ModelSignal, event: "lapse" | "return" | "retry" | "requeue"): void {
    const isUncounted =
      event === "return" || (event === "lapse" && one.runs === "task" && !one.isBegun);
    const retryAt = event === "retry" ? this.now + latestRetryMs(one.executions) : Infinity;
    const first = Math.min(retryAt, one.expiresAt ?? Infinity);
    if (event === "retry") one.reportedLease = one.leaseId;
    if (isUncounted) one.executions -= 1;
    Object.assign(one, { leaseId: null, claimId: null, isBegun: false, backlogged: null });
    one.status = event === "retry" ? "retrying" : "queued";
    one.hasPlace = event === "retry" && this.maxInFlight === 1; // nothing passes it
    one.deadlineAt = first === Infinity ? null : first;
  }

  #end(ends: readonly (readonly [ModelSignal, string])[]): void {
    const nexts: string[] = [];
    for (const [one, status] of ends) {
      Object.assign(one, { status, hasPlace: false, deadlineAt: null, reportedLease: null });
      if (one.callback?.status !== "waiting") continue;
      const isCalled = one.callback.on.includes(status);
      one.callback.status = isCalled ? "done" : "skipped";
      if (isCalled) nexts.push(one.callback.nextId);
    }
    const next = { runs: "pull", dedupeKey: null, maxExecutions: 2, callback: null } as const;
    for (const id of nexts.toSorted()) this.#enter({ ...next, id, expiresInMs: null });
  }
}
