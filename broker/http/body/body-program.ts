/** The program of the thread that reads large bodies; a built program has its text within itself. */
export const bodyProgram: { readonly file?: URL; readonly text?: string } = {
  file: new URL("./body-worker.ts", import.meta.url),
};
