/** Names of what other programs keep beside sources, and no build needs: what git has, downloads, states. */
const leftOut = /^(?:\.git|\.svc|\.terraform|node_modules|.*\.tfstate(?:\.backup)?)$/;

/** Whether a file or folder of this name is no part of what a component is built from. */
export const isLeftOut = (name: string): boolean => leftOut.test(name);
