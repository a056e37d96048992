/** Waits for its turn, in the order in which they came. */
export type Turnstile = () => Promise<void>;

/** Lets so many pass in one turn of the event loop: what each does then keeps nobody else waiting for long. */
export function makeTurnstile(width: number): Turnstile {
  const waiting: (() => void)[] = [];
  let isTurning = false;

  function turn(): void {
    for (const pass of waiting.splice(0, width)) pass();
    isTurning = waiting.length > 0;
    if (isTurning) setImmediate(turn);
  }

  return () =>
    new Promise((pass) => {
      waiting.push(pass);
      if (isTurning) return;
      isTurning = true;
      setImmediate(turn);
    });
}
