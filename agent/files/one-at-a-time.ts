/** Makes a queue that runs one action at a time; failures do not stop it. */
export function makeOneAtATime(): (act: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return async (act) => {
    const turn = last.then(act);
    last = turn.catch(() => {});
    await turn;
  };
}
