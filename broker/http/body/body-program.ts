/** The program of the thread that parses large bodies; a built program contains its text. */
export const bodyProgram: { readonly file?: URL; readonly text?: string } = {
  file: new URL("./body-worker.ts", import.meta.url),
};
