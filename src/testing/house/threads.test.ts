import { expect, it } from 'vitest';
import { filesUnder, readSource } from './sources.ts';

const sources = new Map(
  filesUnder('src')
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readSource(path)]),
);

/** Returns what a program that begins with the file loads, and the file that imports each; threads are programs of their own. */
function loadedBy(start: string): Map<string, string> {
  const from = new Map([[start, '']]);
  for (const path of from.keys()) {
    for (const { target, typeOnly } of sources.get(path)?.imports ?? []) {
      if (!typeOnly && !from.has(target)) from.set(target, path);
    }
  }
  return from;
}

const THREAD = 'src/messaging/compose/liquid/render-thread.ts';
/** Code that may take longer than 5 ms for the worst user input: the thread that serves requests must not be able to run it. */
const IN_THREADS = [
  'src/messaging/compose/text-jobs.ts',
  'src/messaging/compose/content/sanitise-description.ts',
  'src/messaging/compose/content/sanitise-preview.ts',
  'src/messaging/compose/links/annotate.ts',
  'src/messaging/feedback/bounce-mail.ts',
  'src/marketing/templates/design/compile.ts',
  'src/messaging/compose/liquid/engine.ts',
  'src/messaging/compose/mime/html-text.ts',
  'html-to-text',
  'liquidjs',
  'sanitize-html',
];

it('what users wrote is parsed, sanitised, rendered and converted by threads alone', () => {
  const main = loadedBy('src/app.ts');
  const thread = loadedBy(THREAD);
  expect(main.size).toBeGreaterThan(300);
  expect(IN_THREADS.filter((target) => !thread.has(target))).toEqual([]);
  expect(
    IN_THREADS.filter((target) => main.has(target)).map((target) => `${main.get(target)} loads ${target}`),
  ).toEqual([]);
});
