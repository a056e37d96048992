/** The program of the thread that reads large states; a built program has its text within itself. */
export const summaryProgram: { readonly file?: URL; readonly text?: string } = {
  file: new URL("./summary-worker.ts", import.meta.url),
};
