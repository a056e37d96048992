/** Resolves when the caller may go on; callers go on in the order in which they came. */
export type LoopThrottle = () => Promise<void>;

/** Lets at most `width` callers go on in one turn of the event loop, so that their work delays nobody else for long. */
export function makeLoopThrottle(width: number): LoopThrottle {
  const waiting: (() => void)[] = [];
  let isScheduled = false;

  function run(): void {
    for (const goOn of waiting.splice(0, width)) goOn();
    isScheduled = waiting.length > 0;
    if (isScheduled) setImmediate(run);
  }

  return () =>
    new Promise((goOn) => {
      waiting.push(goOn);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(run);
    });
}
