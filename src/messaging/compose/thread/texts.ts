import { monotonicMs } from '../../../clock.ts';
import { serveJobs } from '../../../lib/threads/port.ts';
import { compileDesign } from '../../../marketing/templates/design/compile.ts';
import { readBounceMail } from '../../feedback/bounce-mail.ts';
import { BODY_LIMITS } from '../liquid/limits.ts';
import { renderTemplate, syntaxFailure } from '../liquid/render.ts';
import { textFromHtml } from '../mime/html-text.ts';
import type { TextJob, TextOutput } from './jobs.ts';
import { annotate, preview } from './previews.ts';
import { sanitiseDescription, shownDescription } from './sanitise.ts';

/** A job stops after this time in milliseconds and returns what it has done, so that the next one in the queue gets its turn. */
const JOB_MS = 200;

/** The program of the threads for texts: see renderer.ts. Throws only on a bug in this program. */
function run(job: TextJob): TextOutput {
  const began = monotonicMs();
  const elapsed = (): number => monotonicMs() - began;
  switch (job.kind) {
    case 'render':
      return inTime(job.input.requests, elapsed, ({ text, context, html }) =>
        renderTemplate(text, context, { html, limits: BODY_LIMITS }),
      );
    case 'preview':
      return preview(job.input);
    case 'text':
      return textFromHtml(job.input.html);
    case 'descriptions':
      return inTime(job.input.texts, elapsed, sanitiseDescription);
    case 'description':
      return shownDescription(job.input.text);
    case 'syntax':
      return inTime(job.input.templates, elapsed, syntaxFailure);
    case 'clicks':
      return annotate(job.input.html, job.input.links);
    case 'design':
      return compileDesign(job.input.design);
    case 'bounces':
      return readBounceMail(Buffer.from(job.input.mail));
  }
}

/** Returns the results of as many items as time allows, at least one. */
function inTime<Item, Result>(items: readonly Item[], elapsed: () => number, make: (item: Item) => Result): Result[] {
  const results: Result[] = [];
  for (const item of items) {
    results.push(make(item));
    if (elapsed() > JOB_MS) break;
  }
  return results;
}

serveJobs<TextJob, TextOutput>(run);
