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

const THREADS = ['src/messaging/compose/thread/texts.ts', 'src/messaging/compose/thread/messages.ts'];
/** Code that may take longer than 5 ms for the worst user input: the thread that serves requests must not be able to run it. */
const IN_THREADS = [
  'src/messaging/compose/thread/compiled.ts',
  'src/messaging/compose/thread/sanitise.ts',
  'src/messaging/compose/thread/previews.ts',
  'src/messaging/feedback/bounce-mail.ts',
  'src/marketing/templates/design/compile.ts',
  'src/messaging/compose/liquid/render.ts',
  'src/messaging/compose/mime/html-text.ts',
  'html-to-text',
  'liquidjs',
  'sanitize-html',
];

it('what users wrote is parsed, sanitised, rendered and converted by threads alone', () => {
  const main = loadedBy('src/app.ts');
  const threads = THREADS.map(loadedBy);
  expect(main.size).toBeGreaterThan(300);
  expect(IN_THREADS.filter((target) => threads.every((thread) => !thread.has(target)))).toEqual([]);
  // Texts need no encoder of e-mails: a thread takes less memory and starts sooner without it.
  expect([...threads[0]!.keys()].filter((target) => target.startsWith('nodemailer'))).toEqual([]);
  expect(
    IN_THREADS.filter((target) => main.has(target)).map((target) => `${main.get(target)} loads ${target}`),
  ).toEqual([]);
});
