/** The program of the child processes that do work; a built program contains its text. */
export const childProgram: { readonly file?: URL; readonly text?: string } = {
  file: new URL("./child-main.ts", import.meta.url),
};
