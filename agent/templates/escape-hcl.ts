/** A text as it is within quotes of HCL: nothing of it begins a template of terraform, also with what is before or after it. */
export const escapeHcl = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\(?:u[0-9a-f]{4}|.)|[${%\u007F-\u009F]/g, (found) => {
      if (found.startsWith("\\") && !/^\\[bf]$/.test(found)) return found;
      const letter = found === "\\b" ? "\b" : found === "\\f" ? "\f" : found;
      return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
