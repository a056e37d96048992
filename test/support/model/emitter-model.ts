const minuteMs = 60_000;

/** What says when a model emitter emits; times in milliseconds since 1970. */
export type ModelSchedule =
  | {
      readonly kind: "every";
      readonly minutes: number;
      readonly windowNs: number;
      /** The emitter's own part of the window. */
      readonly jitterMs: number;
    }
  | { readonly kind: "once"; readonly at: number };

export type MissedPolicy = "skip" | "once" | "all";

export type ModelEmitter = {
  readonly id: string;
  schedule: ModelSchedule;
  /** Ticks count after it. */
  scheduleAt: number;
  missed: MissedPolicy;
  most: number;
  skipsOverlap: boolean;
  status: "active" | "paused" | "done";
  statusAt: number;
  pausedUntil: number | null;
  next: { readonly at: number; readonly emitAt: number } | null;
  emitCount: number;
  skipCount: number;
  fired: boolean;
  /** Ticks that were emitted, in their order. */
  readonly emitted: number[];
  /** Whether the signal that the overlap policy looks at is live. */
  isLastLive: boolean;
};

/** Emitters as the contract tells it. */
export class EmitterModel {
  readonly emitters: ModelEmitter[] = [];
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  create(id: string, schedule: ModelSchedule, policies: Policies): void {
    const emitter: ModelEmitter = {
      id,
      schedule,
      scheduleAt: this.now,
      ...policies,
      status: "active",
      statusAt: this.now,
      pausedUntil: null,
      next: null,
      emitCount: 0,
      skipCount: 0,
      fired: false,
      emitted: [],
      isLastLive: false,
    };
    emitter.next = nextAfter(emitter, this.now);
    this.emitters.push(emitter);
  }

  /** What a pause comes to. */
  pause(one: ModelEmitter, until: number | null): string {
    if (one.status === "done") return "ended";
    if (one.status === "active") {
      if (one.next !== null && one.next.emitAt <= this.now) one.skipCount += 1; // it is given up
      Object.assign(one, { status: "paused", statusAt: this.now, next: null });
    }
    one.pausedUntil = until;
    return "done";
  }

  resume(one: ModelEmitter): string {
    if (one.status === "done") return "ended";
    if (one.status === "active") return "unchanged";
    Object.assign(one, { status: "active", statusAt: this.now, pausedUntil: null });
    return "done";
  }

  /** A tick that was past already is emitted at once; ticks of the new schedule are those after now. */
  reschedule(one: ModelEmitter, schedule: ModelSchedule): void {
    if (JSON.stringify(one.schedule) === JSON.stringify(schedule)) return;
    one.schedule = schedule;
    one.scheduleAt = this.now;
    one.fired = false;
    if (one.status === "done") Object.assign(one, { status: "active", statusAt: this.now });
    if (one.status === "paused") return;
    const isPast = schedule.kind === "every" && one.next !== null && one.next.at <= this.now;
    if (!isPast && one.next !== null && one.next.emitAt <= this.now) one.skipCount += 1;
    one.next =
      isPast && one.next ? { at: one.next.at, emitAt: this.now } : nextAfter(one, this.now);
  }

  fire(one: ModelEmitter): void {
    one.emitCount += 1;
    one.isLastLive = true;
  }

  /** All signals of the queue have ended. */
  work(): void {
    for (const one of this.emitters) one.isLastLive = false;
  }

  /** Brokers act on all that is due. */
  look(): void {
    for (const one of this.emitters) while (this.#isDue(one)) this.#act(one);
  }

  #isDue({ status, next, pausedUntil }: ModelEmitter): boolean {
    if (status === "paused") return pausedUntil !== null && pausedUntil <= this.now;
    return status === "active" && (next === null || next.emitAt <= this.now);
  }

  #act(one: ModelEmitter): void {
    if (one.status === "paused" || one.next === null) {
      const resumedAt = one.status === "paused" ? (one.pausedUntil ?? this.now) : one.statusAt;
      if (one.status === "paused")
        Object.assign(one, { status: "active", statusAt: this.now, pausedUntil: null });
      one.next = firstNotBefore(one, resumedAt);
      if (one.next === null) Object.assign(one, { status: "done", statusAt: this.now });
      return;
    }
    const due = this.#dueTicks(one, one.next);
    const chosen = this.#chosen(one, due);
    const last = due.at(-1);
    const emits = one.skipsOverlap && one.isLastLive && one.schedule.kind === "every" ? [] : chosen;
    one.skipCount += due.length - emits.length;
    one.emitCount += emits.length;
    one.emitted.push(...emits.map(({ at }) => at));
    if (emits.length > 0) one.isLastLive = true;
    if (one.schedule.kind === "once") {
      one.fired ||= emits.length > 0;
      Object.assign(one, { status: "done", statusAt: this.now, next: null });
    } else one.next = nextAfter(one, Math.max(last?.at ?? 0, one.scheduleAt));
  }

  /** All ticks whose time has come. */
  #dueTicks(one: ModelEmitter, next: Tick): Tick[] {
    const due: Tick[] = [];
    for (let tick: Tick | null = next; tick !== null && tick.emitAt <= this.now;) {
      due.push(tick);
      tick =
        one.schedule.kind === "once" ? null : nextAfter(one, Math.max(tick.at, one.scheduleAt));
    }
    return due;
  }

  #chosen(one: ModelEmitter, due: readonly Tick[]): readonly Tick[] {
    if (one.schedule.kind === "once") return due;
    if (one.missed === "all") return due.slice(-one.most);
    if (one.missed === "once") return due.slice(-1);
    const graceMs = Math.min(minuteMs, one.schedule.minutes * minuteMs - 1);
    // Only the newest can be in time, and a tick of the schedule before it.
    return due.filter(({ emitAt }) => this.now - emitAt <= graceMs);
  }
}

type Tick = { readonly at: number; readonly emitAt: number };
export type Policies = Pick<ModelEmitter, "missed" | "most" | "skipsOverlap">;

/** The first tick after an instant; null: there is none. */
function nextAfter({ schedule }: Pick<ModelEmitter, "schedule">, after: number): Tick | null {
  if (schedule.kind === "once") return { at: schedule.at, emitAt: schedule.at };
  const everyMs = schedule.minutes * minuteMs;
  const at = (Math.floor(after / everyMs) + 1) * everyMs;
  return { at, emitAt: at + schedule.jitterMs };
}

/** The first tick of the present schedule that is emitted at an instant or after it. */
function firstNotBefore(one: ModelEmitter, resumedAt: number): Tick | null {
  const { schedule, scheduleAt } = one;
  if (schedule.kind === "once") return schedule.at >= resumedAt ? nextAfter(one, 0) : null;
  return nextAfter(one, Math.max(scheduleAt, resumedAt - schedule.jitterMs - 1));
}
