import { type Html, html } from '../lib/html.ts';

/** `content` is the page's main part. */
function page(title: string, content: Html): Html {
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

export const STYLES = `:root { color-scheme: light dark; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; }
`;
