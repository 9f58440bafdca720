import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { OUTSIDE } from './pages.ts';

/** The markdown of each page, and where links in it lead. */
const DECISIONS = 'docs/decisions/';
/** Configuration files that guides link to: the site has copies of them. */
const ATTACHED = /^docs\/(?:proxies|monitoring)\/([\w.-]+)$/;

/** The markdown of a page, as it is in the repository. */
export function markdownOf(root: URL, path: string): string {
  if (path === 'decisions') return decisionRecords(root);
  return readFileSync(new URL(sourceOf(path), root), 'utf8');
}

/** Path of the page's text, from the root of the repository. */
export function sourceOf(path: string): string {
  return OUTSIDE[path] ?? `docs/${path === '' ? 'index' : path}.md`;
}

/** All records as one page: the heading of each is its file's name. */
function decisionRecords(root: URL): string {
  const files = readdirSync(new URL(DECISIONS, root)).filter((name) => name.endsWith('.md'));
  const records = files.sort().map((name) => {
    const text = readFileSync(new URL(DECISIONS + name, root), 'utf8');
    return text.replace(/^# (.*)$/m, `## $1 {#${name.slice(0, -'.md'.length)}}`);
  });
  return `# Decision records\n\n${records.join('\n')}`;
}

/** The same link within the site: from `/docs/guide/`, with its anchor; null for what is not in the site. */
export function siteLink(page: string, href: string): string | null {
  const [path = '', anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const folder = page === 'decisions' ? DECISIONS : `${dirname(sourceOf(page))}/`;
  const target = posix.normalize(posix.join(folder, decodeURIComponent(path)));
  const outside = Object.entries(OUTSIDE).find(([, file]) => file === target);
  if (outside !== undefined) return `/${outside[0]}${hash}`;
  if (target === DECISIONS || `${target}/` === DECISIONS) return '/decisions';
  if (target.startsWith(DECISIONS)) return `/decisions#${posix.basename(target, '.md')}`;
  const attached = ATTACHED.exec(target);
  if (attached !== null) return `/files/${attached[1]}.txt`;
  if (target.startsWith('docs/') && target.endsWith('.md')) {
    return `/${target.slice('docs/'.length, -'.md'.length)}${hash}`.replace(/\/index$/, '/');
  }
  return null;
}

/** Files that are not pages, which the site needs copies of: name in the site, and the file. */
export function attachedFiles(root: URL): [string, URL][] {
  return ['docs/proxies/', 'docs/monitoring/'].flatMap((folder) =>
    readdirSync(new URL(folder, root)).map((name): [string, URL] => [
      `files/${name}.txt`,
      new URL(folder + name, root),
    ]),
  );
}
