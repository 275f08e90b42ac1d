/** The one style sheet of the pages. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8886; --strong: #b00020; --ok: #06623b; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
dl { display: grid; grid-template-columns: 10rem 1fr; gap: .25rem 1rem; margin: 1rem 0; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: .4rem .6rem; text-align: start; vertical-align: top; }
th { width: 10rem; overflow-wrap: anywhere; }
pre { margin: 0; font: 14px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
code.escape { border: 1px solid var(--strong); border-radius: 3px; color: var(--strong); }
.notice { border-inline-start: 4px solid var(--strong); padding: .5rem 1rem; }
form { border: 1px solid var(--line); border-radius: 6px; padding: 1rem; margin: 1rem 0; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
textarea { box-sizing: border-box; width: 100%; min-height: 5rem; font: inherit; }
button { font: inherit; padding: .5rem 1.25rem; border-radius: 6px; border: 1px solid currentcolor; cursor: pointer; }
button.approve { color: #fff; background: var(--ok); }
button.deny { color: #fff; background: var(--strong); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
`;
