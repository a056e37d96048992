/** Does one thing after the other, whatever became of those before. */
export function makeOneAtATime(): (act: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return async (act) => {
    const turn = last.then(act);
    last = turn.catch(() => {});
    await turn;
  };
}
