import { compileDesign } from '../../marketing/templates/design/compile.ts';
import type { Design } from '../../marketing/templates/design/schema.ts';
import { readBounceMail } from '../feedback/bounce-mail.ts';
import type { BounceReport } from '../feedback/bounce-report.ts';
import { sanitiseDescription } from './content/sanitise-description.ts';
import { sanitisePreview } from './content/sanitise-preview.ts';
import { type Annotated, annotate, type ClickedLink } from './links/annotate.ts';
import { type RenderContext, type RenderResult, renderTemplate, syntaxFailure } from './liquid/engine.ts';
import type { RenderFailure } from './liquid/failures.ts';
import { BODY_LIMITS, LINE_LIMITS } from './liquid/limits.ts';
import { singleLine } from './mime/headers.ts';
import { textFromHtml } from './mime/html-text.ts';
import { addressesIn, type WebAddress } from './warnings/addresses.ts';
import { findingsOf } from './warnings/find.ts';
import type { Finding } from './warnings/findings.ts';
import type { KnownNames } from './warnings/variables.ts';

/** Operations on texts that users wrote, each kind with its input and output. They run in threads: see render-thread.ts. */
export interface TextJobs {
  /** Renders as many requests as its time allows: see `SLICE_MS`. */
  render: { input: { requests: RenderRequest[] }; output: RenderResult[] };
  preview: { input: PreviewJob; output: PreviewResult };
  /** The readable text of HTML. */
  text: { input: { html: string }; output: string };
  /** See `sanitiseDescription`: of the first texts, as many as its time allows. */
  descriptions: { input: { texts: string[] }; output: string[] };
  /** Returns why each of the first templates can never be rendered, as far as that shows without data. */
  syntax: { input: { templates: string[] }; output: (RenderFailure | null)[] };
  /** HTML with the clicks shown on its links. */
  clicks: { input: { html: string; links: ClickedLink[] }; output: Annotated };
  /** The MJML of a design. */
  design: { input: { design: Design }; output: string };
  bounces: { input: { mail: Uint8Array }; output: BounceReport[] };
}
export type TextKind = keyof TextJobs;
export type TextJob = { [Kind in TextKind]: { kind: Kind; input: TextJobs[Kind]['input'] } }[TextKind];

export interface RenderRequest {
  text: string;
  context: RenderContext;
  html: boolean;
}

export interface PreviewJob {
  channel: 'email' | 'sms';
  /** HTML, or the text of an SMS; Liquid. */
  content: string;
  subject: string;
  previewText: string;
  /** A RenderContext as JSON. */
  context: string;
  /** Nobody looks at the result: it only matters whether rendering succeeds. */
  checkOnly: boolean;
  /** Names of the variables; if absent, nothing is searched for probable mistakes. */
  known?: KnownNames;
}
/** `html` is sanitised; it is empty for an SMS and for a check. */
export type PreviewResult =
  | {
      ok: true;
      subject: string;
      previewText: string;
      html: string;
      text: string;
      findings: Finding[];
      addresses: WebAddress[];
    }
  | { ok: false; field: 'content' | 'subject' | 'preview_text'; failure: RenderFailure };

/** A job stops after this time in milliseconds and returns what it has done, so that the next one in the queue gets its turn. */
const SLICE_MS = 200;

/** Runs a job; `elapsed` returns the milliseconds since it began. Throws only on a bug in this program. */
export function runTextJob(job: TextJob, elapsed: () => number): TextJobs[TextKind]['output'] {
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
    if (elapsed() > SLICE_MS) break;
  }
  return results;
}

function preview(job: PreviewJob): PreviewResult {
  const context: RenderContext = JSON.parse(job.context);
  const isMail = job.channel === 'email';
  const body = renderTemplate(job.content, context, { html: isMail, limits: BODY_LIMITS });
  if (!body.ok) return { ok: false, field: 'content', failure: body };
  const subject = renderTemplate(job.subject, context, { html: false, limits: LINE_LIMITS });
  if (!subject.ok) return { ok: false, field: 'subject', failure: subject };
  const previewText = renderTemplate(job.previewText, context, { html: false, limits: LINE_LIMITS });
  if (!previewText.ok) return { ok: false, field: 'preview_text', failure: previewText };
  const shown = isMail && !job.checkOnly;
  const { known } = job;
  const text = isMail && (shown || known !== undefined) ? textFromHtml(body.text) : isMail ? '' : body.text;
  const line = singleLine(subject.text);
  return {
    ok: true,
    subject: line,
    previewText: singleLine(previewText.text),
    html: shown ? sanitisePreview(body.text) : '',
    text,
    findings:
      known === undefined
        ? []
        : findingsOf({ source: job, rendered: { subject: line, html: body.text, text }, email: isMail, known }),
    addresses: shown ? addressesIn(body.text, job.content) : [],
  };
}
