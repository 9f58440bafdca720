import { type Html, html } from '../lib/html.ts';

/** One page in the frame of all. `content` is its main part. */
export function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tradeloom</title>
<link rel="stylesheet" href="/admin/admin.css">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

export function messagePage(title: string, sentence: string): Html {
  return page(title, html`<h1>${title}</h1>\n<p>${sentence}</p>`);
}

/** A section with a table, or a sentence where there is nothing yet. */
export function section(heading: string, columns: string[], rows: Html[][], empty: string): Html {
  const body =
    rows.length === 0
      ? html`<p>${empty}</p>`
      : html`<div class="scroll"><table>
<thead><tr>${columns.map((column) => html`<th>${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;
  return html`<section>\n<h2>${heading}</h2>\n${body}\n</section>\n`;
}

export const STYLES = `:root { color-scheme: light dark; --line: light-dark(#dde1e6, #3a3f45); --quiet: light-dark(#59626b, #9aa4ae); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.4rem 1rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-weight: 500; }
button { font: inherit; padding: 0.4rem 1rem; border-radius: 0.4rem; border: 1px solid var(--line); cursor: pointer; }
iframe { width: 100%; height: 24rem; border: 1px solid var(--line); border-radius: 0.4rem; background: white; }
details > summary { cursor: pointer; }
`;
