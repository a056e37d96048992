/** The reference's style sheet; light and dark as the reader's system is. */
export const referenceStyle = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e4e7eb);
  --soft: light-dark(#57606a, #9aa4af);
  --line: light-dark(#d8dee4, #30363d);
  --paper: light-dark(#ffffff, #0f1216);
  --card: light-dark(#f6f8fa, #171b21);
  --accent: light-dark(#0b57d0, #8ab4f8);
  --get: light-dark(#0a6b3d, #5fd39a);
  --post: light-dark(#0b57d0, #8ab4f8);
  --patch: light-dark(#8a5a00, #f0c060);
  --delete: light-dark(#b3261e, #f2a49e);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif;
  display: grid;
  grid-template-columns: 17rem minmax(0, 1fr);
}
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow-y: auto;
  padding: 1.25rem 1rem;
  border-right: 1px solid var(--line);
  font-size: 0.875rem;
}
nav ul { list-style: none; margin: 0 0 0.75rem; padding: 0; }
nav li { margin: 0.15rem 0; overflow-wrap: anywhere; }
nav h2 { font-size: 0.75rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--soft); margin: 1rem 0 0.25rem; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 62rem; min-width: 0; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h1 { font-size: 1.75rem; margin: 0 0 0.5rem; }
main h2 { margin: 2.5rem 0 0.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0; font-size: 1.05rem; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.8rem; color: var(--soft); text-transform: uppercase; letter-spacing: 0.05em; }
code { font: 0.875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0; }
article p { margin: 0.5rem 0; }
.route { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: baseline; margin: 0.25rem 0 0.5rem; }
.method { font: 700 0.75rem/1.4 ui-monospace, monospace; border: 1px solid currentColor; border-radius: 4px; padding: 0.05rem 0.4rem; }
.get { color: var(--get); }
.post { color: var(--post); }
.put, .patch { color: var(--patch); }
.delete { color: var(--delete); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.25rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-weight: 600; }
.must { color: var(--delete); font-size: 0.8em; }
.soft { color: var(--soft); }
@media (max-width: 55rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
@media print {
  body { display: block; }
  nav { display: none; }
  article { break-inside: avoid; }
}
`;
