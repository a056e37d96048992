/** The program of the thread that parses large states; a built program contains its text. */
export const summaryProgram: { readonly file?: URL; readonly text?: string } = {
  file: new URL("./summary-worker.ts", import.meta.url),
};
